package main

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// soak says how long the long loops run; they are for `make soak` only.
func soak(t *testing.T) time.Duration {
	t.Helper()
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("a long loop: run it with make soak")
	}
	return 2 * time.Minute
}

// TestSoakKills kills children and the fork server at random while streams
// run: every one of them must come out whole, byte for byte.
func TestSoakKills(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), soak(t))
	defer cancel()
	s := start(t)
	body := long(story)
	want := s.mustSpeak(body)
	var spoken, kills atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				got, err := s.speak(body)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("a stream came out with %v and %d bytes, want the same %d", err, len(got), len(want))
					return
				}
				spoken.Add(1)
			}
		})
	}
	wg.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			victims := s.speaking()
			if rand.IntN(4) == 0 {
				victims = s.workers()
			}
			if len(victims) > 0 && syscall.Kill(victims[rand.IntN(len(victims))], syscall.SIGKILL) == nil {
				kills.Add(1)
			}
		}
	})
	wg.Wait()
	t.Logf("%d streams came out whole beside %d kills", spoken.Load(), kills.Load())
	s.stop()
}

// TestSoakLeavers opens streams and leaves them at random: nothing stays.
func TestSoakLeavers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), soak(t))
	defer cancel()
	s := start(t)
	var left atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for ctx.Err() == nil {
				one, leave := context.WithCancel(ctx)
				resp, err := http.DefaultClient.Do(s.request(one, long(story)))
				if err == nil {
					_, _ = io.CopyN(io.Discard, resp.Body, rand.Int64N(1<<20))
					_ = resp.Body.Close()
				}
				leave()
				left.Add(1)
			}
		})
	}
	wg.Wait()
	if !eventually(func() bool { return len(s.speaking()) == 0 }) {
		t.Errorf("%d children are left", len(s.speaking()))
	}
	for _, w := range s.workers() {
		if n := descriptors(w); n > 16 {
			t.Errorf("worker %d holds %d descriptors", w, n)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if !eventually(func() bool { return descriptors(s.cmd.Process.Pid) < 64 }) {
		t.Errorf("the server holds %d descriptors", descriptors(s.cmd.Process.Pid))
	}
	t.Logf("%d clients left", left.Load())
	s.stop()
}
