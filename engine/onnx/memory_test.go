package onnx_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/engine"
	"vaak/engine/onnx/collection"
	"vaak/engine/onnx/tiny"
	"vaak/engine/onnx/worker"
	"vaak/internal/fault"
)

const mib = 1 << 20

// memoryOf returns how many bytes a process has in use, without files that are mapped.
func memoryOf(t testing.TB, pid int) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	var size, in, shared int64
	if _, err := fmt.Sscan(string(b), &size, &in, &shared); err != nil {
		t.Fatal(err)
	}
	return (in - shared) * int64(os.Getpagesize())
}

// measured skips a test of the memory of the worker in short tests: with the race detector,
// which takes some times that memory itself, only these run.
func measured(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("measures memory, which the race detector takes too")
	}
}

// refused returns why a worker refuses a job.
func refused(t testing.TB, p *worker.Process, j worker.Job) *worker.Refusal {
	t.Helper()
	d, err := p.Do(t.Context(), j)
	if err == nil {
		_, _, err = d.Chunk(t.Context())
		d.Close()
	}
	r, ok := errors.AsType[*worker.Refusal](err)
	if !ok || len(r.Reason) < 10 {
		t.Fatalf("the job ends with %v, want a refusal with a reason", err)
	}
	return r
}

// TestLengthyMemoryEater: a model that takes more memory than there is gets no result. Others go on beside
// it and after it, in the same process.
func TestLengthyMemoryEater(t *testing.T) {
	t.Parallel()
	measured(t)
	const most = 200 * mib
	p := process(t, worker.Settings{Memory: most})
	e := open(t, t.TempDir())
	m := add(t, e, piper(t, tiny.PiperOptions{}))
	good := jobOf(t, m, 0, encoded(t, m, says(m, 0, fox))[0].IDs)
	_, want := take(t, p, good)
	pid := p.PID()
	check := func(when string) {
		t.Helper()
		if _, got := take(t, p, good); !slices.Equal(got, want) {
			t.Errorf("%s a good model has other samples", when)
		}
		if p.PID() != pid {
			t.Fatalf("%s the worker has ended", when)
		}
	}
	long := good
	long.Scales = [3]float32{0, 1e6, 0}
	longer := good
	longer.Scales = [3]float32{0, 1e30, 0}
	for name, j := range map[string]worker.Job{"a graph that allocates": hungry(t, 300*mib), "long sounds": long, "endless sounds": longer} {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { t.Logf("%s: %v", name, refused(t, p, j)) })
			wg.Go(func() { check("beside " + name) })
		}
		wg.Wait()
		check("after " + name)
	}
	// What fits by itself, but not together, is given back.
	for range 3 {
		take(t, p, hungry(t, 30*mib))
		check("after a model that takes much")
	}
	if n := memoryOf(t, p.PID()); n > most {
		t.Errorf("%d MiB are kept of the %d that are allowed", n/mib, most/mib)
	}
}

// TestLengthyMemoryOfManyModels asks more models in turn than memory holds.
func TestLengthyMemoryOfManyModels(t *testing.T) {
	t.Parallel()
	measured(t)
	const most = 140 * mib
	p := process(t, worker.Settings{Memory: most})
	var all []worker.Job
	for i := range 8 {
		all = append(all, heavy(t, 24*mib, float32(i+1)/20))
	}
	largest := int64(0)
	for round := range 2 {
		for i, j := range all {
			_, pcm := take(t, p, j)
			if want := int16(float32(i+1) / 20 * 32767); len(pcm) != 3 || pcm[0] < want-1 || pcm[0] > want+1 {
				t.Fatalf("round %d, model %d makes %v, want %d", round, i, pcm, want)
			}
			largest = max(largest, memoryOf(t, p.PID()))
		}
	}
	if t.Logf("%d MiB at most", largest/mib); largest > most {
		t.Errorf("the models have taken %d MiB, %d are allowed", largest/mib, most/mib)
	}
	if p.Restarts() > 0 {
		t.Error("the worker has ended")
	}
}

