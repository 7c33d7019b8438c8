package connection

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// served starts an HTTP server on a listener of a pool, and returns its address.
func served(t *testing.T, p *Pool, secure *tls.Config) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, p.Listener(l, secure))
}

func serveOn(t *testing.T, l net.Listener) string {
	t.Helper()
	server := &http.Server{
		MaxHeaderBytes: 4 << 10,
		ConnContext:    Keep,
		Handler: Unambiguous(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%d", len(body))
		})),
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelWarn),
	}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().String()
}

func dialFrom(t *testing.T, from, to string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.DialContext(t.Context(), "tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(30 * time.Second)) // against hanging
	return c
}

// exchange sends a request as it is and returns the answer.
func exchange(t *testing.T, c net.Conn, request string) (*http.Response, string) {
	t.Helper()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	return answerOn(t, bufio.NewReader(c))
}

func answerOn(t *testing.T, r *bufio.Reader) (*http.Response, string) {
	t.Helper()
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

const plainGet = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

func TestBounds(t *testing.T) {
	t.Parallel()
	p := NewPool(Config{Total: 3, PerAddress: 2, Logger: slog.New(slog.DiscardHandler)})
	at := served(t, p, nil)
	first := dialFrom(t, "127.0.0.1", at)
	for _, c := range []net.Conn{first, dialFrom(t, "127.0.0.1", at)} {
		if resp, _ := exchange(t, c, plainGet); resp.StatusCode != 200 {
			t.Fatalf("a connection within the bounds is answered with %d", resp.StatusCode)
		}
	}
	refused := func(from string, status int) {
		t.Helper()
		resp, body := answerOn(t, bufio.NewReader(dialFrom(t, from, at)))
		if resp.StatusCode != status || resp.Header.Get("Retry-After") != "1" || !resp.Close || body == "" {
			t.Errorf("a connection from %s is answered with %d, %v, %q; want %d", from, resp.StatusCode, resp.Header, body, status)
		}
	}
	refused("127.0.0.1", 429)
	other := dialFrom(t, "127.0.0.2", at)
	if resp, _ := exchange(t, other, plainGet); resp.StatusCode != 200 {
		t.Errorf("another address is answered with %d", resp.StatusCode)
	}
	refused("127.0.0.3", 503)
	if got := p.Stats(); got.Open != 3 || got.RefusedAddress != 1 || got.RefusedTotal != 1 {
		t.Errorf("stats = %+v", got)
	}
	_ = first.Close()
	for deadline := time.Now().Add(30 * time.Second); ; { // until the server has noticed
		c := dialFrom(t, "127.0.0.1", at)
		_, _ = io.WriteString(c, plainGet)
		// The answer to a request that was refused unread may be lost.
		if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil && resp.StatusCode == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a place that was given back is not given to another")
		}
	}
}

// TestUnambiguous sends requests whose length is told in one way or in two.
func TestUnambiguous(t *testing.T) {
	t.Parallel()
	const (
		head    = "POST / HTTP/1.1\r\nHost: localhost\r\n"
		counted = head + "Content-Length: 5\r\n\r\nhello"
		chunked = head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
		both    = head + "content-LENGTH: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
		swapped = head + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
	)
	for _, tt := range []struct {
		name     string
		requests []string // sent one after the other's answer
		closes   bool     // after the last
	}{
		{"counted", []string{counted}, false},
		{"chunked", []string{chunked}, false},
		{"counted, then chunked", []string{counted, chunked}, false},
		{"both", []string{both}, true},
		{"both, the other way", []string{swapped}, true},
		{"both, later", []string{counted, chunked, both}, true},
	} {
		for _, secure := range []*tls.Config{nil, certificate(t)} {
			t.Run(fmt.Sprintf("%s, TLS %t", tt.name, secure != nil), func(t *testing.T) {
				t.Parallel()
				c := dialFrom(t, "127.0.0.1", served(t, NewPool(Config{}), secure))
				if secure != nil {
					c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
				}
				r := bufio.NewReader(c)
				for i, request := range tt.requests {
					for _, b := range []byte(request) { // in the smallest pieces
						if _, err := c.Write([]byte{b}); err != nil {
							t.Fatal(err)
						}
					}
					resp, body := answerOn(t, r)
					last := i == len(tt.requests)-1
					if body != "5" || resp.Close != (tt.closes && last) {
						t.Errorf("answer %d has %q, closes %t; want 5, %t", i, body, resp.Close, tt.closes && last)
					}
				}
				if tt.closes {
					if _, err := r.ReadByte(); err == nil {
						t.Error("the connection goes on")
					}
				}
			})
		}
	}
}

// TestPipelined hides a request of two lengths behind another, in one packet.
func TestPipelined(t *testing.T) {
	t.Parallel()
	c := dialFrom(t, "127.0.0.1", served(t, NewPool(Config{}), nil))
	_, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"+
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+plainGet)
	r := bufio.NewReader(c)
	if resp, _ := answerOn(t, r); resp.Close {
		t.Error("the first request ends the connection")
	}
	if resp, _ := answerOn(t, r); !resp.Close {
		t.Error("the connection goes on after a request of two lengths")
	}
	if _, err := r.ReadByte(); err == nil {
		t.Error("what was smuggled is answered")
	}
}

