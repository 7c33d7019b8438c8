package timbre

import (
	"fmt"
	"math"
	"strings"

	"vaak/lang"
	"vaak/voice"
)

// The picture, in its own units.
const (
	pictureWidth, pictureHeight = 960, 640
	plotLeft, plotRight         = 76, 936
	plotTop, plotBottom         = 64, 568
	lowHz, highHz               = 70.0, 300.0
)

// plot places voices in the picture.
type plot struct{ left, right float64 } // dB at the edges

// x returns where a timbre is.
func (p plot) x(db float64) float64 {
	return plotLeft + (db-p.left)/(p.right-p.left)*(plotRight-plotLeft)
}

// y returns where a frequency is: pitch is heard by its logarithm.
func (plot) y(hz float64) float64 {
	return plotBottom - math.Log(hz/lowHz)/math.Log(highHz/lowHz)*(plotBottom-plotTop)
}

// drawing returns a picture of the voices: the fundamental frequency against
// the first principal component of timbre, with a title for each voice that a
// browser shows under the pointer. Colours follow the reader's choice of a light
// or a dark page; women are circles and men squares, for who sees no colours.
func drawing(rows []row) string {
	p := plotOf(rows)
	var b strings.Builder
	fmt.Fprintf(&b, pictureHead, pictureWidth, pictureHeight, len(rows), len(rows))
	p.axes(&b)
	for _, r := range rows {
		p.mark(&b, r)
	}
	p.legend(&b, rows)
	b.WriteString("</svg>\n")
	return b.String()
}

const pictureHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title">
<title id="title">Fundamental frequency against timbre of %d voices</title>
<style>
svg { background: #fff; color: #1d2329; font: 13px system-ui, sans-serif; }
text { fill: currentColor; }
.head { font-size: 17px; font-weight: 600; }
.grid { stroke: currentColor; stroke-opacity: .14; }
.female { fill: #c2410c; stroke: #c2410c; }
.male { fill: #1d5fbf; stroke: #1d5fbf; }
.female, .male { fill-opacity: .5; stroke-width: 1; }
@media (prefers-color-scheme: dark) {
svg { background: #14181d; color: #e4e8ec; }
.female { fill: #fb923c; stroke: #fb923c; }
.male { fill: #7cb2ff; stroke: #7cb2ff; }
}
</style>
<text class="head" x="76" y="32">%d voices by pitch and timbre</text>
`

// plotOf leaves a margin at both sides of the timbres.
func plotOf(rows []row) plot {
	least, most := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		least, most = min(least, r.x), max(most, r.x)
	}
	return plot{left: math.Floor(least - 0.5), right: math.Ceil(most + 0.5)}
}

func (p plot) axes(b *strings.Builder) {
	for _, hz := range []float64{80, 100, 120, 150, 180, 220, 260} {
		y := p.y(hz)
		fmt.Fprintf(b, `<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%.0f</text>`+"\n",
			plotLeft, y, plotRight, y, plotLeft-8, y+4.5, hz)
	}
	for db := math.Ceil(p.left/5) * 5; db <= p.right; db += 5 {
		x := p.x(db)
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			x, plotTop, x, plotBottom, x, plotBottom+22, strings.Replace(fmt.Sprintf("%+.0f", db), "+0", "0", 1))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">timbre, first principal component, dB</text>`+"\n",
		(plotLeft+plotRight)/2, plotBottom+50)
	fmt.Fprintf(b, `<text transform="translate(22 %d) rotate(-90)" text-anchor="middle">median fundamental frequency, Hz</text>`+"\n",
		(plotTop+plotBottom)/2)
}

func (p plot) mark(b *strings.Builder, r row) {
	x, y := p.x(r.x), p.y(r.hz)
	shape := fmt.Sprintf(`circle cx="%.1f" cy="%.1f" r="4.5"`, x, y)
	name := "circle"
	if r.gender == voice.Male {
		shape = fmt.Sprintf(`rect x="%.1f" y="%.1f" width="8" height="8"`, x-4, y-4)
		name = "rect"
	}
	native := string(r.native)
	if l, ok := lang.Lookup(r.native); ok {
		native = l.Name
	}
	fmt.Fprintf(b, `<%s class="%s"><title>%s, %s, %.0f Hz</title></%s>`+"\n", shape, r.gender, native, r.gender, r.hz, name)
}

func (p plot) legend(b *strings.Builder, rows []row) {
	women := 0
	for _, r := range rows {
		if r.gender == voice.Female {
			women++
		}
	}
	fmt.Fprintf(b, `<circle cx="%d" cy="27" r="4.5" class="female"/><text x="%d" y="32">%d women</text>`+"\n", plotRight-190, plotRight-180, women)
	fmt.Fprintf(b, `<rect x="%d" y="23" width="8" height="8" class="male"/><text x="%d" y="32">%d men</text>`+"\n", plotRight-84, plotRight-70, len(rows)-women)
}
