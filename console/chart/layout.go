package chart

import (
	"math"
	"strconv"
	"strings"
)

// The drawing is width by height units. The bars stand in the box of left, top, right and
// bottom; the labels of the axes stand around it. Labels have room for letters of textSize
// units, about textWidth wide. Letters have this size on a phone. Where the drawing is
// larger, the stylesheet makes them smaller.
const (
	width  = 400
	height = 200

	left, top, right, bottom = 42, 10, width - 2, height - 22

	textSize  = 15
	textWidth = 9
)

// widest is the largest width of a bar, and fill the share of the width of a day that a bar
// takes.
const (
	widest = 36
	fill   = 0.78
)

// layout is the positions of all parts, in units of the drawing: x to the right, y down.
type layout struct {
	Top   float64 // the value at the upper end of the box
	Ticks []tick  // of the vertical axis, from 0 up
	Bars  []bar   // one for each day
	Days  []label // below the horizontal axis
}

// tick is a line across the box.
type tick struct {
	Value, Y float64
	Text     string
}

// bar is a day: its part of the box, and the pieces that stand on each other in it.
type bar struct {
	Left, Width float64 // of the day; the bars of pieces are narrower
	Total       float64
	Pieces      []piece // of series that are over 0
}

// piece is the part of a bar that a series has.
type piece struct {
	Series              int
	X, Y, Width, Height float64
}

// label is the name of a day.
type label struct {
	X      float64
	Anchor string // of SVG's text-anchor
	Text   string
}

// layout computes it.
func (c Chart) layout() layout {
	most := 0.0
	for i := range c.Days {
		most = max(most, c.total(i))
	}
	l := layout{Ticks: ticks(most)}
	l.Top = l.Ticks[len(l.Ticks)-1].Value
	for i, t := range l.Ticks {
		l.Ticks[i].Y = bottom - (bottom-top)*t.Value/l.Top
	}
	slot := float64(right-left) / float64(max(len(c.Days), 1))
	// Few days would make bars as wide as the drawing.
	wide := min(slot*fill, widest)
	for i := range c.Days {
		b := bar{Left: left + slot*float64(i), Width: slot, Total: c.total(i)}
		below := 0.0 // the value on which the next piece stands
		for n, s := range c.Series {
			v := s.at(i)
			if v == 0 {
				continue
			}
			high := (bottom - top) * v / l.Top
			below += v
			b.Pieces = append(b.Pieces, piece{
				Series: n, X: b.Left + (slot-wide)/2, Width: wide,
				// Rounding must not lift the piece out of the box.
				Y: max(top, bottom-(bottom-top)*below/l.Top), Height: high,
			})
		}
		l.Bars = append(l.Bars, b)
	}
	l.Days = c.labels(slot)
	return l
}

// mostTicks is how many lines stand above the line of 0 at most. Rounding may add one.
const mostTicks = 5

// ticks returns round numbers from 0 up to the first that is at least most, and at least 1.
// They are multiples of 1, 2 or 5 times a power of ten.
func ticks(most float64) []tick {
	most = max(most, 1)
	// A power of ten at or below the distance that is wanted; the loop takes the first round
	// multiple of it that needs few enough lines.
	step := math.Pow(10, math.Floor(math.Log10(most/mostTicks)))
	for _, n := range []float64{1, 2, 5, 10} {
		if most/(step*n) <= mostTicks {
			step *= n
			break
		}
	}
	step = max(step, 1) // values are whole numbers
	var out []tick
	for i := 0.0; ; i++ {
		out = append(out, tick{Value: i * step, Text: short(i * step)})
		// i > 0, so that there are two ticks at least, and Top is never 0.
		if i > 0 && i*step >= most {
			return out
		}
	}
}

// short writes a round number in few characters: 950, 1.5k, 20M.
func short(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= unit.size {
			return strings.TrimSuffix(strconv.FormatFloat(v/unit.size, 'f', 1, 64), ".0") + unit.name
		}
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// labels returns labels of days at equal distances, counted back from the last day.
func (c Chart) labels(slot float64) []label {
	n := len(c.Days)
	const widest = textWidth * float64(len("30 Nov"))
	// The last label ends at the edge, where its middle cannot be below its bar.
	need := widest + max(0, widest/2-slot/2-(width-right))
	every := n
	for _, step := range []int{1, 2, 3, 4, 5, 7, 10, 14, 21, 30, 45, 61, 91} {
		if slot*float64(step) >= need {
			every = step
			break
		}
	}
	var out []label
	for i := n - 1; i >= 0; i -= every {
		l := label{X: left + slot*(float64(i)+.5), Anchor: "middle", Text: c.Days[i].UTC().Format("2 Jan")}
		if half := textWidth * float64(len(l.Text)) / 2; l.X+half > width {
			l.X, l.Anchor = width, "end"
		}
		out = append(out, l)
	}
	return out
}
