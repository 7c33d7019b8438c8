package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"vaak/engine/enginetest"
	"vaak/internal/needed"
	"vaak/voice"
)

// ailing is a server whose worker and data are copies that a test can spoil.
type ailing struct {
	*server
	worker, data string // files of it
}

func startAiling(t *testing.T) *ailing {
	t.Helper()
	from := needed.SpeechData(t)
	dir := t.TempDir()
	a := &ailing{worker: filepath.Join(dir, "worker"), data: filepath.Join(dir, "espeak-ng-data")}
	if err := os.CopyFS(a.data, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	a.replace(t, enginetest.Worker(t))
	a.server = start(t, "--espeak-worker", a.worker, "--espeak-data", dir)
	return a
}

// replace puts another program in the place of the worker.
func (a *ailing) replace(t *testing.T, by string) {
	t.Helper()
	program, err := os.ReadFile(by)
	if err != nil {
		t.Fatal(err)
	}
	a.write(t, program)
}

func (a *ailing) write(t *testing.T, program []byte) {
	t.Helper()
	err := os.WriteFile(a.worker+".new", program, 0o700)
	if err == nil {
		err = os.Rename(a.worker+".new", a.worker)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// become has all workers be another program from now on. Its first line has all of it: a shell
// that opens its script after the kernel did would read, and run, what took its place since.
func (a *ailing) become(t *testing.T, script string) {
	t.Helper()
	a.write(t, []byte("#!/usr/bin/env -S sh -c '"+script+"'\n"))
	a.lose()
}

// lose kills all workers, and the children that would speak without them.
func (a *ailing) lose() {
	workers, waiting := a.workers(), a.waiting()
	a.signal(syscall.SIGKILL, workers) // first, so that they make no others
	a.signal(syscall.SIGKILL, waiting)
}

func (a *ailing) signal(sig syscall.Signal, pids []int) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, sig) // it may have ended
	}
}

// bytes speaks, which must go well, and returns the audio.
func (a *ailing) bytes(text, language string) string {
	a.t.Helper()
	return string(a.mustSpeak(map[string]any{"input": text, "lang": language, "response_format": "pcm"}))
}

// refused expects all ways to speak to be refused at once, and nothing to be charged.
func (a *ailing) refused(text, language string) {
	a.t.Helper()
	began := time.Now()
	longest := time.Duration(0)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 3 {
		for _, extra := range []map[string]any{{}, {"stream": true}, {"stream_format": "sse"}} {
			wg.Go(func() {
				body := map[string]any{"input": text, "lang": language, "response_format": "pcm"}
				for k, v := range extra {
					body[k] = v
				}
				got := a.ask(http.MethodPost, "/v1/audio/speech", a.key, body)
				got.expect(a.t, http.StatusServiceUnavailable, "engine_unavailable")
				if got.header.Get("Retry-After") == "" {
					a.t.Errorf("%v: no Retry-After", extra)
				}
				mu.Lock()
				defer mu.Unlock()
				longest = max(longest, time.Since(began))
			})
		}
	}
	wg.Wait()
	inTime(a.t, longest, 2*time.Second)
	a.t.Logf("nine at once were refused within %v", longest.Round(time.Millisecond))
}

// inTime expects something not to have taken longer, on a machine that has nothing else to
// do.
func inTime(t testing.TB, took, most time.Duration) {
	t.Helper()
	if os.Getenv("VAAK_SOAK") != "" && took > most {
		t.Errorf("it took %v, want %v at most", took, most)
	}
}

func (a *ailing) ready() int {
	status, _ := a.get("/readyz")
	return status
}

