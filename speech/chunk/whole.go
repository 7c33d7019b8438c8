package chunk

import (
	"math"
	"slices"

	"vaak/text"
)

// Find returns the spans of a text that are read as one, ascending. The text may go on:
// settled is the offset before which no span can change or begin, whatever follows.
type Find func(s string) (parts []text.Span, settled int)

// Whole makes the chunker ask find, from here on, which spans of the text are read as one,
// as the terms of dictionaries are. No chunk ends inside such a span, even if a sentence
// does. No chunk ends where such a span may still grow, unless the caller flushed there.
// The same holds for the end of [Chunk.After].
func (c *Chunker) Whole(find Find) { c.find = find }

// lookBehindEnd is how many bytes after the end of a chunk are searched for a span that
// begins before that end.
const lookBehindEnd = 1 << 10

// avoidWholes moves the end of the next chunk, of n units, to where a chunk may end, or
// returns 0 if that is not known yet. A sentence that may not end there is extended to the
// next end of a chunk. Other chunks end a few words later, or earlier if that is not
// possible.
func (c *Chunker) avoidWholes(n int) int {
	if c.find == nil || n == 0 {
		return n
	}
	units, w := c.pending.units, c.wholes(n)
	// A sentence that may not end here continues up to the next end of a chunk.
	if units[n-1].boundary >= sentenceEnd {
		for m := n; m <= len(units); m++ {
			if units[m-1].boundary >= cutEnd && w.mayEndAt(m) {
				return m
			}
		}
		return 0
	}
	for m := n; m <= len(units); m++ {
		if c.mayEnd(m) && w.mayEndAt(m) {
			return m
		}
	}
	for n > 0 && !(c.mayEnd(n) && w.mayEndAt(n)) {
		n--
	}
	return n
}

// wholes tells where the pending text may be cut.
type wholes struct {
	chunker *Chunker
	flush   int         // index of the flushed unit, or -1
	parts   []text.Span // in the context and the pending text, joined
	settled int         // as Find returns it
	base    int         // what to add to a session offset to get an offset into parts
}

// wholes searches the text around the end of the first n units.
func (c *Chunker) wholes(n int) wholes {
	l := &c.pending
	w := wholes{chunker: c, base: len(c.context.text) - l.start}
	known := l.end
	w.flush = slices.IndexFunc(l.units, func(u unit) bool { return u.boundary == flushEnd })
	if w.flush >= 0 {
		// Nothing after a flush belongs to the text before it.
		known = l.units[w.flush].end
	}
	// Limit the search, or each chunk would search all pending text: quadratic work.
	to := min(known, l.units[n-1].end+lookBehindEnd)
	w.parts, w.settled = c.find(string(c.context.text) + string(l.slice(l.start, to)))
	if w.flush >= 0 && to == known {
		w.settled = math.MaxInt // nothing follows, so nothing can change
	}
	return w
}

// mayEndAt reports whether a chunk may end with so many units: no span contains its end,
// and the same is settled for the words that a chunk must know to follow it.
func (w wholes) mayEndAt(units int) bool {
	c := w.chunker
	// A chunk that would pass the flush must end exactly there.
	if w.flush >= 0 && units > w.flush {
		return units == w.flush+1
	}
	at := c.pending.units[units-1].end
	if w.startOfWhole(at) != at {
		return false
	}
	if c.pending.units[units-1].boundary < sentenceEnd {
		at = c.after(units, c.peek())
	}
	return w.base+at <= w.settled
}

// peek returns how many words a chunk must know to follow it, if its sentence has any.
func (c *Chunker) peek() int {
	if c.config.Mode == Eager {
		return c.config.PeekWords
	}
	return 1
}

// startOfWhole returns the start of the span that contains an offset, or the offset itself
// if none does.
func (w wholes) startOfWhole(at int) int {
	for _, p := range w.parts {
		if p.Start < w.base+at && w.base+at < p.End {
			return p.Start - w.base
		}
	}
	return at
}

// knownAfter returns how far the text after the first units is certain, at most up to end
// and not into a span that is read as one.
func (c *Chunker) knownAfter(units, end int) int {
	if c.find == nil {
		return end
	}
	w := c.wholes(units)
	if w.settled < math.MaxInt {
		end = min(end, w.settled-w.base)
	}
	return max(w.startOfWhole(end), c.pending.units[units-1].end)
}
