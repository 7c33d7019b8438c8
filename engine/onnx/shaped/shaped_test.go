package shaped_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"vaak/engine/onnx/graph"
	"vaak/engine/onnx/ort"
	"vaak/engine/onnx/ort/orttest"
	"vaak/engine/onnx/shaped"
)

// voice is a shaped voice, whole and cut.
type voice struct {
	cut                   *graph.Cut
	whole, front, vocoder *ort.Session
	normal                []float32
}

func open(t testing.TB, file []byte) *voice {
	t.Helper()
	lib := orttest.Open(t)
	m, err := graph.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	m, n, err := m.TakeNoise()
	if err != nil || n != 2 {
		t.Fatalf("TakeNoise: %d, %v", n, err)
	}
	v := &voice{}
	if v.cut, err = m.Cut(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		to *(*ort.Session)
		m  *graph.Model
	}{{&v.whole, m}, {&v.front, v.cut.Front}, {&v.vocoder, v.cut.Vocoder}} {
		if *s.to, err = lib.NewSession(s.m.Bytes(), ort.Options{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup((*s.to).Close)
	}
	v.normal, _ = graph.Tapes(1, 1<<20)
	return v
}

func (v *voice) inputs(n int) map[string]ort.Tensor {
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(14+i*7%100) * int64(i%2)
	}
	return map[string]ort.Tensor{
		"input": ort.Ints(ids, 1, int64(n)), "input_lengths": ort.Ints([]int64{int64(n)}),
		"scales": ort.Floats([]float32{0.667, 1, 0.8}), graph.NormalTape: ort.Floats(v.normal),
	}
}

func (v *voice) run(t testing.TB, s *ort.Session, in map[string]ort.Tensor, outputs ...string) []ort.Tensor {
	t.Helper()
	out, err := s.Run(t.Context(), in, outputs...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// pieces makes the sound in pieces of 24, 48 and then 96 frames.
func (v *voice) pieces(t testing.TB, in map[string]ort.Tensor, margin int, each func(sound []float32)) {
	t.Helper()
	cut := *v.cut
	cut.Margin = margin
	latent := v.run(t, v.front, in, cut.Latent, cut.Durations)[0]
	channels, frames := int(latent.Dims[1]), int(latent.Dims[2])
	for from, n := 0, 24; from < frames; from, n = from+n, min(96, 2*n) {
		to := min(frames, from+n)
		w := cut.Window(latent.Data.([]float32), channels, from, to)
		sound := v.run(t, v.vocoder, map[string]ort.Tensor{
			cut.Latent: ort.Floats(w.Latent, 1, int64(channels), int64(w.Frames)), graph.TrimsInput: ort.Ints(w.Trims),
		}, cut.Sound)[0]
		each(sound.Data.([]float32)[w.Skip : w.Skip+(to-from)*cut.Hop])
	}
}

func TestLengthyShape(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	shape(t, shaped.Medium)
}

func TestSoakShape(t *testing.T) {
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("a long loop: run it with make soak")
	}
	shape(t, shaped.XLow, shaped.High)
}

func shape(t *testing.T, qualities ...shaped.Quality) {
	for _, tt := range []struct {
		q        shaped.Quality
		from, to int // bytes
		channels int
		margin   int
	}{{shaped.XLow, 15e6, 30e6, 96, 12}, {shaped.Medium, 60e6, 66e6, 192, 12}, {shaped.High, 110e6, 117e6, 192, 14}} {
		if !slices.Contains(qualities, tt.q) {
			continue
		}
		t.Run(string(tt.q), func(t *testing.T) {
			file, _ := shaped.Piper(1, tt.q)
			if len(file) < tt.from || len(file) > tt.to {
				t.Errorf("%d bytes, want %d to %d", len(file), tt.from, tt.to)
			}
			v := open(t, file)
			if v.cut.Hop != 256 || v.cut.Channels != tt.channels || v.cut.Margin != tt.margin {
				t.Errorf("hop %d, channels %d, margin %d, want 256, %d, %d", v.cut.Hop, v.cut.Channels, v.cut.Margin, tt.channels, tt.margin)
			}
			in := v.inputs(30)
			whole := v.run(t, v.whole, in, "output")[0].Data.([]float32)
			if frames := len(whole) / 256; frames < 30*3 || frames > 30*43/10 {
				t.Errorf("30 ids last %d frames, want some 3.6 each", frames)
			}
			loud := 0.0
			for _, s := range whole {
				loud += float64(s) * float64(s)
			}
			if loud = math.Sqrt(loud / float64(len(whole))); loud < 0.005 || loud > 0.5 || math.IsNaN(loud) {
				t.Errorf("the sound has an effective value of %v", loud)
			}
			worst := func(margin int) (lsb float64) {
				at := 0
				v.pieces(t, in, margin, func(sound []float32) {
					for i, s := range sound {
						lsb = max(lsb, math.Abs(math.Round(float64(s)*32767)-math.Round(float64(whole[at+i])*32767)))
					}
					at += len(sound)
				})
				return lsb
			}
			exact, short := worst(v.cut.Margin), worst(v.cut.Margin/3)
			t.Logf("%d frames; pieces differ by %v of 32767 with a margin of %d frames, %v with %d", len(whole)/256, exact, v.cut.Margin, short, v.cut.Margin/3)
			if exact > 1 || short <= 1 {
				t.Error("want 1 at most with the margin, and more with less")
			}
		})
	}
}

// processor returns the processor time of the process.
func processor(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkPiper measures how long a second of sound takes, whole and in pieces, and how long
// the first piece. RTF is by the clock, cpu-RTF by the processor time, which other work on the
// machine changes less.
func BenchmarkPiper(b *testing.B) {
	for _, q := range []shaped.Quality{shaped.XLow, shaped.Medium, shaped.High} {
		file, _ := shaped.Piper(1, q)
		v := open(b, file)
		rate := 22050.0
		if q == shaped.XLow {
			rate = 16000
		}
		for _, ids := range []int{50, 145, 350} {
			in := v.inputs(ids)
			b.Run(fmt.Sprintf("%s/%d/whole", q, ids), func(b *testing.B) {
				samples, cpu := 0, processor(b)
				for b.Loop() {
					samples += len(v.run(b, v.whole, in, "output")[0].Data.([]float32))
				}
				b.ReportMetric(float64(samples)/rate/float64(b.N), "s-sound")
				b.ReportMetric(b.Elapsed().Seconds()/(float64(samples)/rate), "RTF")
				b.ReportMetric((processor(b)-cpu).Seconds()/(float64(samples)/rate), "cpu-RTF")
			})
			b.Run(fmt.Sprintf("%s/%d/pieces", q, ids), func(b *testing.B) {
				samples, cpu := 0, processor(b)
				var first time.Duration
				for b.Loop() {
					begun, n := time.Now(), 0
					v.pieces(b, in, v.cut.Margin, func(sound []float32) {
						if n == 0 {
							first += time.Since(begun)
						}
						n += len(sound)
					})
					samples += n
				}
				b.ReportMetric(b.Elapsed().Seconds()/(float64(samples)/rate), "RTF")
				b.ReportMetric((processor(b)-cpu).Seconds()/(float64(samples)/rate), "cpu-RTF")
				b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "ms-first")
			})
		}
	}
}

// TestWrite writes the voices into the folder that VAAK_SHAPED names, for use by hand.
func TestWrite(t *testing.T) {
	dir := os.Getenv("VAAK_SHAPED")
	if dir == "" {
		t.Skip("VAAK_SHAPED names no folder to write voices to")
	}
	for _, q := range []shaped.Quality{shaped.XLow, shaped.Medium, shaped.High} {
		model, config := shaped.Piper(1, q)
		name := dir + "/en_US-shaped-" + string(q) + ".onnx"
		if err := os.WriteFile(name, model, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name+".json", config, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
