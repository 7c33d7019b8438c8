package level

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vaak/catalogue"
)

// simple computes what amplitude does, one definition after the other.
func simple(rate int, x []float32) catalogue.Channel {
	var c catalogue.Channel
	if len(x) == 0 {
		return c
	}
	n := float64(len(x))
	var squares float64
	for _, v := range x {
		c.DCOffset += float64(v) / n
		squares += float64(v) * float64(v) / n
	}
	if squares > 0 {
		db := 10 * math.Log10(squares)
		c.RMSDBFS = &db
	}
	kind := func(v float32) int {
		switch {
		case v == 0:
			return 0
		case v >= 0.999:
			return 1
		case v <= -0.999:
			return -1
		}
		return 2
	}
	for i := 0; i < len(x); {
		j := i
		for j < len(x) && kind(x[j]) == kind(x[i]) {
			j++
		}
		if k := kind(x[i]); k == 0 && j-i > max(rate/100, 1) {
			c.DigitalSilenceRatio += float64(j-i) / n
		} else if (k == 1 || k == -1) && j-i >= 3 {
			c.ClippingRatio += float64(j-i) / n
		}
		i = j
	}
	return c
}

func TestAmplitudeIsItsDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.SampledFrom([]int{1000, 8000, 11025, 48000}).Draw(t, "rate")
		x := runs(t)
		want := simple(rate, x)
		got := measure(rate, x)
		got = catalogue.Channel{RMSDBFS: got.RMSDBFS, ClippingRatio: got.ClippingRatio,
			DCOffset: got.DCOffset, DigitalSilenceRatio: got.DigitalSilenceRatio}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Fatalf("of %d samples (-want +got):\n%s", len(x), diff)
		}
	})
}

// runs draws runs of values that count, and of others.
func runs(t *rapid.T) []float32 {
	var x []float32
	values := []float32{0, 0, 1, -1, 0.999, -0.9991, 0.9989, 0.25, -0.5}
	for range rapid.IntRange(0, 30).Draw(t, "runs") {
		v := rapid.SampledFrom(values).Draw(t, "value")
		for range rapid.SampledFrom([]int{1, 2, 3, 31, 32, 33, 79, 80, 81, 110, 481, 700}).Draw(t, "length") {
			x = append(x, v)
		}
	}
	return x
}

// What is no number, or beyond measure, neither spoils the rest nor gets out.
func TestHostileSamples(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	x := tone(8000, 4, 0.25, 1000, 0.1)
	for i, v := range []float32{nan, inf, -inf, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32} {
		x[1000*i+17] = v
	}
	m := NewMeter(8000)
	m.Write(x)
	r := m.Result()
	for name, v := range map[string]*float64{"loudness": r.Channel.LoudnessLUFS, "range": r.Channel.LoudnessRangeLU,
		"peak": r.Channel.TruePeakDBTP, "rms": r.Channel.RMSDBFS} {
		if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
			t.Errorf("%s = %v, want a number", name, v)
		}
	}
	near(t, "true peak", r.Channel.TruePeakDBTP, 20*math.Log10(loudest), 1)
	for i, p := range r.Peaks {
		if !(p >= 0 && p <= 1) {
			t.Errorf("peak %d = %v, want 0 to 1", i, p)
		}
	}
}
