package main

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// TestLengthyLiveDrains stops a server: sockets that idle are closed, what has begun
// comes to its end.
func TestLengthyLiveDrains(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	var idle, begun []*socket
	for _, kind := range kinds {
		idle = append(idle, s.connect(kind))
		c := s.connect(kind)
		c.say(story + "And half")
		c.flush()
		c.begun()
		begun = append(begun, c)
	}
	began := time.Now()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	for _, c := range idle {
		if got := c.listen(); got.closed != websocket.CloseGoingAway || got.code != "" {
			t.Errorf("an idle %s socket ended with %s, want 1001", c.kind, got)
		}
	}
	t.Logf("idle sockets were closed %v after SIGTERM", time.Since(began).Round(time.Millisecond))
	for _, c := range begun {
		c.say(" a sentence.")
		c.end()
		got := c.listen()
		// A socket of contexts is told to go when they are said.
		if !got.final || got.code != "" || got.closed != websocket.CloseNormalClosure && c.kind != "multi" {
			t.Errorf("a %s socket that had begun ended with %s", c.kind, got)
		}
	}
	<-s.done
	if status := s.cmd.ProcessState.ExitCode(); status != 0 {
		t.Errorf("exit %d, want 0; log: %s", status, s.log)
	}
}

// TestLengthyLiveDrainTimeout: a socket that never ends does not keep a server, nor does
// one whose client has stopped reading. Nobody did anything wrong, so the
// records of their requests say why, and speak of no fault.
func TestLengthyLiveDrainTimeout(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t, "--drain-timeout", "500ms")
	var open []*socket
	for _, kind := range kinds {
		c := s.connect(kind)
		c.say(story)
		c.flush()
		c.begun()
		open = append(open, c)
	}
	stalled := s.connect("native")
	stalled.say(strings.Repeat(story, 40))
	stalled.flush()
	stalled.begun()
	began := time.Now()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	for _, c := range open {
		if got := c.listen(); got.closed != websocket.CloseGoingAway || got.code != "server_stopping" {
			t.Errorf("a %s socket ended with %s, want server_stopping and 1001", c.kind, got)
		}
	}
	<-s.done
	t.Logf("the server ended %v after SIGTERM", time.Since(began).Round(time.Millisecond))
	if status := s.cmd.ProcessState.ExitCode(); status != 1 {
		t.Errorf("exit %d, want 1; log: %s", status, s.log)
	}
	for _, r := range s.records() {
		if r.Code != "server_stopping" {
			t.Errorf("a socket that was cut by the end of the server is recorded as %+v", r)
		}
	}
}

// TestLengthyLiveRolling replaces servers while sockets speak to them: none is broken.
func TestLengthyLiveRolling(t *testing.T) {
	slow(t)
	t.Parallel()
	rollLive(t, 2, 50)
}

// TestSoakLiveRolling does so many times.
func TestSoakLiveRolling(t *testing.T) {
	soak(t)
	rollLive(t, 20, 200)
}

func rollLive(t *testing.T, restarts int, sockets int64) {
	s := start(t)
	want := map[string][]byte{}
	text := strings.Repeat(story, 3)
	for _, kind := range kinds {
		got := s.hear(kind, text)
		if !got.whole() {
			t.Fatalf("%s: %s", kind, got)
		}
		want[kind] = bytes.Clone(got.audio)
	}
	var done atomic.Bool
	var spoken atomic.Int64
	var load sync.WaitGroup
	for i := range 10 {
		kind := kinds[i%3]
		load.Go(func() {
			for !done.Load() && !t.Failed() {
				c, a := s.dial(s.key, kind, "")
				if c == nil {
					t.Errorf("after %d sockets: %s = %d %s", spoken.Load(), a.what, a.status, a.body)
					return
				}
				for _, part := range strings.SplitAfter(text, " ") {
					c.say(part)
				}
				c.end()
				// One that was opened just before it had to go may be told so before
				// it said anything; what was begun comes to its end.
				if got := c.listen(); !got.final || !sameButForPause(got.audio, want[kind]) {
					t.Errorf("after %d sockets a %s one: %s, want %d bytes", spoken.Load(), kind, got, len(want[kind]))
				}
				_ = c.Close()
				spoken.Add(1)
			}
		})
	}
	rolled := 0
	for current := s; ; rolled++ {
		if rolled >= restarts && spoken.Load() >= sockets || t.Failed() {
			done.Store(true)
			load.Wait()
			current.stop()
			break
		}
		next := current.successor()
		current.stop()
		current = next
	}
	t.Logf("%d restarts, %d sockets", rolled, spoken.Load())
}
