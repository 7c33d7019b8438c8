package onnx_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/engine/onnx"
	"vaak/engine/onnx/collection"
	"vaak/engine/onnx/tiny"
	"vaak/engine/onnx/worker"
)

// kinds are models of every kind that is computed in a way of its own.
func kinds(t testing.TB) map[string]string {
	return map[string]string{
		"piper": piper(t, tiny.PiperOptions{}), "piper of four speakers": piper(t, tiny.PiperOptions{Speakers: 4}),
		"piper uncut": piper(t, tiny.PiperOptions{Whole: true}), "kokoro": kokoro(t),
	}
}

// says returns an utterance of some speaker of a model.
func says(m *collection.Model, speaker int, text string) engine.Utterance {
	s := m.Speakers[speaker]
	return engine.Utterance{Text: text, Language: s.Language, Voice: m.Voice(s)}
}

const fox = "The quick brown fox jumps over the lazy dog, twice. Then it sleeps."

// TestSameSamples speaks an utterance alone, beside others, in context, after a restart, and by
// workers with other numbers of threads.
func TestSameSamples(t *testing.T) {
	t.Parallel()
	for name, dir := range kinds(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			voices := t.TempDir()
			e := open(t, voices)
			m := add(t, e, dir)
			last := len(m.Speakers) - 1
			inside := says(m, last, "jumps over the lazy dog")
			inside.Before, inside.After, inside.Continues = "The quick brown fox", "and sleeps.", true
			all := []engine.Utterance{says(m, last, fox), says(m, 0, fox), inside}
			var want []enginetest.Speech
			for _, u := range all {
				want = append(want, speak(t, e, u))
			}
			if last > 0 && want[0].Equal(want[1]) {
				t.Error("two speakers sound the same")
			}
			check := func(how string, e *onnx.Engine) {
				t.Helper()
				for i, u := range all {
					if got := speak(t, e, u); !got.Equal(want[i]) {
						t.Errorf("%s, utterance %d has other samples: %d, want %d", how, i, len(got.PCM), len(want[i].PCM))
					}
				}
			}
			check("again", e)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() { check("beside others", e) })
			}
			wg.Wait()

			for _, edge := range []int{1, 777, 22050} {
				u := inside
				u.Edge = edge
				got := speak(t, e, u)
				if !got.Equal(want[2]) || len(got.Lead) == 0 || len(got.Trail) == 0 {
					t.Errorf("with edges of %d the text has other samples: %d, want %d; edges %d and %d", edge, len(got.PCM), len(want[2].PCM), len(got.Lead), len(got.Trail))
				}
			}

			if err := syscall.Kill(e.Figures().PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			check("after a restart", e)
			for _, slots := range []int{1, 2} {
				check(fmt.Sprintf("with %d slots", slots), openWith(t, voices, command(t, worker.Settings{Memory: 2 << 30}, fmt.Sprintf("GOMAXPROCS=%d", slots))))
			}
		})
	}
}

// pieces is a sink that takes n samples at a time.
type pieces struct {
	engine.SinkFunc
	n int
}

func (p *pieces) Room(context.Context) (int, bool, error) { return p.n, false, nil }

// TestRoom takes the sound in pieces of many sizes: the sum is the same.
func TestRoom(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	m := add(t, e, piper(t, tiny.PiperOptions{}))
	want := speak(t, e, says(m, 0, fox))
	for _, n := range []int{1000, 255, 4096, 1 << 20} {
		var s enginetest.Speech
		sink := pieces{SinkFunc: s.Frame, n: n}
		if err := e.Synthesize(t.Context(), says(m, 0, fox), &sink); err != nil {
			t.Fatal(err)
		}
		if !s.Equal(want) {
			t.Errorf("in pieces of %d: %d samples, want %d", n, len(s.PCM), len(want.PCM))
		}
	}
}

// TestSampling moves the noise.
func TestSampling(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	for name, dir := range map[string]string{"piper": piper(t, tiny.PiperOptions{}), "kokoro": kokoro(t)} {
		m := add(t, e, dir)
		traits, err := e.Voice(m.Voice(m.Speakers[0]))
		if err != nil {
			t.Fatal(err)
		}
		want := speak(t, e, says(m, 0, fox))
		with := func(s engine.Sampling) enginetest.Speech {
			u := says(m, 0, fox)
			u.Sampling = s
			return speak(t, e, u)
		}
		seed := func(n int64) engine.Sampling { return engine.Sampling{Seed: &n} }
		heat := func(v float64) engine.Sampling { return engine.Sampling{Temperature: &v} }
		if !has(traits, "seed") {
			t.Errorf("%s samples with %v", name, traits.Parameters)
		}
		seven := with(seed(7))
		if !seven.Equal(with(seed(7))) || seven.Equal(want) || seven.Equal(with(seed(8))) {
			t.Errorf("%s: a seed must make a sound of its own, and always the same", name)
		}
		for _, n := range []int64{0, 4294967295} {
			with(seed(n))
		}
		// The noise of many seeds must not change that of one.
		for n := range int64(3) {
			with(seed(100 + n))
		}
		if !seven.Equal(with(seed(7))) || !want.Equal(with(engine.Sampling{})) {
			t.Errorf("%s: after other seeds a seed sounds differently", name)
		}
		hot, usual := with(heat(2)), with(heat(1))
		if name == "kokoro" {
			if has(traits, "temperature") || !hot.Equal(want) {
				t.Error("kokoro has no temperature")
			}
			continue
		}
		cold := with(heat(0))
		if !usual.Equal(want) || hot.Equal(want) || cold.Equal(want) || !cold.Equal(with(heat(0))) {
			t.Error("a temperature other than 1 must change the sound, and always in the same way")
		}
		// Without noise nothing is left for the seed to decide.
		zero, n := 0.0, int64(9)
		if !cold.Equal(with(engine.Sampling{Temperature: &zero, Seed: &n})) {
			t.Error("at temperature 0 the seed changes the sound")
		}
	}
}

func has(t engine.Traits, parameter string) bool {
	return slices.ContainsFunc(t.Parameters, func(p engine.Parameter) bool { return p.Name == parameter })
}
