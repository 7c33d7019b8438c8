package onnx_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"vaak/engine"
	"vaak/engine/onnx/shaped"
	"vaak/engine/onnx/tiny"
	"vaak/engine/onnx/worker"
	"vaak/internal/needed"
	"vaak/internal/pause"
)

var errLeft = errors.New("the listener has left")

// TestCancelEndsTheComputation cancels a computation that has no end. The caller gets the cause at
// once, and the only slot of the worker is soon free for others.
func TestCancelEndsTheComputation(t *testing.T) {
	t.Parallel()
	p := process(t, worker.Settings{Memory: 1 << 30}, "GOMAXPROCS=1")
	never, some := endless(t), heavy(t, 4096, 0.5)
	take(t, p, some)
	for range 3 {
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan error, 1)
		go func() {
			d, err := p.Do(ctx, never)
			if err == nil {
				d.Close()
			}
			done <- err
		}()
		// Nothing tells from outside that the computation has begun, but that it takes the
		// processor.
		used := processorTime(t, p.PID())
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline) && processorTime(t, p.PID()) < used+3; time.Sleep(5 * time.Millisecond) {
		}
		second, stop := pause.Within(t.Context(), time.Second)
		cancel(errLeft)
		if err := <-done; !errors.Is(err, errLeft) {
			t.Fatalf("Do = %v, want the cause", err)
		}
		if second.Err() != nil {
			t.Error("it returned more than a second after the cancel")
		}
		stop()
		take(t, p, some)
	}
}

// processorTime returns how many ticks, of which a second has a hundred, a process has computed.
func processorTime(t testing.TB, pid int) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	var user, system int
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		t.Fatal(err)
	}
	return user + system
}

// TestCancelLeavesNothing cancels at all stages of an utterance, and counts what is left of it: no
// goroutine here, no connection and no thread there.
func TestCancelLeavesNothing(t *testing.T) {
	e := open(t, t.TempDir())
	m := add(t, e, piper(t, tiny.PiperOptions{}))
	speak(t, e, says(m, 0, fox))
	before := filesOf(t, e.Figures().PID)
	for i := range 60 {
		ctx, cancel := context.WithCancelCause(t.Context())
		frames := 0
		if i%4 == 0 {
			cancel(errLeft)
		}
		sink := engine.SinkFunc(func(engine.Frame) error {
			if frames++; frames >= i%7 {
				cancel(errLeft)
			}
			return nil
		})
		if err := e.Synthesize(ctx, says(m, 0, strings.Repeat(fox, 20)), sink); !errors.Is(err, errLeft) {
			t.Errorf("Synthesize = %v, want the cause", err)
		}
		// A sink that fails, too.
		err := e.Synthesize(t.Context(), says(m, 0, fox), engine.SinkFunc(func(engine.Frame) error { return errLeft }))
		if !errors.Is(err, errLeft) {
			t.Errorf("Synthesize = %v, want the sink's error", err)
		}
		cancel(nil)
	}
	left := func() (stacks, files int) {
		var b bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&b, 2); err != nil {
			t.Fatal(err)
		}
		for g := range strings.SplitSeq(b.String(), "\n\n") {
			if strings.Contains(g, "worker.(*Take)") || strings.Contains(g, "onnx.(*synthesis)") {
				stacks++
			}
		}
		return stacks, filesOf(t, e.Figures().PID) - before
	}
	stacks, files := left()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline) && stacks+max(0, files) > 0; time.Sleep(10 * time.Millisecond) {
		stacks, files = left()
	}
	if stacks > 0 || files > 0 {
		t.Errorf("%d goroutines and %d files are left", stacks, files)
	}
	if n := e.Figures().Restarts; n > 0 {
		t.Errorf("the worker was started again %d times", n)
	}
}

// filesOf returns how many files a process has open.
func filesOf(t testing.TB, pid int) int {
	t.Helper()
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// BenchmarkCancel measures how soon Synthesize returns after a cancel, at all stages of a sentence
// of a model of the true size.
func BenchmarkCancel(b *testing.B) {
	needed.ONNXRuntime(b)
	model, config := shaped.Piper(1, shaped.Medium)
	e := open(b, b.TempDir())
	m := add(b, e, write(b, map[string][]byte{"en_US-x-medium.onnx": model, "en_US-x-medium.onnx.json": config}))
	u := says(m, 0, strings.Repeat("All that was left of the harbour, they said, ", 4))
	var times []time.Duration
	for i := range max(b.N, 40) {
		ctx, cancel := context.WithCancelCause(b.Context())
		var began time.Time
		timer := time.AfterFunc(time.Duration(10+i*17%400)*time.Millisecond, func() {
			began = time.Now()
			cancel(errLeft)
		})
		err := e.Synthesize(ctx, u, engine.SinkFunc(func(engine.Frame) error { return nil }))
		if timer.Stop() || !errors.Is(err, errLeft) {
			continue // it was over before
		}
		times = append(times, time.Since(began))
	}
	if len(times) == 0 {
		b.Fatal("no cancel came in time")
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
}
