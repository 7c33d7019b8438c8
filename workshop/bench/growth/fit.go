package growth

import (
	"fmt"
	"math"

	"vaak/workshop/bench/report"
)

// kind is how a figure may grow with its size.
type kind struct {
	name  string
	limit float64 // of the exponent
}

var (
	flat   = kind{"flat", 0.1}
	slight = kind{"slight", 0.2} // what small sizes have in memory comes from the database at larger ones
	linear = kind{"linear", 1.1}
)

// lastSlack is by how much the exponent of the last step alone may exceed the limit: it is drawn
// from two figures, whose noise is all its own.
const lastSlack = 0.1

// series is a figure at several sizes.
type series struct {
	of, figure string // what grows; what is measured, with its unit
	kind       kind
	sizes      []int     // ascending
	values     []float64 // in the unit of the figure, one for each size
}

// exponent fits a line to the logarithms by least squares and returns its slope: 0 for a figure
// that stays, 1 for one that doubles with the size, 2 for a quadratic one.
func exponent(sizes []int, values []float64) float64 {
	var x, y, xx, xy float64
	n := float64(len(sizes))
	for i, size := range sizes {
		lx, ly := math.Log(float64(size)), math.Log(max(values[i], math.SmallestNonzeroFloat64))
		x, y, xx, xy = x+lx, y+ly, xx+lx*lx, xy+lx*ly
	}
	return (n*xy - x*y) / (n*xx - x*x)
}

// whole is the exponent over all sizes, last that of the last step. Where a large fixed cost hides
// the growth at all sizes but the largest, the last step shows it.
func (s series) whole() float64 { return exponent(s.sizes, s.values) }

func (s series) last() float64 {
	n := len(s.sizes)
	return exponent(s.sizes[n-2:], s.values[n-2:])
}

// good reports whether the figure grows as it may.
func (s series) good() bool {
	return s.whole() <= s.kind.limit && s.last() <= s.kind.limit+lastSlack
}

// judge notes the target of a series: the greater of both excesses decides.
func (s series) judge(r *report.Report) {
	figure := max(s.whole(), s.last()-lastSlack)
	report.AtMost(r, fmt.Sprintf("Growth of %s with %s, exponent", s.figure, s.of), figure, s.kind.limit, report.Ratio)
}

// table prints series that have the same sizes.
func table(all []series) *report.Table {
	header := []string{"figure"}
	for _, n := range all[0].sizes {
		header = append(header, report.Characters(n))
	}
	t := &report.Table{Header: append(header, "exponent", "of the last step", "may be", "so it is")}
	for _, s := range all {
		cells := []string{s.figure}
		for _, v := range s.values {
			cells = append(cells, amount(v))
		}
		verdict := "yes"
		if !s.good() {
			verdict = "**no**"
		}
		t.Add(append(cells, report.Ratio(s.whole()), report.Ratio(s.last()), fmt.Sprintf("%s, %s", s.kind.name, report.Ratio(s.kind.limit)), verdict)...)
	}
	return t
}

// amount prints three figures of a value, or all before its point.
func amount(v float64) string {
	switch {
	case v >= 100:
		return report.Whole(v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}
