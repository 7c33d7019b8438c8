package growth

import (
	"math"
	"strings"
	"testing"

	"vaak/workshop/bench/report"
)

var decades = []int{100, 1000, 10_000, 100_000}

// drawn is a series of a law.
func drawn(k kind, law func(n float64) float64) series {
	s := series{of: "rows", figure: "a page, µs", kind: k, sizes: decades}
	for _, n := range decades {
		s.values = append(s.values, law(float64(n)))
	}
	return s
}

func TestExponent(t *testing.T) {
	t.Parallel()
	for _, power := range []float64{0, 0.5, 1, 2} {
		s := drawn(flat, func(n float64) float64 { return 3 * math.Pow(n, power) })
		if got := s.whole(); math.Abs(got-power) > 1e-9 {
			t.Errorf("exponent of n^%g = %g", power, got)
		}
		if got := s.last(); math.Abs(got-power) > 1e-9 {
			t.Errorf("exponent of the last step of n^%g = %g", power, got)
		}
	}
	// By hand: x = 0, 1, 2 and y = 0, 1, 1 in tens have the slope 1/2.
	if got := exponent([]int{1, 10, 100}, []float64{1, 10, 10}); math.Abs(got-0.5) > 1e-9 {
		t.Errorf("exponent = %g, want 0.5", got)
	}
}

// TestJudge plants what must be found, also under a fixed cost that hides it at all sizes but the
// last, and what may not be taken for it.
func TestJudge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		kind kind
		law  func(n float64) float64
		good bool
	}{
		{"constant", flat, func(float64) float64 { return 120 }, true},
		{"depth of a tree", flat, func(n float64) float64 { return 100 + math.Log2(n) }, true},
		{"noise of a tenth", flat, func(n float64) float64 { return 100 + 10*math.Cos(7*math.Log(n)) }, true},
		{"linear that must not be", flat, func(n float64) float64 { return n }, false},
		{"linear that must not be, under a fixed cost", flat, func(n float64) float64 { return 100 + n/500 }, false},
		{"root that must not be", flat, math.Sqrt, false},
		{"root that may only be slight", slight, math.Sqrt, false},
		{"three times at a thousand times the size", slight, func(n float64) float64 { return math.Pow(n, 0.16) }, true},
		{"linear", linear, func(n float64) float64 { return 7 * n }, true},
		{"linear with a fixed cost", linear, func(n float64) float64 { return 5000 + n }, true},
		{"quadratic", linear, func(n float64) float64 { return n * n }, false},
		{"quadratic under a linear cost", linear, func(n float64) float64 { return n + n*n/50_000 }, false},
		{"quadratic under a fixed cost", linear, func(n float64) float64 { return 1e6 + n*n/100 }, false},
	} {
		s := drawn(tt.kind, tt.law)
		if got := s.good(); got != tt.good {
			t.Errorf("%s: good = %v: exponent %.2f, of the last step %.2f", tt.name, got, s.whole(), s.last())
		}
		var r report.Report
		s.judge(&r)
		if missed := strings.Contains(r.Markdown(nil, report.Chapter{}), "**no**"); missed == tt.good {
			t.Errorf("%s: the target is missed = %v, want %v", tt.name, missed, !tt.good)
		}
		if missed := strings.Contains(table([]series{s}).Markdown(), "**no**"); missed == tt.good {
			t.Errorf("%s: the table says that it is missed = %v, want %v", tt.name, missed, !tt.good)
		}
	}
}
