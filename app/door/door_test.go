package door

import (
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"
)

// TestDrainBeforeServe stops a server before the goroutine of its door has run, as a
// signal does that comes at once.
func TestDrainBeforeServe(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := New(t.Context(), l, http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	drained := make(chan error, 1)
	go func() { drained <- d.Drain(t.Context()) }()
	<-d.Draining()
	if err := d.Serve(); err != nil {
		t.Errorf("Serve of a door that drains = %v, want nil", err)
	}
	if err := <-drained; err != nil {
		t.Errorf("Drain before Serve = %v", err)
	}
	if c, err := net.DialTimeout("tcp", l.Addr().String(), time.Second); err == nil {
		_ = c.Close()
		t.Error("the listener of a drained door still accepts")
	}
}
