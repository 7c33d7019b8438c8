package main

import (
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/gorilla/websocket"

	"vaak/engine/enginetest"
)

// TestLengthyLiveEngineAway takes the engine from under sockets and gives it back: what
// cannot be spoken is said to be so and costs nothing, who idles can speak later.
func TestLengthyLiveEngineAway(t *testing.T) {
	slow(t)
	t.Parallel()
	worker := filepath.Join(t.TempDir(), "worker")
	program, err := os.ReadFile(enginetest.Worker(t))
	if err == nil {
		err = os.WriteFile(worker, program, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, "--espeak-worker", worker)
	s.vaak("plan", "set", "large", "--characters", "1000000", "--rpm", "100000", "--streams", "100")
	_, key := s.customer("Large", "large")
	var idle, begun []*socket
	for _, kind := range kinds {
		idle = append(idle, s.mustDial(key, kind))
		c := s.mustDial(key, kind)
		c.say(whisper)
		c.flush()
		c.begun()
		begun = append(begun, c)
	}
	if err := os.Rename(worker, worker+".away"); err != nil {
		t.Fatal(err)
	}
	for _, pid := range s.workers() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	var wg sync.WaitGroup
	for _, c := range begun {
		wg.Go(func() {
			c.say(" " + story)
			c.end()
			if got := c.listen(); got.code != "engine_unavailable" || got.closed != websocket.CloseInternalServerErr && c.kind != "multi" {
				t.Errorf("a %s socket without an engine: %s, want engine_unavailable and 1011", c.kind, got)
			}
		})
	}
	wg.Wait()
	s.say(key, whisper).expect(t, http.StatusServiceUnavailable, "engine_unavailable")
	if u := s.usage(key); u.Month.Used != 0 {
		t.Errorf("%d characters are charged for what broke off", u.Month.Used)
	}
	if err := os.Rename(worker+".away", worker); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool { return s.say(s.key, "Back.").status == http.StatusOK }) {
		t.Fatalf("the engine does not come back: %.2000s", s.log.String()[max(0, len(s.log.String())-2000):])
	}
	for _, c := range idle {
		c.say(whisper)
		c.end()
		if got := c.listen(); !got.whole() {
			t.Errorf("a %s socket that idled through it ended with %s", c.kind, got)
		}
	}
	s.stop()
}
