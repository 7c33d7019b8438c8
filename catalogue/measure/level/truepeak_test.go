package level

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// faded lets a tone swell and fade: one that begins at once does overshoot.
func faded(x []float32) []float32 {
	n := len(x) / 8
	for i := range n {
		g := float32(0.5 - 0.5*math.Cos(math.Pi*float64(i)/float64(n)))
		x[i] *= g
		x[len(x)-1-i] *= g
	}
	return x
}

// The test signals of EBU Tech 3341, cases 15 to 19, and more fractions of the
// rate that samples meet beside their peaks.
func TestTruePeakOfTones(t *testing.T) {
	t.Parallel()
	for _, rate := range rates {
		for _, tt := range []struct {
			name                       string
			fraction, phase, amplitude float64
			want                       float64
		}{
			{"3341-15", 1. / 4, 0, 0.5, -6.02},
			{"3341-16", 1. / 4, 45, 0.5, -6.02},
			{"3341-17", 1. / 6, 60, 0.5, -6.02},
			{"3341-18", 1. / 8, 67.5, 0.5, -6.02},
			{"3341-19", 1. / 4, 45, 1.41, 2.98},
			{"1/3", 1. / 3, 60, 1, 0},
			{"2/5", 2. / 5, 18, 1, 0},
			{"3/7", 3. / 7, 180. / 14, 1, 0},
			{"4/9", 4. / 9, 10, 1, 0},
			{"5/11", 5. / 11, 90. / 11, 1, 0},
		} {
			if rate >= 96000 && tt.fraction > 1./4 {
				continue // beyond what is heard
			}
			tolerance := 0.05
			if rate >= 96000 {
				tolerance = 0.08
			}
			for shift := range 8 {
				phase := (tt.phase + float64(shift)*7.3) * math.Pi / 180
				x := faded(tone(rate, 2000/float64(rate), tt.amplitude, tt.fraction*float64(rate), phase))
				near(t, fmt.Sprintf("%s at %d Hz, phase %d", tt.name, rate, shift), measure(rate, x).TruePeakDBTP, tt.want, tolerance)
			}
		}
	}
}

// A peak between the last samples, or before a block ends, counts as any.
func TestTruePeakAnywhere(t *testing.T) {
	t.Parallel()
	const rate = 8000
	for _, at := range []int{0, 1, 2, 15, 16, 31, 32, 33, block - 1, block, block + 1, 2*block - 2} {
		x := make([]float32, 2*block)
		x[at] = 0.5
		if at+1 < len(x) {
			x[at+1] = 0.5
		}
		want := 20 * math.Log10(0.5*4/math.Pi) // two halves of a sinc
		near(t, fmt.Sprintf("peak at %d", at), measure(rate, x).TruePeakDBTP, want, 0.1)
	}
	if got := measure(rate, make([]float32, 5000)).TruePeakDBTP; got != nil {
		t.Errorf("true peak of silence = %v, want nil", *got)
	}
}

// Passing over what cannot peak changes nothing.
func TestTruePeakPassesOverNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.SampledFrom([]int{8000, 96000}).Draw(t, "rate")
		loud := rapid.SliceOfN(rapid.Float64Range(-1, 1), 8, 8).Draw(t, "envelope")
		some := rapid.SliceOfN(rapid.Float64Range(-1, 1), 50, 50).Draw(t, "samples")
		x := make([]float64, 8*chunk)
		magnitude := make([]float64, len(x)/chunk)
		hz := rapid.Float64Range(0, 0.5).Draw(t, "frequency")
		noise := rapid.Float64Range(0, 1).Draw(t, "noise")
		for i := range x {
			x[i] = loud[i/chunk] * (math.Sin(2*math.Pi*hz*float64(i)) + noise*some[i*7%len(some)])
			magnitude[i/chunk] = max(magnitude[i/chunk], math.Abs(x[i]))
		}
		quick, whole := newTruePeak(rate), newTruePeak(rate)
		quick.scan(x, magnitude)
		points := make([]float64, whole.points*(chunk+2))
		for c := 1; c < len(magnitude)-1; c++ {
			whole.interpolate(points, x[c*chunk-sideTaps:])
			whole.climb(points)
		}
		if quick.highest != whole.highest {
			t.Fatalf("highest = %v, want %v", quick.highest, whole.highest)
		}
	})
}
