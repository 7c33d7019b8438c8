package live

import (
	"runtime"
	"testing"

	"github.com/gorilla/websocket"
)

// TestIdleMemory: a socket that waits costs less than 100 KiB, the client's end
// included. It does not run beside other tests, whose memory it would count.
func TestIdleMemory(t *testing.T) {
	const sockets, most = 500, 100 << 10
	s := serve(t, newSite(t, Config{Speech: humming(t)}))
	measure := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before := measure()
	var conns []*websocket.Conn
	for range sockets {
		conn, _, err := s.connect(t.Context(), voicePath)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
		if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"text":" ","voice_settings":{"speed":1}}`)); err != nil {
			t.Fatal(err)
		}
	}
	cost := (measure() - before) / sockets
	t.Logf("an idle socket costs %d bytes, both ends", cost)
	if cost > most {
		t.Errorf("an idle socket costs %d bytes, want at most %d", cost, most)
	}
	for _, conn := range conns {
		_ = conn.Close()
	}
	poll(t, func() bool { return s.accounts.held.Load() == 0 })
}
