package main

import (
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestLengthyLiveKills kills the children that speak and the fork server while eight
// sockets speak: each hears every sample, as if nothing had been.
func TestLengthyLiveKills(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	text := strings.Repeat(story, 8)
	want := map[string]*heard{}
	speak := func(kind string) *heard {
		c := s.connect(kind)
		for _, word := range strings.SplitAfter(text, " ") {
			c.say(word)
		}
		c.end()
		return c.listen()
	}
	for _, kind := range kinds {
		want[kind] = speak(kind)
		if !want[kind].whole() {
			t.Fatalf("%s: %s", kind, want[kind])
		}
	}
	var clients, killer sync.WaitGroup
	over := make(chan struct{})
	kills := 0
	killer.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for n := 0; n < 30; n++ {
			select {
			case <-tick.C:
			case <-over:
				return
			}
			victims := s.speaking()
			if n%5 == 4 {
				victims = s.workers()
			}
			if len(victims) > 0 && syscall.Kill(victims[n%len(victims)], syscall.SIGKILL) == nil {
				kills++
			}
		}
	})
	for i := range 8 {
		clients.Go(func() {
			kind := kinds[i%3]
			if got := speak(kind); !got.whole() || !sameButForPause(got.audio, want[kind].audio) {
				t.Errorf("beside the kills a %s socket is %s, want the same %d bytes", kind, got, len(want[kind].audio))
			}
		})
	}
	clients.Wait()
	close(over)
	killer.Wait()
	if kills == 0 {
		t.Error("nothing was killed")
	}
	t.Logf("%d kills", kills)
	s.stop()
}
