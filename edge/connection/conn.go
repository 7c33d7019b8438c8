package connection

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Conn is a connection of a [Pool]. As those of net it may be read by one goroutine,
// written by another, and closed by any.
type Conn struct {
	net.Conn           // TLS, or plain
	tls      *tls.Conn // nil of plain connections
	pool     *Pool
	from     netip.Addr

	shaken bool        // the handshake is over
	http2  atomic.Bool // the client chose HTTP/2 in the handshake
	gone   sync.Once

	held *[]byte // what is sent later, nil outside of [Write]; only the goroutine of a handler uses it

	mu      sync.Mutex // guards what follows: net/http reads while a handler begins and ends
	serving bool       // a handler runs
	heads   heads
}

// NetConn returns the connection beneath, as that of [tls.Conn] does.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Close closes the connection and gives its place back.
func (c *Conn) Close() error {
	// Once, because net/http may close a connection several times.
	c.gone.Do(func() { c.pool.leave(c.from) })
	return c.Conn.Close()
}

// Read reads what the client sent. The first call makes the TLS handshake, within the deadline that
// the server has set for the head of a request.
func (c *Conn) Read(p []byte) (int, error) {
	if c.tls != nil && !c.shaken {
		if err := c.handshake(); err != nil {
			return 0, err
		}
		c.shaken = true
		c.http2.Store(c.tls.ConnectionState().NegotiatedProtocol == "h2")
	}
	n, err := c.Conn.Read(p)
	if c.http2.Load() {
		return n, err // frames have no heads to scan
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.serving { // else it is the body of the request that is served
		c.heads.scan(p[:n])
	}
	return n, err
}

// handshake makes the TLS handshake. It counts failures in place of net/http, which would log a
// line for each. It answers a client that speaks plain HTTP with a sentence.
func (c *Conn) handshake() error {
	err := c.tls.Handshake()
	if err == nil {
		return nil
	}
	c.pool.failedHandshakes.Add(1)
	if e, ok := errors.AsType[tls.RecordHeaderError](err); ok && e.Conn != nil && plainHTTP(e.RecordHeader) {
		_, _ = e.Conn.Write(c.pool.refusal("400 Bad Request", "this address speaks HTTPS: call it with https://", "")) // whoever has gone needs no answer
	}
	// net/http closes a connection that ends before a request, without an answer or a log line.
	return io.EOF
}

// plainHTTP reports whether the first bytes of a TLS connection begin an HTTP request.
func plainHTTP(head [5]byte) bool {
	switch string(head[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO", "DELET", "PATCH":
		return true
	}
	return false
}

// ReadFrom copies from r. From a file to a plain connection the kernel copies by itself.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	// A TCP connection sends a file with sendfile or splice. TLS has to copy it.
	if to, ok := c.Conn.(io.ReaderFrom); ok {
		return to.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{c.Conn}, r)
}

// plainHead follows the status line when net/http refuses a request by itself. No answer of a
// handler has it there, because those have a Date.
const plainHead = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// Write sends p. It puts the refusals of net/http itself into the service's form.
func (c *Conn) Write(p []byte) (int, error) {
	if c.held != nil {
		*c.held = append(*c.held, p...)
		return len(p), nil
	}
	const version = "HTTP/1.1 "
	if c.http2.Load() || !bytes.HasPrefix(p, []byte(version)) {
		return c.Conn.Write(p)
	}
	// net/http writes such a refusal with one call: a status line, plainHead, and a sentence. Some
	// have the reason in the status line, as in "400 Bad Request: missing required Host header";
	// the others have it in the body, after the status.
	line, _, _ := bytes.Cut(p, []byte("\r\n"))
	reason, plain := bytes.CutPrefix(p[len(line):], []byte(plainHead))
	if !plain || c.pool.cfg.Refusal == nil {
		return c.Conn.Write(p)
	}
	status, text, _ := strings.Cut(string(line[len(version):]), ": ")
	if text == "" {
		text = strings.TrimPrefix(string(reason), status[:len("400 ")])
	}
	// A writer must say that it took all of p, although other bytes were sent.
	if _, err := c.Conn.Write(c.pool.refusal(status, text, "")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// refusal returns the whole answer to a request that no handler sees; extra are lines of
// its head.
func (p *Pool) refusal(status, reason, extra string) []byte {
	body, contentType, id := []byte(reason+"\n"), "text/plain; charset=utf-8", ""
	if p.cfg.Refusal != nil {
		code, _ := strconv.Atoi(status[:3]) // every status line begins with one
		body, contentType, id = p.cfg.Refusal(code, reason)
	}
	if id != "" {
		extra += "X-Request-Id: " + id + "\r\n"
	}
	return append([]byte("HTTP/1.1 "+status+"\r\nContent-Type: "+contentType+"\r\nContent-Length: "+strconv.Itoa(len(body))+
		"\r\n"+extra+"Connection: close\r\n\r\n"), body...)
}

type connKey struct{}

// Keep puts a connection into the context of its requests, where [Unambiguous] finds it. Set it as
// the ConnContext of an [http.Server].
func Keep(ctx context.Context, c net.Conn) context.Context {
	if conn, ok := c.(*Conn); ok {
		return context.WithValue(ctx, connKey{}, conn)
	}
	return ctx
}

// Unambiguous closes the connection after a request that has both Transfer-Encoding and
// Content-Length (RFC 9112, section 6.1). A proxy that goes by the other of the two finds another
// beginning of the next request, which lets a client smuggle one past it.
func Unambiguous(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*Conn)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		if c.tls != nil && r.TLS == nil {
			// net/http sets it only for connections whose TLS it sees.
			state := c.tls.ConnectionState()
			r.TLS = &state
		}
		if r.ProtoMajor > 1 {
			// Many requests share the connection, and each has the length of its frames.
			next.ServeHTTP(w, r)
			return
		}
		seen := c.serve(true)
		defer c.serve(false)
		// net/http drops Content-Length when both are there, so the request itself does not show
		// it. Where only the encoding was seen, the request is unambiguous and the connection goes
		// on.
		// A head that was not seen came with the request before it.
		if len(r.TransferEncoding) > 0 && (seen.length || !seen.encoding) {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// serve notes that a handler begins or has ended, and returns the heads that were seen until
// then. The next request begins with none.
func (c *Conn) serve(on bool) heads {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.heads
	if !on {
		c.heads = heads{}
	}
	c.serving = on
	return seen
}
