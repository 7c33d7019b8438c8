package door

import (
	"log/slog"
	"net"
	"testing"
	"time"
)

// TestGiveWay waits for connections that nobody has accepted yet, which the kernel resets when
// the listener closes.
func TestGiveWay(t *testing.T) {
	t.Parallel()
	l, shared, err := Take(t.Context(), "127.0.0.1:0", nil)
	if err != nil || shared {
		t.Fatalf("Take = shared %v, %v", shared, err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if !queued(l) {
		t.Fatal("a connection that waits is not seen")
	}
	began, over := time.Now(), make(chan struct{})
	go func() {
		defer close(over)
		GiveWay(t.Context(), slog.New(slog.DiscardHandler), l)
	}()
	select {
	case <-over:
		if took := time.Since(began); took < queueLimit { // else the machine stood still
			t.Fatalf("it has left a connection in the queue after %v", took)
		}
	case <-time.After(2 * settle):
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	<-over
	if queued(l) {
		t.Error("a connection that was accepted waits")
	}
}
