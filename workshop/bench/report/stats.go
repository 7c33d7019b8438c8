package report

import (
	"math"
	"slices"
	"time"
)

// Percentile returns the value at rank ceil(p*n) of the ascending order, which
// is a value that was measured. p is in 0..1. It returns 0 for no values.
func Percentile[T ~int64 | ~float64](values []T, p float64) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(p * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Median returns the middle value, or the mean of the two in the middle. It
// returns 0 for no values.
func Median[T ~int64 | ~float64](values []T) T {
	n := len(values)
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Rounds collects durations round by round.
type Rounds [][]time.Duration

// P50 returns the median of the rounds' medians.
func (r Rounds) P50() time.Duration {
	middles := make([]time.Duration, 0, len(r))
	for _, round := range r {
		middles = append(middles, Percentile(round, 0.5))
	}
	return Median(middles)
}

// P99 returns the 99th percentile over all rounds together: a single round is
// too short to tell one.
func (r Rounds) P99() time.Duration { return Percentile(slices.Concat(r...), 0.99) }

// Count returns the number of durations.
func (r Rounds) Count() int { return len(slices.Concat(r...)) }
