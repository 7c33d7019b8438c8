package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// daysUntil returns so many days, the last of which is 23 November 2026.
func daysUntil(n int) []time.Time {
	out := make([]time.Time, n)
	for i := range out {
		out[i] = time.Date(2026, 11, 23-n+1+i, 0, 0, 0, 0, time.UTC)
	}
	return out
}

// cases are charts of every shape.
func cases() map[string]Chart {
	r := rand.New(rand.NewPCG(1, 2))
	many := func(days, series int, most int64) Chart {
		c := Chart{Unit: "characters", Days: daysUntil(days)}
		for s := range series {
			one := Series{Name: fmt.Sprintf("<key & %d>", s)}
			for range days {
				one.Values = append(one.Values, r.Int64N(most))
			}
			c.Series = append(c.Series, one)
		}
		return c
	}
	return map[string]Chart{
		"nothing":           {Unit: "characters"},
		"no series":         {Unit: "characters", Days: daysUntil(30)},
		"only zeros":        {Unit: "characters", Days: daysUntil(30), Series: []Series{{"a", make([]int64, 30)}}},
		"one":               {Unit: "characters", Days: daysUntil(7), Series: []Series{{"a", []int64{0, 0, 1}}}},
		"one day":           many(1, 3, 1000),
		"a week":            many(7, 2, 100),
		"a month":           many(30, 8, 1_200_000),
		"a quarter":         many(90, 8, 1_200_000_000),
		"a year":            many(366, 20, 50),
		"the largest":       {Unit: "x", Days: daysUntil(2), Series: []Series{{"a", []int64{math.MaxInt64, 1}}, {"b", []int64{math.MaxInt64, math.MinInt64}}}},
		"too many values":   {Unit: "x", Days: daysUntil(1), Series: []Series{{"a", []int64{1, 1 << 40}}}},
		"text of no script": {Unit: "x", Days: daysUntil(1), Series: []Series{{"\x00\xff]]>\"'</title><script>", []int64{1}}}},
	}
}

func TestLayout(t *testing.T) {
	t.Parallel()
	for name, c := range cases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkLayout(t, c)
			checkMarkup(t, c)
		})
	}
}

// checkLayout checks what holds of every chart: heights are values in proportion, pieces
// stand on each other without a gap, and everything is inside.
func checkLayout(t *testing.T, c Chart) {
	t.Helper()
	l := c.layout()
	if len(l.Bars) != len(c.Days) {
		t.Fatalf("%d bars for %d days", len(l.Bars), len(c.Days))
	}
	const near = 1e-6
	end := float64(left)
	for i, b := range l.Bars {
		if math.Abs(b.Left-end) > near {
			t.Errorf("day %d begins at %v, want %v", i, b.Left, end)
		}
		end = b.Left + b.Width
		floor, sum := float64(bottom), 0.0
		for _, p := range b.Pieces {
			v := c.Series[p.Series].at(i)
			sum += v
			if want := (bottom - top) * v / l.Top; math.Abs(p.Height-want) > near || !(p.Height > 0) {
				t.Errorf("day %d: %v of %v is %v high, want %v", i, v, l.Top, p.Height, want)
			}
			if math.Abs(p.Y+p.Height-floor) > near {
				t.Errorf("day %d: a piece ends at %v, not on %v", i, p.Y+p.Height, floor)
			}
			if floor = p.Y; p.X < b.Left || p.X+p.Width > b.Left+b.Width+near || p.Width <= 0 || p.Width > widest {
				t.Errorf("day %d: the piece %+v is outside of its day %+v", i, p, b)
			}
		}
		if floor < top {
			t.Errorf("day %d is over the box: %v", i, floor)
		}
		if sum != b.Total || b.Total > l.Top*(1+near) {
			t.Errorf("day %d: pieces of %v, total %v, top %v", i, sum, b.Total, l.Top)
		}
	}
	if len(c.Days) > 0 && math.Abs(end-right) > near {
		t.Errorf("the last day ends at %v, want %v", end, right)
	}
	checkAxes(t, c, l)
}