// TestUnheard asks what net/http refuses by itself.
func TestUnheard(t *testing.T) {
	t.Parallel()
	p := NewPool(Config{Refusal: func(status int, reason string) ([]byte, string, string) {
		return fmt.Appendf(nil, "%d %s", status, reason), "application/json", "an-id"
	}})
	at := served(t, p, nil)
	for _, tt := range []struct {
		request, want string
		status        int
	}{
		{"GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 16<<10) + "\r\n\r\n", "431 Request Header Fields Too Large", 431},
		{"GET / HTTP/7.3\r\nHost: a\r\n\r\n", "505 unsupported protocol version", 505},
		{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "501 Unsupported transfer encoding", 501},
		{"GET / HTTP/1.1\r\n\r\n", "400 missing required Host header", 400},
		{"nonsense\r\n\r\n", "400 Bad Request", 400},
	} {
		resp, body := exchange(t, dialFrom(t, "127.0.0.1", at), tt.request)
		if resp.StatusCode != tt.status || !strings.HasPrefix(strings.ToLower(body), strings.ToLower(tt.want)) || !resp.Close ||
			resp.Header.Get("X-Request-Id") != "an-id" || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%.30q is answered with %d, %v, %q; want %q", tt.request, resp.StatusCode, resp.Header, body, tt.want)
		}
	}
}

func TestFailedHandshakes(t *testing.T) {
	t.Parallel()
	p := NewPool(Config{})
	at := served(t, p, certificate(t))
	resp, body := exchange(t, dialFrom(t, "127.0.0.1", at), plainGet)
	if resp.StatusCode != 400 || !strings.Contains(body, "https://") {
		t.Errorf("plain HTTP is answered with %d %q", resp.StatusCode, body)
	}
	noise := dialFrom(t, "127.0.0.1", at)
	_, _ = io.WriteString(noise, "\x16\x03\x01\x00\x05hello")
	_, _ = io.Copy(io.Discard, noise) // until the server hangs up
	if got := p.Stats().FailedHandshakes; got != 2 {
		t.Errorf("%d handshakes failed, want 2", got)
	}
}

// certificate returns the settings of a server whose certificate nobody knows.
func certificate(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// FuzzHeads compares what is seen of bytes in pieces with what is seen of them whole,
// and that with the lines that there are.
func FuzzHeads(f *testing.F) {
	f.Add([]byte("POST / HTTP/1.1\r\nContent-Length: 1\r\nTRANSFER-encoding: chunked\r\n\r\n"), uint8(3))
	f.Add([]byte("content-length:content-length:\ntransfer-encoding\n:\n\n"), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, step uint8) {
		var whole, pieces heads
		whole.scan(b)
		for rest := b; len(rest) > 0; {
			n := min(len(rest), int(step)+1)
			pieces.scan(rest[:n])
			rest = rest[n:]
		}
		if whole != pieces {
			t.Fatalf("whole: %+v, in pieces: %+v", whole, pieces)
		}
		var want heads
		for line := range bytes.SplitSeq(b, []byte("\n")) {
			line = asciiLower(line)
			want.length = want.length || bytes.HasPrefix(line, []byte(contentLength))
			want.encoding = want.encoding || bytes.HasPrefix(line, []byte(transferEncoding))
		}
		if whole.length != want.length || whole.encoding != want.encoding {
			t.Fatalf("scan sees %t %t, want %t %t", whole.length, whole.encoding, want.length, want.encoding)
		}
	})
}

func asciiLower(b []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, b)
}
