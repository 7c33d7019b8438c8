package level

import (
	"fmt"
	"math"
	"testing"
)

// stereo is how much louder two channels with the same tone are than one. The
// standards give levels of both.
var stereo = 10 * math.Log10(2)

// The test signals of ITU-R BS.1770-4 and EBU Tech 3341, cases 1 to 5, of one
// channel.
func TestIntegratedLoudness(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{8000, 16000, 44100, 48000} {
		for _, tt := range []struct {
			name string
			x    []float32
			want float64
		}{
			{"997 Hz at full scale", tone(rate, 5, 1, 997, 0), -3.01},
			{"3341-1", sequence(rate, part{20, -23}), -23 - stereo},
			{"3341-2", sequence(rate, part{20, -33}), -33 - stereo},
			{"3341-3", sequence(rate, part{10, -36}, part{60, -23}, part{10, -36}), -23 - stereo},
			{"3341-4", sequence(rate, part{10, -72}, part{10, -36}, part{60, -23}, part{10, -36}, part{10, -72}), -23 - stereo},
			{"3341-5", sequence(rate, part{20, -26}, part{20.1, -20}, part{20, -26}), -23 - stereo},
		} {
			near(t, fmt.Sprintf("%s at %d Hz", tt.name, rate), loudnessOf(rate, tt.x).integrated(), tt.want, 0.1)
		}
	}
}

// The test signals of EBU Tech 3342, cases 1 to 4.
func TestLoudnessRange(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{8000, 11025, 48000} {
		for _, tt := range []struct {
			name string
			all  []part
			want float64
		}{
			{"3342-1", []part{{20, -20}, {20, -30}}, 10},
			{"3342-2", []part{{20, -20}, {20, -15}}, 5},
			{"3342-3", []part{{20, -40}, {20, -20}}, 20},
			{"3342-4", []part{{20, -50}, {20, -35}, {20, -20}, {20, -35}, {20, -50}}, 15},
		} {
			got := loudnessOf(rate, sequence(rate, tt.all...)).spread()
			near(t, fmt.Sprintf("%s at %d Hz", tt.name, rate), got, tt.want, 0.1)
		}
	}
}

// loudnessOf has measured x, which the other stages would only make slower.
func loudnessOf(rate int, x []float32) *loudness {
	l := newLoudness(rate)
	samples := make([]float64, block)
	for len(x) > 0 {
		n := min(block, len(x))
		look(samples[:n], x[:n])
		l.add(samples[:n])
		x = x[n:]
	}
	return l
}

// What cannot be told is left out.
func TestNoLoudness(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		rate           int
		x              []float32
		loudness, span bool
	}{
		{"nothing", 8000, nil, false, false},
		{"silence", 8000, make([]float32, 80000), false, false},
		{"under the gate", 8000, sequence(8000, part{10, -72}), false, false},
		{"0.39 s", 8000, sequence(8000, part{0.39, -20}), false, false},
		{"0.4 s", 8000, sequence(8000, part{0.4, -20}), true, false},
		{"2.9 s", 8000, sequence(8000, part{2.9, -20}), true, false},
		{"3 s", 8000, sequence(8000, part{3, -20}), true, true},
		{"3 s of a rate between", 11025, sequence(11025, part{3, -20}), true, true},
		{"a rate too low", 3999, tone(3999, 5, 0.5, 500, 0), false, false},
		{"no rate", 0, tone(8000, 5, 0.5, 500, 0), false, false},
		{"a rate too high", highestRate + 1, tone(8000, 5, 0.5, 500, 0), false, false},
	} {
		got := measure(tt.rate, tt.x)
		if (got.LoudnessLUFS != nil) != tt.loudness || (got.LoudnessRangeLU != nil) != tt.span {
			t.Errorf("%s: loudness, range = %v, %v, want some: %v, %v", tt.name,
				got.LoudnessLUFS, got.LoudnessRangeLU, tt.loudness, tt.span)
		}
	}
}

// Silence after sound must not be slow, which numbers near 0 would make it, and
// must leave no trace.
func TestWeightingSettles(t *testing.T) {
	t.Parallel()
	l := newLoudness(8000)
	x := make([]float64, 8000)
	x[0] = 1
	l.add(x)
	for range 20 {
		l.add(make([]float64, 8000))
	}
	if w := l.weighting; w.s1 != 0 || w.s2 != 0 || w.h1 != 0 || w.h2 != 0 {
		t.Errorf("state after silence = %v %v %v %v, want 0", w.s1, w.s2, w.h1, w.h2)
	}
}