func checkAxes(t *testing.T, c Chart, l layout) {
	t.Helper()
	seen := map[string]bool{}
	for i, tick := range l.Ticks {
		if seen[tick.Text] || float64(len(tick.Text))*textWidth > left-5 {
			t.Errorf("the tick %+v is there twice or too wide", tick)
		}
		if seen[tick.Text] = true; tick.Y < top-1e-9 || tick.Y > bottom || i > 0 && !(tick.Y < l.Ticks[i-1].Y) {
			t.Errorf("the tick %+v is outside or not over the one before", tick)
		}
		mantissa := strings.Trim(strconv.FormatFloat(l.Ticks[1].Value, 'e', 6, 64)[:8], "0.")
		if mantissa != "1" && mantissa != "2" && mantissa != "5" {
			t.Errorf("ticks are %v apart, which is not round", l.Ticks[1].Value)
		}
	}
	if n := len(l.Ticks); n < 2 || n > mostTicks+2 || l.Ticks[0].Value != 0 || l.Ticks[n-1].Value != l.Top {
		t.Errorf("ticks %+v do not go from 0 to %v", l.Ticks, l.Top)
	}
	if n := len(c.Days); n > 0 && (len(l.Days) == 0 || n < 367 && len(l.Days) < min(n, 4)) {
		t.Errorf("%d labels for %d days", len(l.Days), n)
	}
	edge := float64(width)
	for _, d := range l.Days { // from the right to the left
		from, to := d.X-textWidth*float64(len(d.Text))/2, d.X+textWidth*float64(len(d.Text))/2
		if d.Anchor == "end" {
			from, to = d.X-textWidth*float64(len(d.Text)), d.X
		}
		if from < 0 || to > edge {
			t.Errorf("the label %+v, %v to %v, meets the next or the edge at %v", d, from, to, edge)
		}
		edge = from
	}
}

// checkMarkup checks that the drawing is well formed, all its numbers are inside the
// viewBox, and it has no style and no name that was not escaped.
func checkMarkup(t *testing.T, c Chart) {
	t.Helper()
	svg := c.SVG()
	pieces, rects := 0, 0
	for _, b := range c.layout().Bars {
		if pieces += len(b.Pieces); b.Total > 0 {
			rects++
		}
	}
	most := map[string]float64{"x": width, "x1": width, "x2": width, "width": width, "y": height, "y1": height, "y2": height, "height": height}
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%.3000s", err, svg)
		}
		start, is := token.(xml.StartElement)
		if !is {
			continue
		}
		if !strings.Contains(" svg line text g title rect ", " "+start.Name.Local+" ") {
			t.Errorf("there is an element %q", start.Name.Local)
		}
		if start.Name.Local == "rect" {
			rects--
		}
		for _, a := range start.Attr {
			if a.Name.Local == "style" {
				t.Errorf("%s has a style", start.Name.Local)
			}
			if end, placed := most[a.Name.Local]; placed {
				if v, err := strconv.ParseFloat(a.Value, 64); err != nil || !(v >= 0 && v <= end) {
					t.Errorf("%s of %s is %q, outside 0 to %v", a.Name.Local, start.Name.Local, a.Value, end)
				}
			}
		}
	}
	if rects+pieces != 0 {
		t.Errorf("%d rectangles too few for %d pieces", rects+pieces, pieces)
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("what is no number is drawn:\n%.3000s", svg)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	c := Chart{Unit: "characters", Days: daysUntil(3), Series: []Series{{"live <1>", []int64{1_000_000, 200_000}}, {"test", []int64{0, 300_000}}}}
	want := "1,500,000 characters by day from 21 November 2026 to 23 November 2026, most on 21 November 2026 with 1,000,000. live <1> 80%, test 20%."
	if got := c.Summary(); got != want {
		t.Errorf("Summary = %q, want %q", got, want)
	}
	svg := c.SVG()
	for _, want := range []string{
		`role="img" aria-label="1,500,000 characters by day`, `viewBox="0 0 400 200"`,
		"<title>21 November 2026: 1,000,000 characters</title>",
		"<title>22 November 2026: 500,000 characters\ntest: 300,000\nlive &lt;1&gt;: 200,000</title>",
		`class="s1"`, `class="s2"`, ">1M</text>", ">200k</text>", ">23 Nov</text>",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing lacks %q:\n%s", want, svg)
		}
	}
	if got, want := (Chart{Unit: "characters", Days: daysUntil(7)}).Summary(), "No characters by day from 17 November 2026 to 23 November 2026."; got != want {
		t.Errorf("Summary of nothing = %q, want %q", got, want)
	}
}

