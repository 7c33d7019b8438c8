package onnx_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/engine/onnx"
	"vaak/engine/onnx/tiny"
	"vaak/engine/onnx/worker"
	"vaak/internal/fault"
)

// kill ends the worker of an engine.
func kill(t testing.TB, e *onnx.Engine) {
	t.Helper()
	if err := syscall.Kill(e.Figures().PID, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

// TestWorkerIsKilled kills the worker in the middle of sentences. Speech goes on with the samples
// that it would have had.
func TestWorkerIsKilled(t *testing.T) {
	t.Parallel()
	for name, dir := range kinds(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := open(t, t.TempDir())
			m := add(t, e, dir)
			u := says(m, 0, strings.Repeat("All work and no play makes a dull day. ", 3))
			u.Before, u.After, u.Edge = "So they say", "and more.", 2000
			want := speak(t, e, u)
			// Killed once, and then in each of the first frames.
			for _, kills := range []int{1, 4} {
				var got enginetest.Speech
				frames := 0
				sink := engine.SinkFunc(func(f engine.Frame) error {
					if len(f.PCM) > 0 {
						if frames++; frames <= kills {
							kill(t, e)
						}
					}
					return got.Frame(f)
				})
				if err := e.Synthesize(t.Context(), u, sink); err != nil {
					t.Fatalf("killed %d times: %v", kills, err)
				}
				if !got.Equal(want) || len(got.Lead) != len(want.Lead) || len(got.Trail) != len(want.Trail) {
					t.Errorf("killed %d times: %d samples, want %d", kills, len(got.PCM), len(want.PCM))
				}
			}
			if n := e.Figures().Restarts; n == 0 {
				t.Error("no worker was started again")
			}
		})
	}
}

// TestRecovery measures how long speech is away when a worker is killed.
func TestRecovery(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	m := add(t, e, piper(t, tiny.PiperOptions{}))
	began := time.Now()
	kill(t, e)
	speak(t, e, says(m, 0, "Again."))
	t.Logf("recovered after %v", time.Since(began))
}

// TestOneWorkerIsKilledForAll kills the worker while eight speak. None of them is lost.
func TestOneWorkerIsKilledForAll(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	m := add(t, e, piper(t, tiny.PiperOptions{Speakers: 4}))
	u := says(m, 2, strings.Repeat(fox+" ", 4))
	want := speak(t, e, u)
	var wg sync.WaitGroup
	var once sync.Once
	for range 8 {
		wg.Go(func() {
			var got enginetest.Speech
			err := e.Synthesize(t.Context(), u, engine.SinkFunc(func(f engine.Frame) error {
				if len(got.PCM) > len(want.PCM)/2 {
					once.Do(func() { kill(t, e) })
				}
				return got.Frame(f)
			}))
			if err != nil || !got.Equal(want) {
				t.Errorf("Synthesize = %v with %d samples, want %d", err, len(got.PCM), len(want.PCM))
			}
		})
	}
	wg.Wait()
}

// TestWorkersEndAgainAndAgain: engine_unavailable comes within a time that is bounded, the embedded
// voice speaks meanwhile, and once workers stay all is as before.
func TestWorkersEndAgainAndAgain(t *testing.T) {
	t.Parallel()
	for name, failing := range map[string]string{"ends at once": "exit 3", "cannot be started": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			works := command(t, worker.Settings{})
			broken := filepath.Join(t.TempDir(), "broken")
			embedded := reader(t)
			e := openWith(t, t.TempDir(), func() *exec.Cmd {
				if _, err := os.Stat(broken); err != nil {
					return works()
				}
				if failing == "" {
					return exec.Command(filepath.Join(broken, "no such file"))
				}
				return exec.Command("/bin/sh", "-c", failing)
			})
			m := add(t, e, piper(t, tiny.PiperOptions{}))
			want := speak(t, e, says(m, 0, fox))
			if err := os.WriteFile(broken, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			kill(t, e)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			for range 2 {
				began := time.Now()
				err := e.Synthesize(ctx, says(m, 0, fox), engine.SinkFunc(func(engine.Frame) error { return nil }))
				t.Logf("refused after %v: %v", time.Since(began), err)
				if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "down") {
					t.Fatalf("Synthesize = %v, want that the engine is down", err)
				}
				enginetest.Speak(t, embedded, enginetest.English("I still speak."))
			}
			if err := os.Remove(broken); err != nil {
				t.Fatal(err)
			}
			var got enginetest.Speech
			err := e.Synthesize(ctx, says(m, 0, fox), engine.SinkFunc(got.Frame))
			for ctx.Err() == nil && err != nil {
				got = enginetest.Speech{}
				err = e.Synthesize(ctx, says(m, 0, fox), engine.SinkFunc(got.Frame))
			}
			if err != nil || !got.Equal(want) {
				t.Errorf("afterwards Synthesize = %v with %d samples, want %d", err, len(got.PCM), len(want.PCM))
			}
		})
	}
}

// TestCloseEndsAWorkerThatHangs: a worker that was stopped does not end by itself.
func TestCloseEndsAWorkerThatHangs(t *testing.T) {
	t.Parallel()
	p := process(t, worker.Settings{})
	if _, err := p.Version(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(p.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errLeft)
	if _, err := p.Version(ctx); err == nil {
		t.Error("a stopped worker has answered")
	}
}
