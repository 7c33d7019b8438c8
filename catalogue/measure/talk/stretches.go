package talk

import (
	"slices"

	"vaak/catalogue"
)

// overlap sets when both speak, and which share of all speech that is.
func overlap(t *catalogue.TurnTaking, a, b []Interval) {
	both := Intersection(a, b)
	t.Overlaps = make([][2]float64, len(both))
	for i, o := range both {
		t.Overlaps[i] = [2]float64{o.Start, o.End}
	}
	if anyone := Length(Union(a, b)); anyone > 0 {
		t.OverlapRatio = min(Length(both)/anyone, 1)
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
