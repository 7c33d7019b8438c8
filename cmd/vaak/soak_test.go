package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vaak/audio"
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

// TestSoakShort asks 100,000 short things in all formats and checks that the
// server's memory does not grow after the first thousand, and that no child, no
// socket and no file of an answer is left behind.
func TestSoakShort(t *testing.T) {
	soak(t)
	const settled, total = 1000, 100_000
	s := start(t, "--cache-bytes=50000000")
	began, first := time.Now(), 0
	for _, upTo := range []int{settled, total / 10, total / 4, total / 2, total} {
		var next atomic.Int64
		next.Store(int64(first))
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for n := next.Add(1); n <= int64(upTo) && !t.Failed(); n = next.Add(1) {
					if err := s.askShort(int(n)); err != nil {
						t.Errorf("request %d: %v", n, err)
					}
				}
			})
		}
		wg.Wait()
		first = upTo
		memory := s.memory()
		t.Logf("after %d requests, %.0f s: %d KiB", upTo, time.Since(began).Seconds(), memory)
		if upTo == settled {
			defer func(before int) {
				if after := s.memory(); float64(after) > 1.1*float64(before) {
					t.Errorf("%d KiB after %d requests, %d after %d; want at most 10 %% more", before, settled, after, total)
				}
				s.stop()
			}(memory)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if !eventually(func() bool { return len(s.speaking()) == 0 && descriptors(s.cmd.Process.Pid) < 64 }) {
		t.Errorf("%d children and %d descriptors are left", len(s.speaking()), descriptors(s.cmd.Process.Pid))
	}
	drafts, err := filepath.Glob(filepath.Join(s.dir, "cache", "*.draft*"))
	if err != nil || len(drafts) > 0 {
		t.Errorf("drafts are left: %v, %v", drafts, err)
	}
}

// askShort asks the n-th of many short things.
func (s *server) askShort(n int) error {
	words := []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	text := fmt.Sprintf("%s %s and %s.", words[n%10], words[n/10%10], words[n/100%10])
	if n%7 == 0 {
		text = fmt.Sprintf("%d हज़ार", n%1000)
	}
	_, err := s.speak(map[string]any{
		"input":           text,
		"response_format": audio.Codecs[n%len(audio.Codecs)],
		"sample_rate":     audio.SampleRates[n/8%len(audio.SampleRates)],
		"stream":          n%3 == 0,
		"speed":           1 + float64(n%5)/10,
	})
	return err
}

// memory returns the resident memory of the server and its workers in KiB.
func (s *server) memory() int {
	total := 0
	for _, pid := range append(s.workers(), s.cmd.Process.Pid) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue // it has just been replaced
		}
		_, rest, found := strings.Cut(string(b), "VmRSS:")
		if !found {
			continue // it has ended and is not collected yet
		}
		fields := strings.Fields(rest)
		kib, err := strconv.Atoi(fields[0])
		if err != nil {
			s.t.Fatalf("VmRSS of %d: %v", pid, err)
		}
		total += kib
	}
	return total
}
