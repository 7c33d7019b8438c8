package onnx_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"vaak/engine"
	"vaak/engine/onnx"
	"vaak/engine/onnx/collection"
	"vaak/engine/onnx/tiny"
	"vaak/engine/onnx/worker"
)

// TestDamagedVoices adds voices whose files are damaged. Each is refused with a sentence, or speaks;
// whatever it does to the worker, this process goes on.
func TestDamagedVoices(t *testing.T) {
	t.Parallel()
	damagedVoices(t, 60)
}

func TestSoakDamagedVoices(t *testing.T) {
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("a long loop: run it with make soak")
	}
	damagedVoices(t, 2000)
}

func damagedVoices(t *testing.T, n int) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	e := openWith(t, t.TempDir(), command(t, worker.Settings{Memory: 256 * mib}))
	// Of another model than those that are damaged: a model that is added again is replaced.
	m := add(t, e, piper(t, tiny.PiperOptions{Speakers: 3}))
	u := says(m, 0, "Still here.")
	want := speak(t, e, u)
	piperModel, piperConfig := tiny.Piper(tiny.PiperOptions{Speakers: 2})
	kokoroModel := tiny.Kokoro(tiny.KokoroOptions{Durations: "duration"})
	styles := tiny.NPZVoices(1, true)
	counts := map[string]int{}
	for i := range n {
		files := map[string][]byte{"en_US-a-low.onnx": piperModel, "en_US-a-low.onnx.json": piperConfig}
		if i%3 == 2 {
			files = map[string][]byte{"kokoro.onnx": kokoroModel, "voices.npz": styles, "config.json": tiny.KokoroConfig()}
		}
		var names []string
		for name := range files {
			names = append(names, name)
		}
		slices.Sort(names)
		// Models are large and have more to damage.
		name := names[r.IntN(len(names))]
		if r.IntN(2) == 0 {
			name = names[slices.IndexFunc(names, func(s string) bool { return strings.HasSuffix(s, ".onnx") })]
		}
		files[name] = damage(r, files[name])
		reason, kept := attempt(t, e, files)
		switch {
		case reason != "" && len(reason) < 8:
			t.Errorf("seed %d, voice %d: it is refused with %q", seed, i, reason)
		case reason != "":
			counts["refused"]++
		default:
			counts["speaks"]++
		}
		if kept != nil {
			if err := e.Collection().Remove(kept); err != nil {
				t.Fatal(err)
			}
			e.Refresh()
		}
		if i%20 == 0 && !speak(t, e, u).Equal(want) {
			t.Fatalf("seed %d: after voice %d another voice has changed", seed, i)
		}
	}
	t.Logf("%d voices: %v; the worker was started again %d times", n, counts, e.Figures().Restarts)
}

// attempt adds a voice and speaks with it, and returns why that is refused.
func attempt(t *testing.T, e *onnx.Engine, files map[string][]byte) (reason string, kept *collection.Model) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	d, err := e.Collection().Draft([]string{write(t, files)}, collection.Choices{})
	if err != nil {
		return err.Error(), nil
	}
	defer func() { _ = d.Discard() }()
	if err := e.Audition(ctx, d, func(string) {}); err != nil {
		if ctx.Err() != nil {
			t.Errorf("an audition has no end: %v", err)
		}
		return err.Error(), nil
	}
	if kept, err = d.Keep(); err != nil {
		t.Fatal(err)
	}
	e.Refresh()
	samples := 0
	err = e.Synthesize(ctx, says(kept, 0, "One, two."), engine.SinkFunc(func(f engine.Frame) error {
		samples += len(f.PCM)
		return nil
	}))
	if err != nil {
		return err.Error(), kept
	}
	return "", kept
}

// damage returns a copy of a file with damage of one of some kinds.
func damage(r *rand.Rand, file []byte) []byte {
	b := bytes.Clone(file)
	// The operators come first, and half of the damage is there.
	place := func() int {
		if r.IntN(2) == 0 {
			return r.IntN(min(len(b), 12_000))
		}
		return r.IntN(len(b))
	}
	switch r.IntN(7) {
	case 0: // some random bytes
		for range 1 + r.IntN(8) {
			b[place()] = byte(r.Uint32())
		}
	case 1: // one bit
		b[place()] ^= 1 << r.IntN(8)
	case 2: // the end is missing
		b = b[:place()]
	case 3: // a part is missing
		from := place()
		b = append(b[:from], b[min(len(b), from+1+r.IntN(64)):]...)
	case 4: // a part comes twice
		from := place()
		part := bytes.Clone(b[from:min(len(b), from+1+r.IntN(256))])
		b = slices.Insert(b, place(), part...)
	case 5: // a number is huge
		at := place()
		b = slices.Replace(b, at, at+1, binary.AppendUvarint(nil, r.Uint64())...)
	case 6: // digits of a configuration, or of a shape, are others
		var digits []int
		for i, c := range b[:min(len(b), 20_000)] {
			if c >= '0' && c <= '9' {
				digits = append(digits, i)
			}
		}
		for range min(len(digits), 1+r.IntN(3)) {
			at := digits[r.IntN(len(digits))]
			b[at] = "0123456789-e.\"[{"[r.IntN(16)]
		}
	}
	return b
}
