package accents

import (
	"fmt"
	"strings"

	"vaak/engine/espeak/accent"
)

const mapPath = "docs/images/accents.svg"

// shades are the upper bounds of the mean distance by which the map shades the pairs
// that are mapped.
var shades = []float64{0.05, 0.1, 0.15, 0.2, 0.25, 1}

// Sizes of the map, in pixels. A cell is one unit of the group that is scaled.
const (
	cell       = 10
	mapLeft    = 40
	mapTop     = 104
	legendLine = 20
)

// picture returns the map of all pairs: a row for each native language, a column for
// each that is spoken.
func (s results) picture() string {
	width, height := mapLeft+len(s.spoken)*cell+14, mapTop+len(s.natives)*cell+14
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui,sans-serif" font-size="8" role="img">`+"\n", width, height)
	b.WriteString("<title>How voices of 78 native languages (rows) speak 80 languages (columns)</title>\n" + mapStyle)
	fmt.Fprintf(&b, `<rect class="paper" width="%d" height="%d"/>`+"\n", width, height)
	s.legend(&b)
	b.WriteString(`<g class="text" text-anchor="end">`)
	for i, code := range s.natives {
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`, mapLeft-4, mapTop+i*cell+8, code)
	}
	b.WriteString("</g>\n" + `<g class="text">`)
	for i, code := range s.spoken {
		fmt.Fprintf(&b, `<text transform="translate(%d,%d)rotate(-90)">%s</text>`, mapLeft+i*cell+8, mapTop-4, code)
	}
	fmt.Fprintf(&b, "</g>\n"+`<g transform="translate(%d,%d)scale(%d)" fill="none" stroke-width=".9">`+"\n", mapLeft, mapTop, cell)
	for class, cells := range s.cells() {
		if cells != "" {
			fmt.Fprintf(&b, `<path class="%s" d="%s"/>`+"\n", classes[class], cells)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// classes are the colours: native, own, and mapped by shade.
var classes = []string{"native", "own", "m0", "m1", "m2", "m3", "m4", "m5"}

func classOf(m measured) int {
	switch m.Kind {
	case accent.Native:
		return 0
	case accent.Own:
		return 1
	}
	for i, bound := range shades {
		if m.Cost <= bound {
			return 2 + i
		}
	}
	return len(classes) - 1
}

// cells returns the path of each class: a stroke of one unit for each pair, moved to
// from the end of the one before.
func (s results) cells() []string {
	paths := make([]string, len(classes))
	at := make([][2]int, len(classes)) // in tenths of a unit
	for i, m := range s.pairs {
		c := classOf(m)
		x, y := 10*(i%len(s.spoken)), 10*(i/len(s.spoken))+5
		paths[c] += "m" + tenths(x-at[c][0]) + " " + tenths(y-at[c][1]) + "h.9"
		at[c] = [2]int{x + 9, y}
	}
	return paths
}

// tenths writes a number of tenths as short as can be.
func tenths(n int) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	switch {
	case n%10 == 0:
		return sign + fmt.Sprint(n/10)
	case n < 10:
		return fmt.Sprintf("%s.%d", sign, n)
	}
	return fmt.Sprintf("%s%d.%d", sign, n/10, n%10)
}

// legend draws what the colours mean.
func (s results) legend(b *strings.Builder) {
	fmt.Fprintf(b, `<g class="text" font-size="11"><text x="%d" y="16">Rows: native language of the voice. Columns: language that it speaks.</text>`, mapLeft)
	x, y := mapLeft, 16+legendLine
	entry := func(class, label string, width int) {
		fmt.Fprintf(b, `<path class="%s" stroke-width="11" d="M%d %dh11"/><text x="%d" y="%d">%s</text>`, class, x, y-4, x+16, y, label)
		x += width
	}
	entry("native", "one voice reads both languages", 200)
	entry("own", "the phonemes of the language that is spoken", 0)
	x, y = mapLeft, y+legendLine
	entry("m0", "the sounds of the native language, at a mean distance up to 0.05", 440)
	for i, bound := range shades[1 : len(shades)-1] {
		entry(classes[3+i], fmt.Sprint(bound), 48)
	}
	entry(classes[len(classes)-1], "more", 0)
	b.WriteString("</g>\n")
}

// mapStyle has the colours on light and on dark grounds.
const mapStyle = `<style>
.paper{fill:#fff}.text{fill:#222}
.native{stroke:#9aa0a6}.own{stroke:#d9480f}
.m0{stroke:#d6e9f8}.m1{stroke:#a9cff0}.m2{stroke:#74afe0}.m3{stroke:#428bca}.m4{stroke:#2366a3}.m5{stroke:#10406f}
@media(prefers-color-scheme:dark){
.paper{fill:#0d1117}.text{fill:#d7dce2}
.native{stroke:#6b727a}.own{stroke:#ff8a4c}
.m0{stroke:#0f2e4a}.m1{stroke:#164a78}.m2{stroke:#2168a8}.m3{stroke:#3d8bd4}.m4{stroke:#79b4ea}.m5{stroke:#c3dffa}
}
</style>
`
