package edge

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are in memory, so that their time is that of
// the bubble.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

func TestArrive(t *testing.T) {
	t.Parallel()
	const announced = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n"
	whole := func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		sends   string
		drains  bool // as the request comes
		status  int
		within  time.Duration // the answer
		closes  bool
	}{
		{"it comes", whole, announced + "0123456789", false, 200, 0, false},
		{"it never comes", whole, announced, false, 400, 10 * time.Second, true},
		{"half of it comes", whole, announced + "01234", false, 400, 10 * time.Second, true},
		{"a piece of it never comes", whole, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", false, 400, 10 * time.Second, true},
		{"it is refused unread", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, announced, false, 401, bodyGrace, true},
		{"it is refused by nothing but an end", func(http.ResponseWriter, *http.Request) {}, announced, false, 200, bodyGrace, true},
		{"the server stops", whole, announced, true, 400, bodyGrace, true},
		{"the answer takes long", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			select {
			case <-r.Context().Done():
				w.WriteHeader(http.StatusTeapot)
			case <-time.After(time.Hour):
			}
		}, announced + "0123456789", false, 200, time.Hour, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				drains, drain := context.WithCancel(t.Context())
				defer drain()
				l := make(pipes)
				server := &http.Server{Handler: Chain(tt.handler, Arrive(drains, BodyPatience))}
				go func() { _ = server.Serve(l) }()
				defer server.Close()
				ours, theirs := net.Pipe()
				defer ours.Close()
				l <- theirs
				begun := time.Now()
				go func() { _, _ = io.WriteString(ours, tt.sends) }()
				if tt.drains {
					synctest.Wait()
					drain()
				}
				r := bufio.NewReader(ours)
				resp, err := http.ReadResponse(r, nil)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begun); resp.StatusCode != tt.status || took > tt.within {
					t.Errorf("answered with %d after %v; want %d within %v", resp.StatusCode, took, tt.status, tt.within)
				}
				if !tt.closes {
					return
				}
				if _, err := r.ReadByte(); err == nil || time.Since(begun) > tt.within+bodyGrace {
					t.Errorf("the connection ends with %v after %v", err, time.Since(begun))
				}
			})
		})
	}
}
