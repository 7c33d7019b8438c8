package talk

import (
	"slices"

	"vaak/catalogue"
)

// union returns the time that is in any of the lists. Each must be in order and not overlap.
func union(lists ...[]Interval) []Interval {
	all := slices.Concat(lists...)
	slices.SortFunc(all, compareIntervals)
	var out []Interval
	for _, i := range all {
		if n := len(out); n > 0 && i.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, i.End)
			continue
		}
		out = append(out, i)
	}
	return out
}

// common returns the time that is in both lists.
func common(a, b []Interval) []Interval {
	var out []Interval
	for i, j := 0, 0; i < len(a) && j < len(b); {
		from, to := max(a[i].Start, b[j].Start), min(a[i].End, b[j].End)
		if from < to {
			out = append(out, Interval{from, to})
		}
		if a[i].End < b[j].End {
			i++
		} else {
			j++
		}
	}
	return out
}

// length returns the time of a list in seconds.
func length(list []Interval) float64 {
	var sum float64
	for _, i := range list {
		sum += i.End - i.Start
	}
	return sum
}

// overlap sets when both speak, and which share of all speech that is.
func overlap(t *catalogue.TurnTaking, a, b []Interval) {
	both := common(a, b)
	t.Overlaps = make([][2]float64, len(both))
	for i, o := range both {
		t.Overlaps[i] = [2]float64{o.Start, o.End}
	}
	if anyone := length(union(a, b)); anyone > 0 {
		t.OverlapRatio = min(length(both)/anyone, 1)
	}
}

// silences returns the pauses of one speaker in which the other is silent too, in
// milliseconds.
func silences(own, other []Interval) []float64 {
	var out []float64
	for i := 1; i < len(own); i++ {
		from, to := own[i-1].End, own[i].Start
		if !speaks(other, from, to) {
			out = append(out, round((to-from)*1000))
		}
	}
	return out
}

// durations returns the lengths of units in seconds.
func durations(list []Interval) []float64 {
	out := make([]float64, len(list))
	for i, u := range list {
		out[i] = round(u.End - u.Start)
	}
	return out
}

// lengths returns the median and the 90th percentile of the lengths of turns, in seconds.
func lengths(turns []catalogue.Turn) *catalogue.Quantiles {
	out := make([]float64, len(turns))
	for i, t := range turns {
		out[i] = round(t.EndS - t.StartS)
	}
	return quantiles(out)
}

// quantiles returns the median and the 90th percentile of values; nil if there are none.
func quantiles(x []float64) *catalogue.Quantiles {
	if len(x) == 0 {
		return nil
	}
	x = slices.Sorted(slices.Values(x))
	return &catalogue.Quantiles{Median: quantile(x, 0.5), P90: quantile(x, 0.9)}
}

// median returns the median of values; nil if there are none.
func median(x []float64) *float64 {
	if len(x) == 0 {
		return nil
	}
	return new(quantile(slices.Sorted(slices.Values(x)), 0.5))
}

// quantile returns a quantile of sorted values, interpolated between the two nearest.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return round(sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i]))
}
