package transport

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// TestSoakAbandonedSessions sets up five times as many sessions as there is
// room for, and watches the heap: it must stop growing when the room is full.
func TestSoakAbandonedSessions(t *testing.T) {
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("set VAAK_SOAK=1 for long loops")
	}
	p := protocol(newGate())
	h := newHandler(t, Config{Server: p, Sessions: true})
	const most = 10_000
	empty := heap()
	var full uint64
	for i := range 5 * most {
		a := record(h, http.MethodPost, hello, "X-Test-Key", fmt.Sprint("key ", i%100))
		if a.header.Get(sessionName) == "" {
			t.Fatalf("initialize %d = %d %s", i, a.status, a.last())
		}
		if i == most-1 {
			full = heap()
		}
	}
	end := heap()
	if n := h.sessions.Len(); n != most {
		t.Errorf("%d sessions are kept, want %d", n, most)
	}
	if asked, told := known(h, p); asked+told != 0 {
		t.Errorf("the library keeps %d and %d sessions, want none", asked, told)
	}
	t.Logf("heap: %d bytes empty, %d with %d sessions (%d each), %d after %d more", empty, full, most, (full-empty)/most, end, 4*most)
	if end > full+full/10 {
		t.Errorf("heap grew from %d to %d bytes with as many sessions", full, end)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC() // pools are emptied by the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkInitialize sets up connections, which nobody uses.
func BenchmarkInitialize(b *testing.B) {
	for _, sessions := range []bool{true, false} {
		b.Run(fmt.Sprintf("sessions=%t", sessions), func(b *testing.B) {
			h := newHandler(b, Config{Sessions: sessions})
			b.ReportAllocs()
			for b.Loop() {
				record(h, http.MethodPost, hello, "X-Test-Key", "key")
			}
		})
	}
}

// BenchmarkCall calls a tool over a network, from 16 clients: of the older
// versions with a session and without, and of 2026-07-28.
func BenchmarkCall(b *testing.B) {
	for _, who := range []string{"session", "session that can be asked", "stateless", "modern", "initialize and call"} {
		b.Run(who, func(b *testing.B) {
			e := listen(b, newHandler(b, Config{Sessions: who != "stateless"}))
			b.SetParallelism(8)
			var clients atomic.Int64
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				header, body := []string{"X-Test-Key", fmt.Sprint("key ", clients.Add(1))}, call(1, "say", nil)
				switch who {
				case "session":
					header = append(header, sessionName, e.send(http.MethodPost, strings.Replace(hello, `"elicitation":{}`, "", 1), header...).header.Get(sessionName))
				case "session that can be asked":
					header = append(header, sessionName, e.initialize(header...))
				case "modern":
					header, body = append(header, modern("say")...), modernCall(1, "say", nil)
				}
				for pb.Next() {
					with := header
					if who == "initialize and call" {
						with = append(header[:2:2], sessionName, e.initialize(header...))
					}
					if a := e.send(http.MethodPost, body, with...); text(a.last()) != "hi" {
						b.Errorf("call = %d %s", a.status, a.last())
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}
