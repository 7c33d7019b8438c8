// Package egress sends requests to the addresses of webhook endpoints, which strangers have named.
//
// It connects to public addresses over https alone, as they are when the connection is made: a name
// cannot resolve to another address meanwhile. The operator can allow hosts and networks, which may
// then be private and answer http. Redirects are not followed, and proxies of the environment
// are not used, since behind one it is not known who is asked.
package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vaak/internal/netrange"
	"vaak/webhook"
)

// Bounds of a request.
const (
	maxHeader   = 64 << 10 // bytes of the headers of an answer
	maxDrain    = 64 << 10 // bytes of an answer that are read, so that the connection can be used again
	idlePerHost = webhook.PerEndpoint
	idleTimeout = 30 * time.Second
)

// Client sends requests. It is safe for concurrent use.
type Client struct {
	hosts    map[string]bool // allowed names, in lower case
	networks []netip.Prefix  // allowed addresses
	http     *http.Client
	close    func()
}

// New returns a client. Allow lists names of hosts, addresses, and networks such as 10.0.0.0/8, that may
// be asked although they are not public, also over http.
func New(allow []string) (*Client, error) {
	c := &Client{hosts: map[string]bool{}}
	for _, text := range allow {
		if p, err := netip.ParsePrefix(text); err == nil {
			c.networks = append(c.networks, p.Masked())
		} else if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
			c.networks = append(c.networks, netip.PrefixFrom(a, a.BitLen()))
		} else if isHost(text) {
			c.hosts[strings.ToLower(text)] = true
		} else {
			return nil, fmt.Errorf("%.200q is not the name of a host, an address, or a network such as 10.0.0.0/8", text)
		}
	}
	t := &http.Transport{
		DialContext: c.dial, MaxResponseHeaderBytes: maxHeader, ForceAttemptHTTP2: true,
		MaxIdleConnsPerHost: idlePerHost, IdleConnTimeout: idleTimeout, DisableCompression: true,
	}
	c.close = t.CloseIdleConnections
	c.http = &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// Close closes connections that are idle.
func (c *Client) Close() { c.close() }

// isHost reports whether a text is the name of a host without a port.
func isHost(text string) bool {
	if text == "" || len(text) > 253 || strings.HasPrefix(text, "-") || strings.HasPrefix(text, ".") {
		return false
	}
	return strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz0123456789.-_") == ""
}

// Check returns an error for an address to which nothing is ever sent. It does not resolve names.
func (c *Client) Check(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("it is not an address such as https://example.org/webhooks")
	case u.User != nil:
		return errors.New("it holds a user or a password; requests are signed instead")
	case u.Fragment != "" || strings.HasSuffix(address, "#"):
		return errors.New("it has a fragment, which is never sent")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return fmt.Errorf("port %.10s is outside 1 to 65535", port)
		}
	}
	host := strings.ToLower(u.Hostname())
	if c.hosts[host] {
		return nil
	}
	a, err := netip.ParseAddr(host)
	literal := err == nil
	if literal && c.allowed(a) {
		return nil
	}
	if u.Scheme != "https" {
		return errors.New("it is not https, which is needed for every host that the operator has not allowed")
	}
	if literal && !netrange.Public(a) || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return errors.New("it is inside of a private network, which the operator has not allowed")
	}
	return nil
}

// allowed reports whether the operator has allowed an address.
func (c *Client) allowed(a netip.Addr) bool {
	a = a.Unmap()
	for _, p := range c.networks {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// errPrivate is the reason why a connection was not made.
var errPrivate = errors.New("the host is inside of a private network, which the operator has not allowed")

// dial connects to a host.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := &net.Dialer{}
	if !c.hosts[strings.ToLower(host)] {
		d.Control = func(_, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil || !netrange.Public(at.Addr()) && !c.allowed(at.Addr()) {
				return errPrivate
			}
			return nil
		}
	}
	return d.DialContext(ctx, network, address)
}

// Post implements [webhook.Caller].
func (c *Client) Post(ctx context.Context, r webhook.Request) (webhook.Answer, error) {
	// Again, because the settings of this server may be others than those under which the endpoint
	// was made.
	if err := c.Check(r.URL); err != nil {
		return webhook.Answer{}, fmt.Errorf("the address is refused: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return webhook.Answer{}, errors.New("the address cannot be read")
	}
	for name, value := range r.Headers {
		req.Header.Set(name, value)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return webhook.Answer{}, reason(err)
	}
	defer res.Body.Close() // read only
	// The status counts: what is wrong with the rest of the answer does not matter.
	head, err := io.ReadAll(io.LimitReader(res.Body, webhook.MaxResponse))
	if err == nil {
		_, _ = io.CopyN(io.Discard, res.Body, maxDrain) // else the connection is not used again
	}
	a := webhook.Answer{Status: res.StatusCode, Body: printable(head)}
	if seconds, err := strconv.ParseUint(res.Header.Get("Retry-After"), 10, 31); err == nil {
		a.RetryAfter = time.Duration(seconds) * time.Second
	}
	return a, nil
}

// reason returns an error of the library in a sentence for the owner of the endpoint. It names no
// address that a name resolved to, because those of a private network are nobody's business.
func reason(err error) error {
	var dns *net.DNSError
	switch {
	case errors.Is(err, errPrivate):
		return errPrivate
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("the endpoint did not answer in time")
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &dns):
		return errors.New("the name of the host cannot be resolved")
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("the host refused the connection")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the host closed the connection before it had answered")
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if strings.Contains(err.Error(), "tls:") || strings.Contains(err.Error(), "x509:") {
		return fmt.Errorf("the connection is not secure: %.200s", err.Error())
	}
	return errors.New("the host did not answer as a server of HTTP does")
}

// printable returns the text of an answer without what cannot be shown or stored.
func printable(b []byte) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r != 0x7f {
			return r
		}
		return -1
	}, strings.ToValidUTF8(string(b), ""))
}
