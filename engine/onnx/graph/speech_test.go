package graph_test

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"vaak/engine/onnx/build"
	"vaak/engine/onnx/graph"
	"vaak/engine/onnx/ort"
	"vaak/engine/onnx/ort/orttest"
	"vaak/engine/onnx/tiny"
)

func parse(t testing.TB, file []byte) *graph.Model {
	t.Helper()
	m, err := graph.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func session(t testing.TB, lib *ort.Library, m *graph.Model, o ort.Options) *ort.Session {
	t.Helper()
	s, err := lib.NewSession(m.Bytes(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// sentence returns ids as Piper's front end makes them: padding between phonemes.
func sentence(n int) []int64 {
	ids := []int64{1, 0}
	for i := range n {
		ids = append(ids, int64(14+i*7%40), 0)
		if i%6 == 5 {
			ids = append(ids, 3, 0)
		}
	}
	return append(ids, 10, 0, 2)
}

// inputs of a Piper voice.
func inputs(ids []int64, noise, length, noiseW float32, sid int64) map[string]ort.Tensor {
	normal, uniform := graph.Tapes(1, 1<<16)
	return map[string]ort.Tensor{
		"input":           ort.Ints(ids, 1, int64(len(ids))),
		"input_lengths":   ort.Ints([]int64{int64(len(ids))}),
		"scales":          ort.Floats([]float32{noise, length, noiseW}),
		"sid":             ort.Ints([]int64{sid}),
		graph.NormalTape:  ort.Floats(normal),
		graph.UniformTape: ort.Floats(uniform),
	}
}

func run(t testing.TB, s *ort.Session, in map[string]ort.Tensor, outputs ...string) []ort.Tensor {
	t.Helper()
	out, err := s.Run(t.Context(), in, outputs...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPiecesAreTheWhole cuts a voice, makes its sound piece by piece, and compares that with
// the whole.
func TestPiecesAreTheWhole(t *testing.T) {
	t.Parallel()
	lib := orttest.Open(t)
	for _, speakers := range []int{1, 4} {
		t.Run(fmt.Sprint(speakers, " speakers"), func(t *testing.T) {
			file, _ := tiny.Piper(tiny.PiperOptions{Speakers: speakers})
			m, drawn, err := parse(t, file).TakeNoise()
			if err != nil || drawn != 2 {
				t.Fatalf("TakeNoise: %d draws, %v, want 2", drawn, err)
			}
			c, err := m.Cut()
			if err != nil {
				t.Fatal(err)
			}
			if c.Hop != tiny.Hop || c.Channels != 2 || c.Durations != "w_ceil" || c.Latent != "z_masked" {
				t.Errorf("Cut: hop %d, channels %d, durations %s, latent %s", c.Hop, c.Channels, c.Durations, c.Latent)
			}
			in := inputs(sentence(30), 0.667, 1, 0.8, 2)
			whole := run(t, session(t, lib, m, ort.Options{}), in, "output")[0].Data.([]float32)
			front := run(t, session(t, lib, c.Front, ort.Options{}), in, c.Latent, c.Durations)
			frames := 0
			for _, v := range front[1].Data.([]float32) {
				frames += int(v)
			}
			if frames*c.Hop != len(whole) || int64(frames) != front[0].Dims[2] {
				t.Fatalf("%d frames of %d samples, %d latent frames, and %d samples", frames, c.Hop, front[0].Dims[2], len(whole))
			}
			vocoder := session(t, lib, c.Vocoder, ort.Options{})
			worst := func(margin int) (lsb int) {
				var got []float32
				for from, n := 0, 24; from < frames; from, n = from+n, 48 {
					to := min(frames, from+n)
					got = append(got, piece(t, vocoder, c, in, front[0], from, to, margin)...)
				}
				if len(got) != len(whole) {
					t.Fatalf("margin %d: %d samples, want %d", margin, len(got), len(whole))
				}
				for i := range got {
					lsb = max(lsb, int(math.Abs(math.Round(float64(got[i])*32767)-math.Round(float64(whole[i])*32767))))
				}
				return lsb
			}
			if got := worst(c.Margin); got > 1 {
				t.Errorf("with the margin of %d frames the pieces differ by %d of 32767, want 1 at most", c.Margin, got)
			}
			if got := worst(0); got <= 1 {
				t.Errorf("without margin the pieces differ by %d of 32767: the voice does not test it", got)
			}
		})
	}
}

// piece makes the sound of the frames from one to another.
func piece(t testing.TB, vocoder *ort.Session, c *graph.Cut, in map[string]ort.Tensor, latent ort.Tensor, from, to, margin int) []float32 {
	t.Helper()
	with := *c
	with.Margin = margin
	channels := int(latent.Dims[1])
	w := with.Window(latent.Data.([]float32), channels, from, to)
	given := map[string]ort.Tensor{"sid": in["sid"], c.Latent: ort.Floats(w.Latent, 1, int64(channels), int64(w.Frames)), graph.TrimsInput: ort.Ints(w.Trims)}
	sound := run(t, vocoder, given, c.Sound)[0].Data.([]float32)
	if len(sound) != w.Samples {
		t.Errorf("frames %d to %d: %d samples, want %d", from, to, len(sound), w.Samples)
	}
	return sound[w.Skip : w.Skip+(to-from)*c.Hop]
}

// TestRepeatable makes a sound several times: by other sessions, with more threads, many at
// once. With the noise of a tape all are the same bytes.
func TestRepeatable(t *testing.T) {
	t.Parallel()
	lib := orttest.Open(t)
	file, _ := tiny.Piper(tiny.PiperOptions{Speakers: 4})
	m, _, err := parse(t, file).TakeNoise()
	if err != nil {
		t.Fatal(err)
	}
	in := inputs(sentence(40), 0.667, 1.1, 0.8, 1)
	one, two := session(t, lib, m, ort.Options{}), session(t, lib, m, ort.Options{Threads: 2})
	want := run(t, one, in, "output")[0].Data.([]float32)
	if got := run(t, two, in, "output")[0].Data.([]float32); !slices.Equal(got, want) {
		t.Error("two threads make another sound than one")
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 4 {
				out, err := one.Run(t.Context(), in, "output")
				if err != nil {
					t.Error(err)
				} else if !slices.Equal(out[0].Data.([]float32), want) {
					t.Error("several runs at once make different sounds")
				}
			}
		})
	}
	group.Wait()
	normal, _ := graph.Tapes(2, 1<<16)
	in[graph.NormalTape] = ort.Floats(normal)
	if got := run(t, one, in, "output")[0].Data.([]float32); slices.Equal(got, want) {
		t.Error("another tape makes the same sound")
	}

	drawn := session(t, lib, parse(t, file), ort.Options{})
	a, b := run(t, drawn, in, "output")[0], run(t, drawn, in, "output")[0]
	if slices.Equal(a.Data.([]float32), b.Data.([]float32)) {
		t.Error("the voice draws no noise, so this tests nothing")
	}
}

// TestNoiseOfAllKinds compares the numbers that replace those of each random operator with the
// tape.
func TestNoiseOfAllKinds(t *testing.T) {
	t.Parallel()
	lib := orttest.Open(t)
	g := build.New(15)
	x := g.Input("x", build.Float32, "a", "b")
	half := g.Node("Cast", []string{x}, "half", build.Int("to", 10))
	g.Output(g.Node("RandomNormalLike", []string{x}, "normal", build.Float("mean", 2), build.Float("scale", 3)), build.Float32, "a", "b")
	g.Output(g.Node("RandomUniformLike", []string{x}, "uniform", build.Float("low", -1), build.Float("high", 3)), build.Float32, "a", "b")
	g.Output(g.Node("RandomNormal", nil, "fixed", build.Ints("shape", 2, 3)), build.Float32, 2, 3)
	g.Output(g.Node("RandomUniform", nil, "number", build.Ints("shape", 1)), build.Float32, 1)
	g.Output(g.Node("Cast", []string{g.Node("RandomNormalLike", []string{half}, "halves")}, "as_half", build.Int("to", 1)), build.Float32, "a", "b")
	g.Output(g.Node("Cast", []string{g.Node("RandomNormalLike", []string{x}, "dtype", build.Int("dtype", 10))}, "to_half", build.Int("to", 1)), build.Float32, "a", "b")
	m, n, err := parse(t, g.Bytes()).TakeNoise()
	if err != nil || n != 6 {
		t.Fatalf("TakeNoise = %d draws, %v, want 6", n, err)
	}
	if !m.HasInput(graph.NormalTape) || !m.HasInput(graph.UniformTape) {
		t.Errorf("inputs %v lack the tapes", m.Inputs())
	}
	s := session(t, lib, m, ort.Options{})
	for _, length := range []int{1, 7, 1 << 18} {
		normal, uniform := graph.Tapes(3, length)
		out := run(t, s, map[string]ort.Tensor{
			"x":              ort.Floats(make([]float32, 20), 4, 5),
			graph.NormalTape: ort.Floats(normal), graph.UniformTape: ort.Floats(uniform),
		}, "normal", "uniform", "fixed", "number", "as_half", "to_half")
		for i, tt := range []struct {
			tape       []float32
			place      int
			scale, add float64
			within     float64
		}{{normal, 0, 3, 2, 1e-5}, {uniform, 0, 4, -1, 1e-5}, {normal, 1, 1, 0, 0}, {uniform, 1, 1, 0, 0}, {normal, 2, 1, 0, 0.01}, {normal, 3, 1, 0, 0.01}} {
			for k, got := range out[i].Data.([]float32) {
				want := float64(tt.tape[(tt.place*65537+k)%length])*tt.scale + tt.add
				if math.Abs(float64(got)-want) > tt.within {
					t.Errorf("tape of %d, output %d[%d] = %v, want %v", length, i, k, got, want)
				}
			}
		}
	}
	if _, err := s.Run(t.Context(), map[string]ort.Tensor{
		"x": ort.Floats(make([]float32, 20), 4, 5), graph.NormalTape: ort.Floats(nil), graph.UniformTape: ort.Floats(nil),
	}, "normal"); err == nil {
		t.Error("an empty tape is no error")
	}
}

// TestSumOfFrames compares the frames of each id with the samples.
func TestSumOfFrames(t *testing.T) {
	t.Parallel()
	lib := orttest.Open(t)
	file, _ := tiny.Piper(tiny.PiperOptions{})
	m := parse(t, file)
	name, err := m.Durations()
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.WithOutputs(name); err != nil {
		t.Fatal(err)
	}
	s := session(t, lib, m, ort.Options{})
	for _, length := range []float32{0.5, 1, 1.7} {
		for n := range 20 {
			ids := sentence(n)
			out := run(t, s, inputs(ids, 0.667, length, 0.8, 0), "output", name)
			frames := out[1].Data.([]float32)
			sum := 0
			for _, v := range frames {
				sum += int(v)
			}
			if len(frames) != len(ids) || sum*tiny.Hop != len(out[0].Data.([]float32)) {
				t.Errorf("%d ids at %v: %d durations of %d frames, and %d samples", len(ids), length, len(frames), sum, len(out[0].Data.([]float32)))
			}
		}
	}
}
