package browser

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"slices"
)

// commonest returns the n colours that a picture has most of. Colours that are nearly
// the same count as one.
func commonest(m image.Image, n int) color.Palette {
	type tone struct {
		colour color.RGBA
		count  int
	}
	counts := map[color.RGBA]int{}
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			counts[color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)]++
		}
	}
	// The first of a cell of 8 x 8 x 8 shades stands for all of it.
	cells := map[[3]uint8]tone{}
	for c, count := range counts {
		cell := [3]uint8{c.R >> 3, c.G >> 3, c.B >> 3}
		t := cells[cell]
		if count > counts[t.colour] || count == counts[t.colour] && less(c, t.colour) || t.count == 0 {
			t.colour = c
		}
		t.count += count
		cells[cell] = t
	}
	tones := slices.SortedFunc(maps.Values(cells), func(a, b tone) int {
		if c := cmp.Compare(b.count, a.count); c != 0 {
			return c
		}
		if less(a.colour, b.colour) {
			return -1
		}
		return 1
	})
	var p color.Palette
	for _, t := range tones[:min(n, len(tones))] {
		p = append(p, t.colour)
	}
	return p
}

func less(a, b color.RGBA) bool {
	return slices.Compare([]uint8{a.R, a.G, a.B}, []uint8{b.R, b.G, b.B}) < 0
}