func TestTicks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		most float64
		want string
	}{
		{0, "0 1"}, {1, "0 1"}, {3, "0 1 2 3"}, {7, "0 2 4 6 8"}, {99, "0 20 40 60 80 100"}, {1000, "0 200 400 600 800 1k"},
		{1_200_000, "0 500k 1M 1.5M"}, {2_100_000, "0 500k 1M 1.5M 2M 2.5M"}, {9.3e18, "0 2E 4E 6E 8E 10E"},
	} {
		var got []string
		for _, tick := range ticks(tt.most) {
			got = append(got, tick.Text)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("ticks(%v) = %q, want %q", tt.most, got, tt.want)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	all := []Series{{"small", []int64{1}}, {"b", []int64{5, 5}}, {"none", []int64{0, -7}}, {"large", []int64{0, 20}}, {"a", []int64{10}}, {"huge", []int64{math.MaxInt64, 2}}}
	names := func(n int) string { return fmt.Sprint(n, " others") }
	for _, tt := range []struct {
		most int
		want string
	}{
		{8, "[{huge [9223372036854775807 2]} {large [0 20]} {a [10]} {b [5 5]} {small [1]}]"},
		{5, "[{huge [9223372036854775807 2]} {large [0 20]} {a [10]} {b [5 5]} {small [1]}]"},
		{3, "[{huge [9223372036854775807 2]} {large [0 20]} {3 others [16 5]}]"},
		{1, "[{5 others [9223372036854775807 27]}]"},
	} {
		if got := fmt.Sprint(Fold(all, tt.most, names)); got != tt.want {
			t.Errorf("Fold to %d = %s, want %s", tt.most, got, tt.want)
		}
	}
	if all[0].Name != "small" || all[5].Values[0] != math.MaxInt64 {
		t.Error("Fold changed what it was given")
	}
}

func TestClass(t *testing.T) {
	t.Parallel()
	for place, want := range map[int]string{0: "s1", 7: "s8", 8: "s8", 100: "s8"} {
		if got := Class(place); got != want {
			t.Errorf("Class(%d) = %q, want %q", place, got, want)
		}
	}
}

func FuzzSVG(f *testing.F) {
	f.Add(uint16(30), uint8(3), "production", int64(1200), int64(7))
	f.Add(uint16(1), uint8(1), "<\x00\xff&", int64(math.MaxInt64), int64(math.MaxInt64))
	f.Add(uint16(0), uint8(0), "", int64(0), int64(0))
	f.Add(uint16(366), uint8(20), "a", int64(-1), int64(math.MinInt64))
	f.Add(uint16(98), uint8(0), "", int64(0), int64(0))
	f.Fuzz(func(t *testing.T, days uint16, series uint8, name string, first, step int64) {
		c := Chart{Unit: name, Days: daysUntil(int(days % 400))}
		v := first
		for s := range int(series % 24) {
			one := Series{Name: name + strconv.Itoa(s)}
			for range int(days%400) + s%3 - 1 {
				one.Values = append(one.Values, v)
				v += step
			}
			c.Series = append(c.Series, one)
		}
		c.Series = Fold(c.Series, MaxSeries, func(n int) string { return fmt.Sprint(n) })
		checkLayout(t, c)
		checkMarkup(t, c)
	})
}