// TestLengthyMemoryInUse: no model is taken from one who uses it, and the next one is refused until one
// is free.
func TestLengthyMemoryInUse(t *testing.T) {
	t.Parallel()
	measured(t)
	p := process(t, worker.Settings{Memory: 200 * mib})
	var begun []*worker.Take
	for i := range 3 { // each counts twice its size
		d, err := p.Do(t.Context(), heavy(t, 32*mib, float32(i+1)/20))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		begun = append(begun, d)
	}
	other := heavy(t, 32*mib, 0.5)
	if r := refused(t, p, other); r.Bad || !strings.Contains(r.Reason, "memory") {
		t.Errorf("refused with %+v, want that memory is full", r)
	}
	for _, d := range begun {
		if c, ok, err := d.Chunk(t.Context()); err != nil || !ok || len(c.PCM) != 3 {
			t.Errorf("a model in use has stopped: %v", err)
		}
	}
	begun[1].Close()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		d, err := p.Do(t.Context(), other)
		if err == nil {
			d.Close()
			return
		}
	}
	t.Error("a model is refused although another is not in use any more")
}

// TestLengthyMemoryAtOnce loads many models at the same time. Each speaks or is refused, and memory keeps.
func TestLengthyMemoryAtOnce(t *testing.T) {
	t.Parallel()
	measured(t)
	p := process(t, worker.Settings{Memory: 200 * mib})
	var wg sync.WaitGroup
	for i := range 8 {
		j := heavy(t, 32*mib, float32(i+1)/20)
		wg.Go(func() {
			if d, err := p.Do(t.Context(), j); err == nil {
				defer d.Close()
				if _, _, err := d.Chunk(t.Context()); err != nil {
					t.Error(err)
				}
			} else if _, ok := errors.AsType[*worker.Refusal](err); !ok {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if p.Restarts() > 0 {
		t.Error("the worker has ended")
	}
}

// TestLengthyMemoryOfIdleModels waits until a model that nobody uses is gone from memory.
func TestLengthyMemoryOfIdleModels(t *testing.T) {
	t.Parallel()
	measured(t)
	p := process(t, worker.Settings{Idle: 200 * time.Millisecond})
	j := heavy(t, 64*mib, 0.5)
	take(t, p, j)
	n := memoryOf(t, p.PID())
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline) && n > 48*mib; time.Sleep(20 * time.Millisecond) {
		n = memoryOf(t, p.PID())
	}
	if n > 48*mib {
		t.Errorf("%d MiB are in use while no model is", n/mib)
	}
	take(t, p, j)
}

// TestSwappedFiles swaps files of a voice under a running engine. Others go on.
func TestSwappedFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := open(t, dir)
	bad, good := add(t, e, piper(t, tiny.PiperOptions{Dataset: "other", Speakers: 2})), add(t, e, kokoro(t))
	want, wantGood := speak(t, e, says(bad, 0, fox)), speak(t, e, says(good, 0, fox))
	file, err := os.ReadFile(bad.ModelPath())
	if err != nil {
		t.Fatal(err)
	}
	nothing := engine.SinkFunc(func(engine.Frame) error { return nil })
	for name, content := range map[string][]byte{
		"another model": tiny.Kokoro(tiny.KokoroOptions{}), "nothing": {}, "half": file[:len(file)/2], "noise": bytes.Repeat([]byte("noise"), 1000), "no file": nil,
	} {
		if content == nil {
			err = os.Remove(bad.ModelPath())
		} else {
			err = os.WriteFile(bad.ModelPath(), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if !speak(t, e, says(bad, 0, fox)).Equal(want) {
			t.Errorf("%s: a model that is loaded must not change", name)
		}
		kill(t, e)
		err := e.Synthesize(t.Context(), says(bad, 0, fox), nothing)
		if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "cannot speak") {
			t.Errorf("%s: Synthesize = %v, want that the voice cannot speak", name, err)
		}
		if !speak(t, e, says(good, 0, fox)).Equal(wantGood) {
			t.Errorf("%s: another voice has changed", name)
		}
		if err := os.WriteFile(bad.ModelPath(), file, 0o600); err != nil {
			t.Fatal(err)
		}
		if !speak(t, e, says(bad, 0, fox)).Equal(want) {
			t.Errorf("%s: with its file back the voice has changed", name)
		}
	}

	// Configurations are in memory. Who opens the engine later does without the voice.
	for _, path := range []string{bad.ConfigPath(), good.StylePath(good.Speakers[0]), good.VocabularyPath()} {
		kept, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, content := range []string{"", "{}", "noise", strings.Repeat("\xff", 522_240)} {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			e.Refresh()
			if !speak(t, e, says(bad, 0, fox)).Equal(want) || !speak(t, e, says(good, 0, fox)).Equal(wantGood) {
				t.Errorf("%s: a running engine has changed", filepath.Base(path))
			}
		}
		later := openWith(t, dir, command(t, worker.Settings{}))
		some, _ := later.Refresh()
		for _, v := range some {
			if _, err := later.Voice(v); err != nil {
				t.Errorf("voice %s is listed, and %v", v.ID, err)
			}
		}
		if all := len(bad.Speakers) + len(good.Speakers); len(some) == 0 || len(some) >= all {
			t.Errorf("%s: of %d voices %d can be used, want those of other files", filepath.Base(path), all, len(some))
		}
		if err := os.WriteFile(path, kept, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRevision: whatever decides how a voice sounds decides its revision too.
func TestRevision(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := open(t, dir)
	revision := func(m *collection.Model, speaker int) string {
		t.Helper()
		traits, err := e.Voice(m.Voice(m.Speakers[speaker]))
		if err != nil {
			t.Fatal(err)
		}
		return traits.Revision
	}
	model, config := tiny.Piper(tiny.PiperOptions{Speakers: 2})
	m := add(t, e, write(t, map[string][]byte{"en_US-a-low.onnx": model, "en_US-a-low.onnx.json": config}))
	first, slow := revision(m, 0), speak(t, e, says(m, 0, fox))
	again := add(t, e, write(t, map[string][]byte{"en_US-b-low.onnx": model, "en_US-b-low.onnx.json": config}))
	if revision(again, 0) != first {
		t.Error("the same files have another revision")
	}
	// The same model under another configuration has the same id, and other sound.
	config = bytes.Replace(config, []byte(`"length_scale": 1`), []byte(`"length_scale": 2`), 1)
	m = add(t, e, write(t, map[string][]byte{"en_US-a-low.onnx": model, "en_US-a-low.onnx.json": config}))
	if revision(m, 0) == first || speak(t, e, says(m, 0, fox)).Equal(slow) {
		t.Error("with another length_scale the voice has the same revision or sound")
	}
	k := add(t, e, kokoro(t))
	if revision(k, 0) == revision(k, 1) {
		t.Error("two styles have the same revision")
	}
}

// TestRemovedWhileInUse removes a voice while it speaks.
func TestRemovedWhileInUse(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	m, other := add(t, e, piper(t, tiny.PiperOptions{})), add(t, e, kokoro(t))
	u := says(m, 0, strings.Repeat(fox+" ", 3))
	want := speak(t, e, u)
	removed := false
	samples := 0
	err := e.Synthesize(t.Context(), u, engine.SinkFunc(func(f engine.Frame) error {
		if samples += len(f.PCM); !removed && samples > 0 {
			removed = true
			if err := e.Collection().Remove(m); err != nil {
				t.Error(err)
			}
			if all, changed := e.Refresh(); len(all) != len(other.Speakers) || !changed {
				t.Errorf("after Remove there are %d voices, changed = %v", len(all), changed)
			}
		}
		return nil
	}))
	if err != nil || samples != len(want.PCM) {
		t.Errorf("Synthesize = %v with %d samples, want %d", err, samples, len(want.PCM))
	}
	if err := e.Synthesize(t.Context(), u, engine.SinkFunc(func(engine.Frame) error { return nil })); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Synthesize with a removed voice = %v", err)
	}
	if _, err := e.Voice(u.Voice); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Voice of a removed voice = %v", err)
	}
}
