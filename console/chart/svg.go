package chart

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// SVG returns the drawing as an element. It has a summary in words for people who do not see
// it, and a title for each day. Names are escaped.
func (c Chart) SVG() string {
	l := c.layout()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s" font-size="%d">`, width, height, escape(c.Summary()), textSize)
	b.WriteByte('\n')
	for i, t := range l.Ticks {
		class := "grid"
		if i == 0 {
			class = "rule"
		}
		fmt.Fprintf(&b, `<line class="%s" x1="%d" x2="%d" y1="%[4]s" y2="%[4]s"/><text x="%[5]d" y="%[6]s" text-anchor="end">%[7]s</text>`,
			class, left, right, num(t.Y), left-5, num(t.Y+textSize/3.), t.Text)
		b.WriteByte('\n')
	}
	for i, one := range l.Bars {
		c.draw(&b, i, one)
	}
	for _, d := range l.Days {
		fmt.Fprintf(&b, `<text x="%s" y="%d" text-anchor="%s">%s</text>`, num(d.X), height-6, d.Anchor, d.Text)
	}
	b.WriteString("</svg>")
	return b.String()
}

// draw draws a day. A pointer anywhere in the column of the day shows its title.
func (c Chart) draw(b *strings.Builder, day int, one bar) {
	if one.Total == 0 {
		return
	}
	fmt.Fprintf(b, `<g><title>%s: %s %s`, long(c.Days[day]), whole(one.Total), escape(c.Unit))
	for i := len(one.Pieces) - 1; i >= 0 && len(one.Pieces) > 1; i-- { // from the top, as people see them
		s := c.Series[one.Pieces[i].Series]
		fmt.Fprintf(b, "\n%s: %s", escape(s.Name), whole(s.at(day)))
	}
	fmt.Fprintf(b, `</title><rect x="%s" y="%d" width="%s" height="%d" fill="none" pointer-events="all"/>`, num(one.Left), top, num(one.Width), bottom-top)
	for _, p := range one.Pieces {
		fmt.Fprintf(b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, Class(p.Series), num(p.X), num(p.Y), num(p.Width), num(p.Height))
	}
	b.WriteString("</g>\n")
}

// num writes a coordinate to a hundredth of a unit.
func num(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// escape makes text safe inside elements and attributes. Characters that XML cannot hold
// become U+FFFD.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}
