package connection

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
)

// counting counts the writes to the connections of a listener.
type counting struct {
	net.Listener
	writes atomic.Int64
}

func (l *counting) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &countedConn{c, l}, err
}

type countedConn struct {
	net.Conn
	of *counting
}

func (c *countedConn) Write(p []byte) (int, error) {
	c.of.writes.Add(1)
	return c.Conn.Write(p)
}

// flushing is what [Write] needs of a writer.
type flushing struct{ http.ResponseWriter }

func (f flushing) FlushError() error { return http.NewResponseController(f.ResponseWriter).Flush() }

// TestWrite checks that answers arrive whole, those of a few KiB with one write, and that a handler
// that panics in the middle can still be answered for.
func TestWrite(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &counting{Listener: inner}
	server := &http.Server{ConnContext: Keep, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Query().Get("bytes"))
		if err != nil {
			t.Error(err)
		}
		body := bytes.Repeat([]byte("0123456789abcdef"), n/16)
		if r.URL.Path == "/panic" {
			defer func() {
				_ = recover()
				_, _ = io.WriteString(w, "refused")
			}()
			_ = Write(panicking{flushing{w}}, r, body)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		if err := Write(flushing{w}, r, body); err != nil {
			t.Error(err)
		}
	})}
	go func() { _ = server.Serve(NewPool(Config{}).Listener(l, nil)) }()
	t.Cleanup(func() { _ = server.Close() })
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	get := func(path string) string {
		res, err := client.Get("http://" + inner.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	for _, n := range []int{0, 16, netHTTP, 3 << 10, 4 << 10, 8 << 10, maxHeld, maxHeld + 16, 1 << 20} {
		before := l.writes.Load()
		if got := get("/?bytes=" + strconv.Itoa(n)); len(got) != n {
			t.Errorf("of %d bytes %d arrived", n, len(got))
		}
		if writes := l.writes.Load() - before; n <= maxHeld && writes != 1 {
			t.Errorf("%d bytes were sent with %d writes, want 1", n, writes)
		}
	}
	if got := get("/panic?bytes=8192"); got != "refused" {
		t.Errorf("after a panic the answer is %.40q, want that of the handler", got)
	}
}

// panicking panics when it is written to.
type panicking struct{ flushing }

func (panicking) Write([]byte) (int, error) { panic("a fault of the program") }