// TestLengthyEngineTrouble: an engine that does not speak is down. It is said so at once, not
// charged, and over when its cause is.
func TestLengthyEngineTrouble(t *testing.T) {
	slow(t)
	t.Parallel()
	for _, tt := range []struct {
		name        string
		break_, end func(t *testing.T, a *ailing)
	}{
		{"data is gone", func(t *testing.T, a *ailing) { move(t, a.data, a.data+".away") }, func(t *testing.T, a *ailing) { move(t, a.data+".away", a.data) }},
		{"worker sleeps", func(t *testing.T, a *ailing) { a.become(t, "exec sleep 1000") }, nil},
		{"worker says it is ready and sleeps", func(t *testing.T, a *ailing) { a.become(t, "echo ready 22050 1.51; exec sleep 1000") }, nil},
		{"worker writes noise", func(t *testing.T, a *ailing) { a.become(t, "exec cat /dev/urandom") }, nil},
		{"worker ends", func(t *testing.T, a *ailing) { a.become(t, "exit 1") }, nil},
		{"worker is gone", func(t *testing.T, a *ailing) {
			move(t, a.worker, a.worker+".away")
			a.lose()
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := startAiling(t)
			const text = "The old lighthouse stood on a rock."
			want := a.bytes(text, "en")
			used := a.usage(a.key).Month.Used
			tt.break_(t, a)
			a.refused(text, "en")
			if !eventually(func() bool { return a.ready() == http.StatusServiceUnavailable }) {
				t.Error("/readyz stays 200")
			}
			a.refused(text, "en")
			if now := a.usage(a.key).Month.Used; now != used {
				t.Errorf("%d characters are charged for what was refused", now-used)
			}
			for _, path := range []string{"/health", "/v1/voices"} {
				a.ask(http.MethodGet, path, a.key, nil).expect(t, http.StatusOK, "")
			}
			if tt.end == nil {
				a.replace(t, enginetest.Worker(t))
				a.signal(syscall.SIGKILL, a.workers())
			} else {
				tt.end(t, a)
			}
			if !eventually(func() bool { return a.say(a.key, text).status == http.StatusOK }) {
				t.Fatalf("it does not come back: %.2000s", a.log.String()[max(0, len(a.log.String())-2000):])
			}
			if got := a.bytes(text, "en"); got != want {
				t.Errorf("%d bytes afterwards, want the same %d", len(got), len(want))
			}
			if !eventually(func() bool { return a.ready() == http.StatusOK }) {
				t.Error("/readyz stays 503")
			}
			a.stop()
		})
	}
}

// TestLengthyShortMemory: workers that run get no memory for a dictionary, and read nothing. One
// that is started afterwards, for the voice that is asked for, speaks. So a request is
// refused or spoken whole, and what is spoken is charged.
func TestLengthyShortMemory(t *testing.T) {
	slow(t)
	t.Parallel()
	a := startAiling(t)
	limit := func(bytes uint64) {
		for _, pid := range a.workers() {
			_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}, nil) // it may have ended
		}
	}
	const text = "The old lighthouse stood on a rock."
	want := a.bytes(text, "en")
	used := a.usage(a.key).Month.Used
	limit(1 << 20)
	var spoken atomic.Int64
	var clients sync.WaitGroup
	for i := range 10 {
		clients.Go(func() {
			for range 3 {
				got := a.ask(http.MethodPost, "/v1/audio/speech", a.key, map[string]any{"input": text, "lang": "en", "response_format": "pcm", "stream": i%2 == 0})
				if got.status != http.StatusOK {
					got.expect(t, http.StatusServiceUnavailable, "engine_unavailable")
					continue
				}
				spoken.Add(1)
				if got.body != want {
					t.Errorf("%d bytes are spoken, want the %d of a worker that is well", len(got.body), len(want))
				}
			}
		})
	}
	clients.Wait()
	t.Logf("%d of 30 are spoken", spoken.Load())
	if now := a.usage(a.key).Month.Used - used; now != spoken.Load()*int64(len(text)) {
		t.Errorf("%d characters are charged for %d requests of %d that were spoken", now, spoken.Load(), len(text))
	}
	if !eventually(func() bool { return a.ready() == http.StatusServiceUnavailable }) {
		t.Error("/readyz stays 200")
	}
	limit(unix.RLIM_INFINITY)
	if !eventually(func() bool { return a.say(a.key, text).status == http.StatusOK && a.ready() == http.StatusOK }) {
		t.Error("it does not come back")
	}
	if got := a.bytes(text, "en"); got != want {
		t.Errorf("%d bytes afterwards, want the same %d", len(got), len(want))
	}
	a.stop()
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// TestLengthyDataGone: voices that were loaded before speak on, the others are refused, and the
// server is not ready. Nothing that is made then is kept.
func TestLengthyDataGone(t *testing.T) {
	slow(t)
	t.Parallel()
	a := startAiling(t)
	const english, hindi = "The old lighthouse stood on a rock.", "नमस्ते, आप कैसे हैं"
	want := a.bytes(english, "en")
	a.bytes(hindi, "hi")
	if !eventually(func() bool { a.bytes(english, "en"); return len(a.workers()) == 2 }) {
		t.Fatal("no voice is loaded ahead")
	}
	used := a.usage(a.key).Month.Used
	move(t, a.data, a.data+".away")
	a.refused(hindi, "hi")
	if got := a.bytes(english, "en"); got != want {
		t.Errorf("the voice that is loaded made %d bytes, want the same %d", len(got), len(want))
	}
	if now := a.usage(a.key).Month.Used - used; now != int64(len(english)) {
		t.Errorf("%d characters are charged, want the %d that were spoken", now, len(english))
	}
	if !eventually(func() bool { return a.ready() == http.StatusServiceUnavailable }) {
		t.Error("/readyz stays 200")
	}
	preview := func() answered {
		return a.ask(http.MethodGet, "/v1/voices/"+string(voice.Default("hi").ID)+"/preview", a.key, nil)
	}
	preview().expect(t, http.StatusServiceUnavailable, "engine_unavailable")
	move(t, a.data+".away", a.data)
	if !eventually(func() bool { return preview().status == http.StatusOK }) {
		t.Error("the preview does not come back")
	}
	a.bytes(hindi, "hi")
	a.stop()
}

