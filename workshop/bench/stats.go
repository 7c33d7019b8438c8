package main

import (
	"math"
	"slices"
	"time"
)

// percentile returns the value at rank ceil(p*n) of the ascending order, which
// is a value that was measured. p is in 0..1. It returns 0 for no values.
func percentile[T ~int64 | ~float64](values []T, p float64) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(p * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// median returns the middle value, or the mean of the two in the middle. It
// returns 0 for no values.
func median[T ~int64 | ~float64](values []T) T {
	n := len(values)
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// rounds collects durations round by round.
type rounds [][]time.Duration

// p50 returns the median of the rounds' medians.
func (r rounds) p50() time.Duration {
	middles := make([]time.Duration, 0, len(r))
	for _, round := range r {
		middles = append(middles, percentile(round, 0.5))
	}
	return median(middles)
}

// p99 returns the 99th percentile over all rounds together: a single round is
// too short to tell one.
func (r rounds) p99() time.Duration { return percentile(slices.Concat(r...), 0.99) }

// count returns the number of durations.
func (r rounds) count() int { return len(slices.Concat(r...)) }
