package onnx_test

import (
	"context"
	"math"
	"testing"

	"vaak/engine"
	"vaak/engine/onnx/tiny"
)

// turns counts how often a sink was asked for room, and how much sound came between.
type turns struct {
	asked, frames int
	most          int // samples between two askings
	since         int
}

func (n *turns) Room(context.Context) (int, bool, error) {
	n.asked, n.since = n.asked+1, 0
	return math.MaxInt, false, nil
}

func (n *turns) Frame(f engine.Frame) error {
	if n.since += len(f.PCM); len(f.PCM) > 0 {
		n.frames++
	}
	n.most = max(n.most, n.since)
	return nil
}

// TestEachChunkAsks: the order of streams is that of their turns, so nothing is computed without one,
// whatever room was left.
func TestEachChunkAsks(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	m := add(t, e, piper(t, tiny.PiperOptions{}))
	n := &turns{}
	if err := e.Synthesize(t.Context(), says(m, 0, fox+" "+fox+" "+fox), n); err != nil {
		t.Fatal(err)
	}
	const longest = 48 * tiny.Hop
	if n.frames < 5 || n.asked <= n.frames || n.most > longest {
		t.Errorf("%d frames of sound came after %d questions, at most %d samples between two; want more questions than frames, and at most %d samples", n.frames, n.asked, n.most, longest)
	}
}
