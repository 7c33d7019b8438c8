package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

const story = "The old lighthouse stood on a rock. Nobody had lived there for years. One evening, a light appeared in its window! "

func long(text string) map[string]any {
	return map[string]any{"input": strings.Repeat(text, 4000/len(text)), "stream": true, "response_format": "pcm", "lang": "en"}
}

func TestServeSpeaksAndDrains(t *testing.T) {
	t.Parallel()
	s := start(t)
	wav := s.mustSpeak(map[string]any{"input": "Hello, world."})
	if !bytes.HasPrefix(wav, []byte("RIFF")) || int(binary.LittleEndian.Uint32(wav[4:])) != len(wav)-8 {
		t.Errorf("answer is no whole WAV: %d bytes, begins %q", len(wav), wav[:min(12, len(wav))])
	}
	workers := s.workers()
	s.stop()
	if len(workers) == 0 || !eventually(func() bool { return !slices.ContainsFunc(workers, running) }) {
		t.Errorf("engine workers %v outlive the server", workers)
	}
}

func TestDrainFinishesWhatRuns(t *testing.T) {
	t.Parallel()
	s := start(t)
	want := s.mustSpeak(long(story))
	resp, err := http.DefaultClient.Do(s.request(t.Context(), long(story)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool { return strings.Contains(s.log.String(), "draining") }) {
		t.Fatal("the server does not drain")
	}
	rest, err := io.ReadAll(resp.Body)
	if err != nil || len(rest)+1000 != len(want) {
		t.Errorf("the running stream ended with %v after %d of %d bytes", err, len(rest)+1000, len(want))
	}
	<-s.done
	if s.err != nil {
		t.Errorf("exit after SIGTERM: %v", s.err)
	}
}

func TestSameRequestSameBytes(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, body := range []map[string]any{
		{"input": story, "lang": "en"},
		{"input": "नमस्ते, यह एक test है।", "sample_rate": 8000, "response_format": "pcm", "stream": true},
		{"input": "Привет, мир", "speed": 1.3},
	} {
		want := s.mustSpeak(body)
		s.mustSpeak(map[string]any{"input": "வணக்கம்", "lang": "ta"})
		if got := s.mustSpeak(body); !bytes.Equal(got, want) {
			t.Errorf("%v: the second answer differs: %d bytes, want the same %d", body["input"], len(got), len(want))
		}
		s.stop()
		s.serve()
		if got := s.mustSpeak(body); !bytes.Equal(got, want) {
			t.Errorf("%v: after a restart the answer differs: %d bytes, want the same %d", body["input"], len(got), len(want))
		}
	}
}

// TestCrashingTextLeavesOthersAlone speaks a text that aborts the engine's
// library while 8 other streams run.
func TestCrashingTextLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	want := s.mustSpeak(long(story))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got, err := s.speak(long(story)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("a stream beside a crash: %v, %d bytes, want the same %d", err, len(got), len(want))
			}
		})
	}
	wg.Go(func() {
		got, err := s.speak(map[string]any{"input": strings.Repeat("a.b.c.d.", 60), "response_format": "pcm"})
		if seconds := float64(len(got)) / 48000; err != nil || seconds < 30 {
			t.Errorf("240 letters: %v, %.1f s", err, seconds)
		}
	})
	wg.Wait()
}

func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	s := start(t)
	body := long(story)
	want := s.mustSpeak(body)

	resp, err := http.DefaultClient.Do(s.request(t.Context(), body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got := make([]byte, 1000)
	if _, err := io.ReadFull(resp.Body, got); err != nil {
		t.Fatal(err)
	}
	for _, pid := range append(s.speaking(), s.workers()...) {
		// One that has just ended, since its part of the text is done, is as
		// good as killed.
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
	}
	next := s.mustSpeak(map[string]any{"input": "Still here."})
	rest, err := io.ReadAll(resp.Body)
	if got = append(got, rest...); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the stream whose child was killed: %v, %d bytes, want the same %d", err, len(got), len(want))
	}
	if len(next) == 0 {
		t.Error("the next request has no audio")
	}
	s.stop()
}

func TestServerThatIsKilledLeavesNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	resp, err := http.DefaultClient.Do(s.request(t.Context(), long(story)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	pids := append(s.forked(), s.workers()...)
	_ = s.end(syscall.SIGKILL)
	if !eventually(func() bool { return !slices.ContainsFunc(pids, running) }) {
		t.Errorf("processes %v outlive a killed server", pids)
	}
}

func TestDisconnectFreesTheChild(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	const streams = 50
	var started, done sync.WaitGroup
	started.Add(streams)
	for range streams {
		done.Go(func() {
			defer started.Done()
			resp, err := http.DefaultClient.Do(s.request(ctx, long(story)))
			if err != nil {
				t.Errorf("speak: %v", err)
				return
			}
			if _, err := io.ReadFull(resp.Body, make([]byte, 100)); err != nil {
				t.Errorf("read: %v", err)
			}
			done.Go(func() {
				<-ctx.Done()
				_ = resp.Body.Close()
			})
		})
	}
	started.Wait()
	if len(s.speaking()) == 0 {
		t.Error("nothing is being spoken")
	}
	cancel()
	done.Wait()
	if !eventually(func() bool { return len(s.speaking()) == 0 }) {
		t.Errorf("%d children are left", len(s.speaking()))
	}
	s.mustSpeak(map[string]any{"input": "Next."})
	s.stop()
}

func TestRevokedKeyIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.mustSpeak(map[string]any{"input": "Hello."})
	org, _, _ := strings.Cut(s.vaak("org", "list"), "\t")
	id, _, _ := strings.Cut(s.vaak("key", "list", "--org", org), "\t")
	s.vaak("key", "revoke", id)
	if _, err := s.speak(map[string]any{"input": "Hello."}); err == nil || !strings.Contains(err.Error(), "invalid_api_key") {
		t.Errorf("with a revoked key: %v, want invalid_api_key", err)
	}
}

func TestAdminListener(t *testing.T) {
	t.Parallel()
	s := start(t)
	for path, want := range map[string]int{"/livez": 200, "/readyz": 200, "/metrics": 200, "/debug/pprof/": 404, "/v1/voices": 404} {
		resp, err := http.Get(s.admin + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("GET admin %s = %d, want %d", path, resp.StatusCode, want)
		}
	}
}
