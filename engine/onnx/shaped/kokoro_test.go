package shaped_test

import (
	"math"
	"testing"
	"time"

	"vaak/engine/onnx/graph"
	"vaak/engine/onnx/ort"
	"vaak/engine/onnx/ort/orttest"
	"vaak/engine/onnx/shaped"
	"vaak/engine/onnx/tiny"
)

// TestLengthyKokoroShape: the model has the size, the interface and about the loudness of Kokoro-82M, and its
// durations are found.
func TestLengthyKokoroShape(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds and a gigabyte")
	}
	file := shaped.Kokoro(1)
	if len(file) < 318e6 || len(file) > 332e6 {
		t.Errorf("%d bytes, want some 325 million", len(file))
	}
	lib := orttest.Open(t)
	m, err := graph.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	durations, err := m.Durations()
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.WithOutputs(durations); err != nil {
		t.Fatal(err)
	}
	m, drawn, err := m.TakeNoise()
	if err != nil || drawn != 1 {
		t.Fatalf("TakeNoise: %d, %v", drawn, err)
	}
	if _, err := m.Cut(); err == nil {
		t.Error("it can be cut, though it hears all of a sentence")
	}
	s, err := lib.NewSession(m.Bytes(), ort.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids := make([]int64, 32)
	for i := range ids[1:31] {
		ids[i+1] = int64(43 + i*7%100)
	}
	normal, _ := graph.Tapes(1, 1<<16)
	began := time.Now()
	out, err := s.Run(t.Context(), map[string]ort.Tensor{
		"tokens": ort.Ints(ids, 1, 32), "style": ort.Floats(tiny.KokoroStyle(1)[29*256:30*256], 1, 256), "speed": ort.Floats([]float32{1}), graph.NormalTape: ort.Floats(normal),
	}, "audio", durations)
	if err != nil {
		t.Fatal(err)
	}
	samples := out[0].Data.([]float32)
	sum := 0
	for _, n := range out[1].Data.([]int64) {
		sum += int(n)
	}
	loud := 0.0
	for _, v := range samples {
		loud += float64(v) * float64(v)
	}
	loud = math.Sqrt(loud / float64(len(samples)))
	t.Logf("%d frames, an effective value of %v, computed in %v", sum, loud, time.Since(began))
	if len(samples) != sum*tiny.KokoroHop || sum < 32*2 || sum > 32*4 {
		t.Errorf("%d samples, %d frames for 32 ids", len(samples), sum)
	}
	if loud < 0.003 || loud > 0.5 || math.IsNaN(loud) {
		t.Errorf("the sound has an effective value of %v", loud)
	}
}
