// Package exchange asks a model server over HTTP and reads sound from the answers. It knows what
// the protocols over HTTP have in common: connections, failures, samples and WAV.
package exchange

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"vaak/engine/remote/wire"
)

// The limits of a connection.
const (
	connectWithin = 5 * time.Second
	// Servers on uvicorn close a connection that was idle for 5 s. Closing it first avoids most
	// requests that meet a connection as it ends.
	idleFor     = 4 * time.Second
	headerBytes = 64 << 10
	// What the kernel and HTTP/2 hold of an answer that is not read, so that a server is not
	// far ahead of a slow listener: 256 KiB are 5 s of samples at 24 kHz.
	windowBytes = 256 << 10
	// Of an error's body no more is read, and for no longer.
	errorBytes  = 8 << 10
	errorWithin = time.Second
	// The end of an answer follows its last sound at once.
	drainWithin = 50 * time.Millisecond
)

// Client asks one server. It is safe for concurrent use.
type Client struct {
	target    wire.Target
	base      string
	transport *http.Transport
	http      *http.Client
}

// New returns a client of a server, without asking it anything. The error says what is wrong with
// the address.
func New(t wire.Target) (*Client, error) {
	u, err := url.Parse(t.URL)
	if err != nil {
		return nil, fmt.Errorf("address of a server: %w", err)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("address of a server must be like https://host:port, not %q", u.Redacted())
	}
	config := &tls.Config{}
	if t.TLS != nil {
		config = t.TLS.Clone()
	}
	if config.ServerName == "" && t.Host != "" {
		config.ServerName = t.Host
		if host, _, err := net.SplitHostPort(t.Host); err == nil {
			config.ServerName = host
		}
	}
	config.MinVersion = max(config.MinVersion, tls.VersionTLS12)
	dialer := &net.Dialer{Timeout: connectWithin, KeepAlive: 15 * time.Second}
	c := &Client{target: t, base: strings.TrimSuffix(strings.TrimSuffix(t.URL, "/"), "/v1")}
	c.transport = &http.Transport{
		Proxy: nil, // members are named one by one; a proxy of the environment is not meant for them
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetReadBuffer(windowBytes) // without it a server runs further ahead
			}
			return conn, err
		},
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    connectWithin,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    256,
		IdleConnTimeout:        idleFor,
		MaxResponseHeaderBytes: headerBytes,
		ReadBufferSize:         16 << 10,
		DisableCompression:     true,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream: windowBytes,
			SendPingTimeout:           10 * time.Second,
			PingTimeout:               5 * time.Second,
		},
	}
	c.http = &http.Client{
		Transport: c.transport,
		// The key and the text are for this server alone.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// Close gives up connections that are idle. Others are given up as their answers end.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Target is the server.
func (c *Client) Target() wire.Target { return c.target }

// Response is an answer whose status is 200.
type Response struct {
	Header http.Header
	Body   io.Reader

	ctx    context.Context
	cancel context.CancelFunc
	closer io.Closer
	closed atomic.Bool
}

// Close gives up what was not read: it closes the connection, or with HTTP/2 resets the stream. It
// may be called twice and while the body is read.
func (r *Response) Close() {
	r.closed.Store(true)
	r.cancel()
	_ = r.closer.Close() // nothing can be done about it
}

// drain reads what follows a whole answer, such as the last chunk, so that the connection can be
// used again. A server that sends more or waits loses the connection instead.
func (r *Response) drain() {
	timer := time.AfterFunc(drainWithin, r.cancel)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, r.Body, errorBytes) // an error ends the connection too
}

// failure returns the failure for an error of reading the body.
func (r *Response) failure(err error) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	if f, ok := errors.AsType[*wire.Failure](err); ok {
		return f
	}
	return &wire.Failure{Reason: wire.Broken, Detail: "the answer breaks off", Err: err}
}

// Get asks with GET and returns the answer's body, at most limit bytes of it. The error is as that
// of [Client.Post].
func (c *Client) Get(ctx context.Context, path string, limit int) ([]byte, error) {
	resp, _, err := c.do(ctx, http.MethodGet, path, nil, "")
	if err != nil {
		return nil, err
	}
	defer resp.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)))
	if err != nil {
		return nil, resp.failure(err)
	}
	return body, nil
}

// Post asks with JSON. Where the answer's status is not 200, the error is a [*wire.Failure], whose
// detail has none of the words of text, and what begins the answer's body is returned for those who
// look for a reason in it. Where ctx has ended, the error is its cause. While the answer is read,
// ctx must live.
func (c *Client) Post(ctx context.Context, path string, body []byte, text string) (*Response, []byte, error) {
	return c.do(ctx, http.MethodPost, path, body, text)
}

func (c *Client) do(ctx context.Context, method, path string, body []byte, text string) (*Response, []byte, error) {
	within, cancel := context.WithCancel(ctx)
	kept := false
	defer func() {
		if !kept {
			cancel()
		}
	}()
	connected := false
	traced := httptrace.WithClientTrace(within, &httptrace.ClientTrace{
		// A connection that turned out to be closed is followed by another try.
		GetConn: func(string) { connected = false },
		GotConn: func(httptrace.GotConnInfo) { connected = true },
	})
	req, err := http.NewRequestWithContext(traced, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, &wire.Failure{Reason: wire.Unreachable, Err: err}
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
		// A request may be sent again where a connection that was idle turns out to be closed.
		// net/http takes an empty list for that and sends no header.
		req.Header["Idempotency-Key"] = nil
	}
	req.Header.Set("Accept", "*/*")
	req.Header.Set("User-Agent", "vaak")
	if c.target.Host != "" {
		req.Host = c.target.Host
	}
	if c.target.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.target.Key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		// The address is in the error's text already where it helps.
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		if connected {
			_, network := errors.AsType[net.Error](err)
			if !network && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				// The error may quote what came, and so the text.
				return nil, nil, &wire.Failure{Reason: wire.Broken, Detail: "an answer that is no HTTP, or has headers that are too long"}
			}
			return nil, nil, &wire.Failure{Reason: wire.Broken, Detail: "no answer", Err: err}
		}
		return nil, nil, &wire.Failure{Reason: wire.Unreachable, Err: err}
	}
	r := &Response{Header: resp.Header, Body: resp.Body, ctx: ctx, cancel: cancel, closer: resp.Body}
	if resp.StatusCode != http.StatusOK {
		begin := r.begin()
		r.Close()
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		return nil, begin, refusal(resp, begin, text)
	}
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		r.Close()
		return nil, nil, &wire.Failure{Reason: wire.Broken, Status: resp.StatusCode, Detail: "the answer is compressed"}
	}
	kept = true
	return r, nil, nil
}

// begin reads the beginning of an error's body. A server that hangs in the middle of one must not
// hold up who asked.
func (r *Response) begin() []byte {
	timer := time.AfterFunc(errorWithin, r.cancel)
	defer timer.Stop()
	body, _ := io.ReadAll(io.LimitReader(r.Body, errorBytes)) // what there is
	return body
}
