package resample

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/audio"
)

// sink keeps what it is given.
type sink struct {
	pcm    []int16
	writes int
	closed int
	err    error // of the next WritePCM
}

func (s *sink) WritePCM(pcm []int16) error {
	if s.err != nil {
		return s.err
	}
	s.pcm = append(s.pcm, pcm...)
	s.writes++
	return nil
}

func (s *sink) Close() error {
	s.closed++
	return nil
}

// convert resamples pcm, cut into blocks of the given sizes and a rest.
func convert(t testing.TB, from, to int, pcm []int16, blocks ...int) []int16 {
	t.Helper()
	var s sink
	w, err := NewWriter(&s, from, to)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range append(blocks, len(pcm)) {
		n = min(n, len(pcm))
		if err := w.WritePCM(pcm[:n]); err != nil {
			t.Fatal(err)
		}
		pcm = pcm[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return s.pcm
}

func noise(n int) []int16 {
	r := rand.New(rand.NewPCG(1, 2))
	pcm := make([]int16, n)
	for i := range pcm {
		pcm[i] = int16(r.IntN(1<<16) - 1<<15)
	}
	return pcm
}

// pairs are all pairs of different rates of the service.
func pairs() (all []pair) {
	for _, from := range audio.SampleRates {
		for _, to := range audio.SampleRates {
			if from != to {
				all = append(all, pair{from, to})
			}
		}
	}
	return all
}

func TestRates(t *testing.T) {
	t.Parallel()
	var s sink
	if w, err := NewWriter(&s, 24000, 24000); err != nil || w != audio.Writer(&s) {
		t.Errorf("NewWriter(24000, 24000) = %v, %v, want dst itself", w, err)
	}
	for _, p := range []pair{{7999, 8000}, {8000, 48001}, {0, 24000}, {24000, -1}} {
		if _, err := NewWriter(&s, p.from, p.to); err == nil {
			t.Errorf("NewWriter(%d, %d): no error", p.from, p.to)
		}
	}
	_, err := NewWriter(&s, 22050, 96000)
	if got, want := fmt.Sprint(err), "sample rate 96000 is outside 8000 to 48000"; got != want {
		t.Errorf("NewWriter(22050, 96000): %q, want %q", got, want)
	}
}

func TestLength(t *testing.T) {
	t.Parallel()
	for _, p := range append(pairs(), pair{11025, 24000}, pair{12000, 8001}) {
		for _, n := range []int{0, 1, 2, 1081, 2049, 5000} {
			got := len(convert(t, p.from, p.to, make([]int16, n)))
			want := int(math.Ceil(float64(n) * float64(p.to) / float64(p.from)))
			if got != want || got != position(n, p.from, p.to) {
				t.Errorf("%d to %d: %d samples became %d, want %d; Position says %d",
					p.from, p.to, n, got, want, position(n, p.from, p.to))
			}
		}
	}
}

// TestLatency checks that outputs leave as soon as their window is complete.
func TestLatency(t *testing.T) {
	t.Parallel()
	var s sink
	w, err := NewWriter(&s, 22050, 24000)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 500; n++ {
		if err := w.WritePCM([]int16{1000}); err != nil {
			t.Fatal(err)
		}
		if got, want := len(s.pcm), position(max(0, n-halfWidth), 22050, 24000); got != want {
			t.Fatalf("after %d samples: %d out, want %d", n, got, want)
		}
	}
}

func TestBlocksDoNotMatter(t *testing.T) {
	t.Parallel()
	pcm := noise(9000)
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(pairs()).Draw(t, "rates")
		n := len(pcm) - rapid.IntRange(0, len(pcm)).Draw(t, "left out")
		blocks := rapid.SliceOf(rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 4000))).Draw(t, "blocks")
		var whole, parts sink
		for _, s := range []*sink{&whole, &parts} {
			w, err := NewWriter(s, p.from, p.to)
			if err != nil {
				t.Fatal(err)
			}
			rest := pcm[:n]
			if s == &parts {
				for _, b := range blocks {
					b = min(b, len(rest))
					if err := w.WritePCM(rest[:b]); err != nil {
						t.Fatal(err)
					}
					rest = rest[b:]
				}
			}
			if err := w.WritePCM(rest); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(whole.pcm, parts.pcm) {
			t.Fatalf("%v in blocks %v differs from one write:\n%s", p, blocks, cmp.Diff(whole.pcm, parts.pcm))
		}
	})
}

func TestKernelsAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(pairs()).Draw(t, "rates")
		tab := tableFor(p.from, p.to)
		start := rapid.IntRange(0, tab.period-1).Draw(t, "start")
		n := rapid.IntRange(0, tab.period-start).Draw(t, "n")
		window := make([]float32, 4*tab.advance+tab.taps)
		gain := rapid.SampledFrom([]float32{1, 0.01}).Draw(t, "gain")
		toFloat(window, noise(len(window)))
		for i := range window {
			window[i] *= gain
		}
		got, want := make([]int16, 4*tab.period), make([]int16, 4*tab.period)
		coef, offsets := tab.coef[start*tab.taps:], tab.offsets[start:][:n]
		convolve(got[:n], window, coef, offsets, tab.taps)
		convolveGo(want[:n], window, coef, offsets, tab.taps)
		if !slices.Equal(want, got) {
			t.Fatalf("%v: kernels differ:\n%s", p, cmp.Diff(want, got))
		}
		convolvePeriods(got, tab, window, coef, offsets)
		convolvePeriodsGo(want, tab, window, coef, offsets)
		if !slices.Equal(want, got) {
			t.Fatalf("%v: kernels of four periods differ:\n%s", p, cmp.Diff(want, got))
		}
	})
	src := noise(1000)
	for n := range len(src) {
		got, want := make([]float32, n), make([]float32, n)
		toFloat(got, src[:n])
		toFloatGo(want, src[:n])
		if !slices.Equal(want, got) {
			t.Fatalf("toFloat of %d samples differs", n)
		}
	}
}

// TestSaturates feeds a square wave, whose edges ring beyond full scale.
func TestSaturates(t *testing.T) {
	t.Parallel()
	pcm := make([]int16, 4000)
	for i := range pcm {
		pcm[i] = math.MaxInt16
		if i/200%2 == 1 {
			pcm[i] = math.MinInt16
		}
	}
	out := convert(t, 22050, 48000, pcm)
	top := 0
	for i, s := range out {
		if want := pcm[i*22050/48000]; i%435 > 120 && i%435 < 315 && (s > 0) != (want > 0) {
			t.Fatalf("sample %d is %d, near %d of the input: it wrapped", i, s, want)
		}
		if s == math.MaxInt16 || s == math.MinInt16 {
			top++
		}
	}
	if top < 100 {
		t.Errorf("only %d samples at full scale", top)
	}
}

func TestLevelStaysFlat(t *testing.T) {
	t.Parallel()
	for _, p := range pairs() {
		pcm := make([]int16, 4000)
		for i := range pcm {
			pcm[i] = 12345
		}
		out := convert(t, p.from, p.to, pcm)
		edge := position(400, p.from, p.to)
		for i, s := range out[edge : len(out)-edge] {
			if s != 12345 {
				t.Errorf("%v: sample %d of a constant 12345 is %d", p, edge+i, s)
				break
			}
		}
	}
}

func TestErrorsAndClose(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	s := sink{err: broken}
	w, err := NewWriter(&s, 22050, 24000)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WritePCM(nil); err != nil {
		t.Errorf("empty write: %v", err)
	}
	for range 2 {
		if err := w.WritePCM(make([]int16, 1000)); !errors.Is(err, broken) {
			t.Errorf("WritePCM: %v, want %v", err, broken)
		}
	}
	for range 2 {
		if err := w.Close(); !errors.Is(err, broken) {
			t.Errorf("Close: %v, want %v", err, broken)
		}
	}
	if s.closed != 1 {
		t.Errorf("dst closed %d times, want once", s.closed)
	}

	w, err = NewWriter(&sink{}, 22050, 24000)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Errorf("Close twice: %v", err)
	}
	if err := w.WritePCM([]int16{1}); err == nil {
		t.Error("WritePCM after Close: no error")
	}
}

// position returns how many samples at to Hz lie before sample n at from Hz,
// which is also the length of n samples after conversion: n*to/from rounded up.
func position(n, from, to int) int {
	return int((int64(n)*int64(to) + int64(from) - 1) / int64(from))
}
