package sonogram

import (
	"math"
	"slices"
	"testing"

	"vaak/audio/audiotest"
)

func tone(rate int, seconds, amplitude, hz float64) []float32 {
	x := make([]float32, int(seconds*float64(rate)))
	for i := range x {
		x[i] = float32(amplitude * math.Sin(2*math.Pi*hz*float64(i)/float64(rate)))
	}
	return x
}

// frames returns copies of all frames of x.
func frames(rate int, cuts int, x []float32) (all []Frame) {
	m := New(rate, func(f Frame) {
		f.Power = slices.Clone(f.Power)
		all = append(all, f)
	})
	for len(x) > 0 {
		n := min(cuts, len(x))
		m.Write(x[:n])
		x = x[n:]
	}
	m.Finish()
	return all
}

// TestTones hears tones at every rate: they are at their frequency and their level, and what lies
// above the band is not heard in it.
func TestTones(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{4000, 5512, 6000, 8000, 11025, 15999, 16000, 22050, 24000, 32000, 44100, 48000, 96000} {
		all := frames(rate, 1000, tone(rate, 3, 0.5, 700))
		if n := len(all); n < 42 || n > 47 {
			t.Errorf("%d Hz: %d frames of 3 s, want about 45", rate, n)
			continue
		}
		f := all[10]
		top := slices.Index(f.Power, slices.Max(f.Power))
		if hz := float64(top) * f.BinHz; math.Abs(hz-700) > f.BinHz {
			t.Errorf("%d Hz: a tone of 700 Hz is at %.1f", rate, hz)
		}
		if db := 10 * math.Log10(f.Sum); math.Abs(db+9.03) > 0.6 {
			t.Errorf("%d Hz: a tone of -9.03 dB has %.2f", rate, db)
		}
		if f.BinHz > 5.6 {
			t.Errorf("%d Hz: bins of %.1f Hz", rate, f.BinHz)
		}
		if rate < 11000 {
			continue
		}
		if f := frames(rate, 1000, tone(rate, 1, 0.5, 3500))[5]; 10*math.Log10(f.Sum) > -40 {
			t.Errorf("%d Hz: a tone of 3,500 Hz is heard with %.1f dB", rate, 10*math.Log10(f.Sum))
		}
	}
}

// TestCutsChangeNothing divides a signal in several ways.
func TestCutsChangeNothing(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{5512, 8000, 44100} {
		var x []float32
		for _, v := range audiotest.Speech(rate, 2*rate+77) {
			x = append(x, float32(v)/32768)
		}
		want := frames(rate, len(x), x)
		for _, cuts := range []int{1, 2, 3, 17, 4095, 4097} {
			got := frames(rate, cuts, x)
			if !slices.EqualFunc(got, want, func(a, b Frame) bool { return a.Sum == b.Sum && slices.Equal(a.Power, b.Power) }) {
				t.Errorf("%d Hz in cuts of %d: other frames", rate, cuts)
			}
		}
	}
}

// TestHostile hears what is no sound.
func TestHostile(t *testing.T) {
	t.Parallel()
	if n := len(frames(3999, 100, make([]float32, 8000))); n != 0 {
		t.Errorf("%d frames at 3,999 Hz", n)
	}
	x := make([]float32, 16000)
	for i := range x {
		x[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), 1e30, 0}[i%4]
	}
	for i, f := range frames(8000, 333, x) {
		if f.Sum != 0 {
			t.Errorf("frame %d of no sound has %v", i, f.Sum)
		}
	}
}

func BenchmarkMeter(b *testing.B) {
	for _, rate := range []int{8000, 48000} {
		x := tone(rate, 20, 0.5, 700)
		b.Run("", func(b *testing.B) {
			for b.Loop() {
				m := New(rate, func(Frame) {})
				m.Write(x)
				m.Finish()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/20, "us/s")
		})
	}
}
