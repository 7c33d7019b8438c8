package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vaak/audio"
	"vaak/workshop/bench/server"
)

// testServer answers as the servers that are measured do.
func testServer(t *testing.T) *server.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /chunks", func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body) // short
		for _, part := range bytes.SplitAfter(text, []byte(" ")) {
			_, _ = w.Write(part) // the client sees what is missing
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("POST /length", func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body) // short
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		_, _ = w.Write(text) // the client sees what is missing
	})
	mux.HandleFunc("POST /cached", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Cache", "hit") })
	ts := httptest.NewServer(mux)
	t.Cleanup(ts.Close)
	return &server.Server{Name: "test", Addr: ts.Listener.Addr().String(), Format: audio.Format{Codec: audio.PCM, SampleRate: 22050}}
}

func post(path, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: test\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

func dialTest(t *testing.T) *Client {
	t.Helper()
	c, err := Dial(testServer(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestClientReadsBodies(t *testing.T) {
	t.Parallel()
	c := dialTest(t)
	long := strings.Repeat("many words ", 40_000)
	for _, path := range []string{"/chunks", "/length", "/chunks"} { // on one connection
		for _, body := range []string{"one two three", "x", long} {
			if path == "/chunks" && body == long {
				body = strings.Repeat("chunk ", 300) + strings.Repeat("y", 200_000)
			}
			if err := c.Ask(post(path, body)); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			var got strings.Builder
			for {
				b, err := c.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s after %d bytes: %v", path, got.Len(), err)
				}
				got.Write(b)
			}
			if got.String() != body {
				t.Errorf("%s: got %d bytes, want the %d that were sent", path, got.Len(), len(body))
			}
		}
	}
}

func TestClientFirst(t *testing.T) {
	t.Parallel()
	c := dialTest(t)
	d, err := c.First(post("/chunks", "head and body"), 4)
	if err != nil || d <= 0 {
		t.Fatalf("first = %v, %v", d, err)
	}
	if n, err := c.Count(nil); err != nil || n >= 9 {
		t.Errorf("after the first byte there were %d bytes, %v; want less than the 9 after the header", n, err)
	}
	if _, err := c.First(post("/chunks", "head"), 4); err == nil {
		t.Error("first finds audio in a body that is a header only")
	}
}

func TestClientRefuses(t *testing.T) {
	t.Parallel()
	c := dialTest(t)
	if err := c.Ask(post("/nowhere", "x")); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a status 404 gives the error %v", err)
	}
	if err := dialTest(t).Ask(post("/cached", "x")); err == nil {
		t.Error("an answer from a cache is taken")
	}
}

func TestClientSeesABrokenBody(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nsize\r\nhalf\r\n",
		"HTTP/1.1 200 OK\r\n\r\n",
		"nonsense\r\n\r\n",
		"",
	} {
		near, far := net.Pipe()
		go func() {
			_, _ = far.Read(make([]byte, 100)) // the request
			_, _ = io.WriteString(far, answer) // the client sees what is missing
			_ = far.Close()
		}()
		c := &Client{conn: near, Buf: make([]byte, 4096)}
		if n, err := c.Whole([]byte("x")); err == nil {
			t.Errorf("a body of %d bytes is read from %q", n, answer)
		}
		c.Close()
	}
}