// TestLengthyStoppedEngine stops workers, their children, or both, by a signal, while streams
// run: they come out whole and are charged once.
func TestLengthyStoppedEngine(t *testing.T) {
	slow(t)
	t.Parallel()
	for _, tt := range []struct {
		name string
		who  func(*ailing) []int
	}{
		{"worker", func(a *ailing) []int { return a.workers() }},
		{"children", func(a *ailing) []int { return a.speaking() }},
		{"all", func(a *ailing) []int { return append(a.speaking(), a.workers()...) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := startAiling(t)
			body := long(story)
			body["response_format"] = "pcm"
			want := string(a.mustSpeak(body))
			characters := int64(utf8.RuneCountInString(body["input"].(string)))
			resp, err := http.DefaultClient.Do(a.request(t.Context(), body))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			first := make([]byte, 1000)
			if _, err := io.ReadFull(resp.Body, first); err != nil {
				t.Fatal(err)
			}
			a.signal(syscall.SIGSTOP, tt.who(a))
			began := time.Now()
			var beside sync.WaitGroup
			beside.Go(func() {
				a.say(a.key, "Another one.").expect(t, http.StatusOK, "")
				took := time.Since(began)
				inTime(t, took, 2*time.Second)
				t.Logf("another was answered %v after the signal", took.Round(time.Millisecond))
			})
			gap := gaps{last: began}
			rest, err := io.ReadAll(io.TeeReader(resp.Body, &gap))
			if err != nil || string(first)+string(rest) != want {
				t.Errorf("the stream ended with %v after %d of %d bytes, or others", err, len(first)+len(rest), len(want))
			}
			inTime(t, gap.longest, time.Second)
			t.Logf("the longest gap was %v", gap.longest.Round(time.Millisecond))
			beside.Wait()
			charged := 2*characters + int64(len("Another one."))
			if !eventually(func() bool { return a.usage(a.key).Month.Used == charged }) {
				t.Errorf("%d characters are charged, want %d", a.usage(a.key).Month.Used, charged)
			}
			a.stop()
		})
	}
}

// gaps notes the longest time between two writes.
type gaps struct {
	longest time.Duration
	last    time.Time
}

func (g *gaps) Write(p []byte) (int, error) {
	g.longest, g.last = max(g.longest, time.Since(g.last)), time.Now()
	return len(p), nil
}
