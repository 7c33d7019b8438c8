package chunk

import (
	"math"
	"slices"

	"vaak/text"
)

// Find returns the parts of a text that are read as one, ascending, and how much of
// the text, which may go on, is certain: what follows changes nothing that begins
// before.
type Find func(s string) (parts []text.Span, settled int)

// Whole has the chunker ask, from here on, which parts of the text are read as one.
// No chunk ends inside of one, though a sentence should, and none ends where the text
// may still go on as one, unless that was flushed. What is known to follow a chunk ends
// likewise.
func (c *Chunker) Whole(find Find) { c.find = find }

// ahead is how many bytes behind the end of a chunk are looked at for a part that
// begins before it.
const ahead = 1 << 10

// uncut moves the end of the next chunk, of n units, to where it may be; 0 when that
// is not known yet. A sentence that does not end there goes on to the next end; other
// chunks end a few words later, or else earlier.
func (c *Chunker) uncut(n int) int {
	if c.find == nil || n == 0 {
		return n
	}
	units, w := c.line.units, c.wholes(n)
	if units[n-1].stop >= sentenceEnd {
		for m := n; m <= len(units); m++ {
			if units[m-1].stop >= cutEnd && w.free(m) {
				return m
			}
		}
		return 0
	}
	for m := n; m <= len(units); m++ {
		if w.free(m) {
			return m
		}
	}
	for n > 0 && !w.free(n) {
		n--
	}
	return n
}

// wholes says where the text at hand may be cut.
type wholes struct {
	chunker *Chunker
	flush   int // index of the unit that was flushed, or -1
	parts   []text.Span
	settled int
	base    int // from places of the session to those of parts
}

// wholes looks at the text around the end of the first n units.
func (c *Chunker) wholes(n int) wholes {
	l := &c.line
	w := wholes{chunker: c, base: len(c.breath.text) - l.start}
	known := l.end
	w.flush = slices.IndexFunc(l.units, func(u unit) bool { return u.stop == flushEnd })
	if w.flush >= 0 {
		known = l.units[w.flush].end
	}
	to := min(known, l.units[n-1].end+ahead)
	w.parts, w.settled = c.find(string(c.breath.text) + string(l.slice(l.start, to)))
	if w.flush >= 0 && to == known {
		w.settled = math.MaxInt // nothing follows
	}
	return w
}

// free says whether a chunk may end with so many units: what is read as one ends
// before, and so it is with the words that the chunk must know to follow it.
func (w wholes) free(units int) bool {
	c := w.chunker
	if w.flush >= 0 && units > w.flush {
		return units == w.flush+1
	}
	at := c.line.units[units-1].end
	if w.inside(at) != at {
		return false
	}
	if c.line.units[units-1].stop < sentenceEnd {
		at = c.after(units, c.peek())
	}
	return w.base+at <= w.settled
}

// peek returns how many words a chunk must know to follow it, if there are any in its
// sentence.
func (c *Chunker) peek() int {
	if c.config.Mode == Eager {
		return c.config.PeekWords
	}
	return 1
}

// inside returns where the part begins inside of which a place is, or the place.
func (w wholes) inside(at int) int {
	for _, p := range w.parts {
		if p.Start < w.base+at && w.base+at < p.End {
			return p.Start - w.base
		}
	}
	return at
}

// follows returns the end of what may be known to follow the first units: of what is
// known, up to end, that which is certain, and no part of what is read as one.
func (c *Chunker) follows(units, end int) int {
	if c.find == nil {
		return end
	}
	w := c.wholes(units)
	if w.settled < math.MaxInt {
		end = min(end, w.settled-w.base)
	}
	return max(w.inside(end), c.line.units[units-1].end)
}
