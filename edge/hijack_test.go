package edge

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestHijack: a connection that was handed over is logged as 101, with what was
// written to it.
func TestHijack(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	done := make(chan struct{})
	h := Access(slog.New(slog.NewTextHandler(&log, nil)), time.Minute)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		if _, ok := conn.(interface{ NetConn() net.Conn }).NetConn().(*net.TCPConn); !ok {
			t.Error("the connection beneath is hidden")
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\n\r\n")
		_ = conn.Close()
	}))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	resp, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	<-done
	if got := log.String(); !strings.Contains(got, "status=101 bytes=36 ") {
		t.Errorf("log has %s, want status=101 bytes=36", got)
	}
}

// TestNoHijack: a writer that cannot be taken over says so.
func TestNoHijack(t *testing.T) {
	t.Parallel()
	h := Access(slog.New(slog.DiscardHandler), 0)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, _, err := w.(http.Hijacker).Hijack(); err == nil {
			t.Error("Hijack of a recorder = nil, want an error")
		}
	}))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}
