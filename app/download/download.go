// Package download fetches a document at an address that a person has named, within bounds.
//
// The person decides what is asked: the host of the address may be inside of a private network.
// What the answer says does not decide: a redirect leads to public addresses alone, or to the same
// host: its port, or that of https where the port of http was named. So a document on the web cannot make the program ask for what only this machine
// can reach (server-side request forgery).
package download

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"

	"time"
	"vaak/internal/netrange"
)

// Bounds of a download.
const (
	maxRedirects = 5
	patience     = 30 * time.Second // for everything
	maxHeader    = 64 << 10         // bytes of the headers of an answer
)

// Is reports whether a text is an address that [Get] fetches.
func Is(text string) bool {
	lower := strings.ToLower(text)
	return strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://")
}

// Options are what differs between callers. The zero value is the usual.
type Options struct {
	Accept    string        // header of that name; "" is anything
	UserAgent string        // "" is that of the library
	TLS       *tls.Config   // nil is the usual
	Patience  time.Duration // for everything; 0 is 30 s
	// Stranger says that a stranger has chosen the address, and not a person of this machine: only
	// the public internet is asked, and no redirect is followed.
	Stranger bool
}

// Get returns what is at an address of http or https: at most most+1 bytes, so that the caller can
// tell a longer document. Proxies of the environment are not used, because behind one it is not
// known which machine is asked.
func Get(ctx context.Context, address string, most int, o Options) ([]byte, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || !Is(address) || u.Hostname() == "":
		return nil, fmt.Errorf("%.200q is not an address that begins with https:// or http://", address)
	case u.User != nil:
		return nil, errors.New("an address with a password is not fetched")
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(o.Patience, patience))
	defer cancel()
	f := &fetcher{asked: hostPort(u), stranger: o.Stranger}
	client := &http.Client{CheckRedirect: f.redirect, Transport: &http.Transport{
		DialContext: f.dial, TLSClientConfig: o.TLS, DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeader, ForceAttemptHTTP2: true,
	}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	if o.Accept != "" {
		r.Header.Set("Accept", o.Accept)
	}
	if o.UserAgent != "" {
		r.Header.Set("User-Agent", o.UserAgent)
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close() // read only
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", u.Redacted(), answer.Status)
	}
	return io.ReadAll(io.LimitReader(answer.Body, int64(most)+1))
}

// fetcher follows one address.
type fetcher struct {
	asked    string // host and port that the person named
	stranger bool   // it was no person of this machine
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

func (f *fetcher) redirect(r *http.Request, before []*http.Request) error {
	switch {
	case f.stranger:
		return errors.New("it redirects, which is not followed")
	case len(before) > maxRedirects:
		return fmt.Errorf("it leads through more than %d redirects", maxRedirects)
	case r.URL.Scheme != "http" && r.URL.Scheme != "https", r.URL.User != nil:
		return errors.New("it redirects to an address that is not of the web")
	case before[0].URL.Scheme == "https" && r.URL.Scheme != "https":
		return errors.New("it redirects from https to http")
	}
	return nil
}

// named reports whether a host and port are those that the person named, or those to which servers
// of http send everybody: the same host, at the port of https.
func (f *fetcher) named(address string) bool {
	address = strings.ToLower(address)
	host, plain := strings.CutSuffix(f.asked, ":80")
	return address == f.asked || plain && address == host+":443"
}

// dial connects to a host. Of one that nobody named, only public addresses are taken, as they are
// when the connection is made: a name cannot resolve to another address meanwhile.
func (f *fetcher) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{}
	if f.stranger || !f.named(address) {
		d.Control = func(_, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil || !netrange.Public(at.Addr()) {
				return fmt.Errorf("it leads to %s, which is inside of a private network", address)
			}
			return nil
		}
	}
	return d.DialContext(ctx, network, address)
}
