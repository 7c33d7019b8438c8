package level

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The figures are of the samples, not of how they were cut.
func TestCutsChangeNothing(t *testing.T) {
	t.Parallel()
	spoken := speech(8000, 3.5)
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.SampledFrom([]int{0, 3000, 8000, 11025, 96000}).Draw(t, "rate")
		n := rapid.IntRange(0, len(spoken)).Draw(t, "samples")
		x := append(spoken[:n:n], runs(t)...)
		whole, pieces := NewMeter(rate), NewMeter(rate)
		whole.Write(x)
		for rest := x; len(rest) > 0; {
			n := min(len(rest), rapid.IntRange(0, 6000).Draw(t, "cut"))
			pieces.Write(rest[:n])
			rest = rest[n:]
		}
		if diff := cmp.Diff(whole.Result(), pieces.Result()); diff != "" {
			t.Fatalf("of pieces (-whole +pieces):\n%s", diff)
		}
	})
}

func TestResultIsFinal(t *testing.T) {
	t.Parallel()
	m := NewMeter(8000)
	m.Write(speech(8000, 3.3))
	first := m.Result()
	m.Write(speech(8000, 1))
	if diff := cmp.Diff(first, m.Result()); diff != "" {
		t.Errorf("second result (-first +second):\n%s", diff)
	}
}

// Memory is that of the meter, however long it runs.
func TestMemoryIsFlat(t *testing.T) {
	x := speech(16000, 1)
	m := NewMeter(16000)
	m.Write(x)
	if got := testing.AllocsPerRun(20, func() { m.Write(x) }); got != 0 {
		t.Errorf("allocations of a second of samples = %v, want 0", got)
	}
}

// Nothing may panic, whatever the rate and the length.
func TestShortAndOdd(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{-5, 0, 1, 99, 3999, 4000, 5512, 8000, 44100, 192000, 768000} {
		for _, n := range []int{0, 1, 2, 31, 32, 33, 63, 64, 65, 300, 1023, 1024, 1025, 2047, 3000} {
			m := NewMeter(rate)
			m.Write(tone(8000, float64(n)/8000, 0.5, 1000, 1))
			if got, want := len(m.Result().Peaks), min(n, 200); got != want {
				t.Errorf("parts of %d samples at %d Hz = %d, want %d", n, rate, got, want)
			}
		}
	}
}
