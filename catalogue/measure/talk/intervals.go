package talk

import (
	"cmp"
	"slices"
)

// compareIntervals orders intervals by start, then by end.
func compareIntervals(x, y Interval) int {
	return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.End, y.End))
}

// Union returns the time that is in any interval of any list, in order and without overlap.
// The lists may be in any order. Intervals that do not end after they start are skipped.
func Union(lists ...[]Interval) []Interval {
	all := slices.Concat(lists...)
	slices.SortFunc(all, compareIntervals)
	var out []Interval
	for _, v := range all {
		switch last := len(out) - 1; {
		case !(v.End > v.Start): // also true for NaN
		case last >= 0 && v.Start <= out[last].End:
			out[last].End = max(out[last].End, v.End)
		default:
			out = append(out, v)
		}
	}
	return out
}

// Intersection returns the time that is in both lists. Each must be in order and without
// overlap.
func Intersection(a, b []Interval) []Interval {
	var out []Interval
	for len(a) > 0 && len(b) > 0 {
		v := Interval{Start: max(a[0].Start, b[0].Start), End: min(a[0].End, b[0].End)}
		if v.End > v.Start {
			out = append(out, v)
		}
		// Whichever ends first cannot meet anything further on.
		if a[0].End < b[0].End {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

// Length returns the sum of the lengths of intervals, in seconds.
func Length(intervals []Interval) float64 {
	total := 0.0
	for _, v := range intervals {
		total += v.End - v.Start
	}
	return total
}
