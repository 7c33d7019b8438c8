package report

import (
	"testing"
	"time"
)

func TestPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100 - i) // descending, to see that order does not matter
	}
	for _, tt := range []struct {
		name   string
		values []time.Duration
		p      float64
		want   time.Duration
	}{
		{"none", nil, 0.5, 0},
		{"one", []time.Duration{7}, 0.99, 7},
		{"lowest", hundred, 0, 1},
		{"middle", hundred, 0.5, 50},
		{"99th", hundred, 0.99, 99},
		{"highest", hundred, 1, 100},
		{"99th of few is the highest", []time.Duration{3, 1, 2}, 0.99, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Percentile(tt.values, tt.p); got != tt.want {
				t.Errorf("percentile(%v, %v) = %v, want %v", tt.values, tt.p, got, tt.want)
			}
		})
	}
	if hundred[0] != 100 {
		t.Error("percentile changed the order of its values")
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0},
		{[]float64{4}, 4},
		{[]float64{9, 1, 5}, 5},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := Median(tt.values); got != tt.want {
			t.Errorf("median(%v) = %v, want %v", tt.values, got, tt.want)
		}
	}
}

func TestRounds(t *testing.T) {
	t.Parallel()
	r := Rounds{{1, 2, 3}, {10, 20, 30}, {4, 5, 6}}
	if got := r.P50(); got != 5 {
		t.Errorf("p50 = %v, want the median of 2, 20 and 5", got)
	}
	if got := r.P99(); got != 30 {
		t.Errorf("p99 = %v, want the highest of all", got)
	}
	if got := r.Count(); got != 9 {
		t.Errorf("count = %d, want 9", got)
	}
}
