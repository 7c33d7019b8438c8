// Package chart draws sums by day as a bar chart in SVG, the series of a day stacked on
// each other. A drawing has classes and no colours, so that one stylesheet serves light
// and dark; and few, large labels, so that it can be read on a phone.
package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MaxSeries is how many series can be told apart: the classes s1 to s8.
const MaxSeries = 8

// Series is one thing that was counted.
type Series struct {
	Name string
	// Values are those of the days of the chart, in their order. Missing ones, and those
	// under 0, are 0; those beyond the days are left out.
	Values []int64
}

// Total returns the sum of the values, in float64 since it may be over any int64.
func (s Series) Total() (sum float64) {
	for _, v := range s.Values {
		sum += float64(max(v, 0))
	}
	return sum
}

// at returns the value of a day.
func (s Series) at(day int) float64 {
	if day >= len(s.Values) {
		return 0
	}
	return float64(max(s.Values[day], 0))
}

// Chart is what is drawn.
type Chart struct {
	Unit   string      // of the values, in the plural, such as "characters"
	Days   []time.Time // in UTC, each after the one before
	Series []Series    // the first at the bottom
}

// Class returns the class of series n, from 0: s1 to s8. All series after the eighth share
// the last class.
func Class(n int) string { return "s" + strconv.Itoa(min(n, MaxSeries-1)+1) }

// Fold returns the largest series, the largest first, and at most so many of them. When there
// are more, the last one is the sum of the others, and name returns its name. Series that
// are always 0 are left out. Equal series are sorted by name. Most is 1 or more.
func Fold(all []Series, most int, name func(others int) string) []Series {
	all = slices.DeleteFunc(slices.Clone(all), func(s Series) bool { return s.Total() == 0 })
	slices.SortFunc(all, func(a, b Series) int {
		return cmp.Or(cmp.Compare(b.Total(), a.Total()), cmp.Compare(a.Name, b.Name))
	})
	if len(all) <= most {
		return all
	}
	// The capacity is cut, so that append does not overwrite the first of the others.
	shown, others := all[:most-1:most-1], all[most-1:]
	return append(shown, sum(name(len(others)), others))
}

// sum adds series up. A sum over the range of int64 becomes the largest int64.
func sum(name string, all []Series) Series {
	out := Series{Name: name}
	for _, s := range all {
		for i, v := range s.Values {
			if i == len(out.Values) {
				out.Values = append(out.Values, 0)
			}
			// Asked before the addition, because a sum that overflows is negative and cannot be
			// told.
			if v = max(v, 0); out.Values[i] > math.MaxInt64-v {
				v = math.MaxInt64 - out.Values[i]
			}
			out.Values[i] += v
		}
	}
	return out
}

// Summary says in a sentence or two what the chart shows.
func (c Chart) Summary() string {
	if len(c.Days) == 0 {
		return "No days."
	}
	days := "on " + long(c.Days[0])
	if len(c.Days) > 1 {
		days = "by day from " + long(c.Days[0]) + " to " + long(c.Days[len(c.Days)-1])
	}
	total, most, best := 0.0, 0.0, 0
	for i := range c.Days {
		sum := c.total(i)
		total += sum
		if sum > most {
			most, best = sum, i
		}
	}
	if total == 0 {
		return fmt.Sprintf("No %s %s.", c.Unit, days)
	}
	out := fmt.Sprintf("%s %s %s", whole(total), c.Unit, days)
	if len(c.Days) > 1 {
		out += fmt.Sprintf(", most on %s with %s", long(c.Days[best]), whole(most))
	}
	var shares []string
	for _, s := range c.Series {
		shares = append(shares, fmt.Sprintf("%s %.0f%%", s.Name, 100*c.of(s)/total))
	}
	return out + ". " + strings.Join(shares, ", ") + "."
}

// of returns the sum of a series over the days.
func (c Chart) of(s Series) float64 {
	s.Values = s.Values[:min(len(s.Values), len(c.Days))]
	return s.Total()
}

// total returns the sum of a day.
func (c Chart) total(day int) (sum float64) {
	for _, s := range c.Series {
		sum += s.at(day)
	}
	return sum
}

func long(t time.Time) string { return t.UTC().Format("2 January 2006") }

// whole writes a whole number of any size with its thousands apart.
func whole(v float64) string {
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
