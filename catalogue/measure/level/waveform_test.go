package level

import (
	"testing"

	"pgregory.net/rapid"
)

// Each part has the highest magnitude of a stretch that begins and ends at most a
// bucket away from where it should.
func TestWaveform(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 3, 199, 200, 201, 999, 8191, 8192, 8193, 9000, 70000, 262144, 300001}).Draw(t, "samples")
		seed := rapid.IntRange(1, 1000).Draw(t, "seed")
		x := make([]float32, n)
		for i := range x {
			x[i] = float32((i*seed+i*i%977)%2001)/1000 - 1
			if i%(n/7+1) > n/14 {
				x[i] /= 16
			}
		}
		m := NewMeter(8000)
		m.Write(x)
		got := m.Result().Peaks
		count := min(n, parts)
		if len(got) != count {
			t.Fatalf("parts = %d, want %d", len(got), count)
		}
		bucket := 0
		if n > buckets {
			bucket = 2 * n / buckets
		}
		for i, v := range got {
			from, to := i*n/count, ((i+1)*n+count-1)/count
			inner := highestOf(x, from+bucket, to-bucket)
			outer := highestOf(x, from-bucket, to+bucket)
			if n <= buckets {
				inner, outer = highestOf(x, (i*n+count-1)/count, ((i+1)*n)/count), highestOf(x, from, to)
			}
			if v < inner || v > outer {
				t.Fatalf("part %d of %d samples = %v, want %v to %v", i, n, v, inner, outer)
			}
		}
	})
}

// highestOf is the highest magnitude of x from one index to another.
func highestOf(x []float32, from, to int) float64 {
	var highest float32
	for i := max(from, 0); i < min(to, len(x)); i++ {
		highest = max(highest, x[i], -x[i])
	}
	return float64(highest)
}
