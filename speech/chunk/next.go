package chunk

import (
	"bytes"
	"unicode"
)

// Next returns the next chunk, if one is ready. queued says that the chunk before has just
// been spoken, so the text at hand came faster than it is spoken. Mode Eager then takes as
// much as it may, since longer chunks sound better.
func (c *Chunker) Next(queued bool) (Chunk, bool) {
	n := 0
	switch c.config.Mode {
	case Eager:
		if c.config.Clauses {
			n = c.eagerClause(queued)
		} else {
			n = c.eager(queued)
		}
	case Schedule:
		// Everything released so far was returned.
		if c.released <= c.pending.start {
			c.schedule()
		}
		if c.released > c.pending.start {
			n = c.firstCut()
		}
	default:
		n = c.firstCut()
	}
	if n = c.avoidWholes(n); n == 0 {
		return Chunk{}, false
	}
	return c.pop(n), true
}

// firstCut returns how many units lead up to the first end of a chunk, or 0 if there is
// none.
func (c *Chunker) firstCut() int {
	if c.pending.cuts == 0 {
		return 0
	}
	for i, u := range c.pending.units {
		if u.boundary >= cutEnd {
			return i + 1
		}
	}
	return 0
}

// eager returns how many units to speak next, or 0 to wait. It waits for lookahead only
// while the end of the sentence is not known.
func (c *Chunker) eager(queued bool) int {
	known, peek := c.complete(), c.config.PeekWords
	// An end of the sentence among the units makes lookahead unnecessary.
	if c.pending.cuts == 0 && known < c.config.ChunkWords+peek {
		return 0
	}
	want := c.config.ChunkWords
	if queued {
		want = c.config.MaxChunkWords
	}
	// Look one unit further than wanted, to see a sentence that ends with it.
	for i, u := range c.pending.units[:min(len(c.pending.units), want+peek+1)] {
		if u.boundary < cutEnd {
			continue
		}
		n := i + 1
		if n == want+1 && want > c.config.ChunkWords {
			want-- // leave two words for the next chunk, because one alone sounds chopped
		}
		return min(n, want)
	}
	// No end is known; keep peek words back as lookahead.
	return min(want, known-peek)
}

// eagerClause returns how many units of whole clauses to speak next, or 0 to wait. A few words are
// worth speaking alone only when the speaker would have nothing to say.
func (c *Chunker) eagerClause(queued bool) int {
	n := 0
	for i, u := range c.pending.units {
		if u.boundary < clauseEnd {
			continue
		}
		if n > 0 && i >= c.config.MaxChunkWords {
			return n // however short: the next clause makes it too long
		}
		n = i + 1
		if u.boundary >= cutEnd || !queued && n >= c.config.ChunkWords {
			return n
		}
	}
	if queued || n >= c.config.ChunkWords {
		return n
	}
	return 0
}

// mayEnd reports whether a chunk may end with so many units, as far as clauses matter.
func (c *Chunker) mayEnd(units int) bool {
	return !c.config.Clauses || c.pending.units[units-1].boundary >= clauseEnd
}

// complete returns how many words are complete: the units, and the text after them if a
// space shows that it is a whole word.
func (c *Chunker) complete() int {
	n := len(c.pending.units)
	if c.openIsWord() {
		n++
	}
	return n
}

// openIsWord reports whether the text after the last unit is a complete word of its own.
func (c *Chunker) openIsWord() bool { return c.words.complete() && !c.pending.isGroup() }

// threshold returns how many code points must wait before more is released.
func (c *Chunker) threshold() int {
	return c.config.Characters[min(c.releases, len(c.config.Characters)-1)]
}

// schedule releases text if enough of it waits. It cuts after the last complete sentence,
// else after a clause that ends in the second half, else after a word that has lookahead.
func (c *Chunker) schedule() {
	waiting := c.pending.waiting()
	if waiting < c.threshold() {
		return
	}
	units := c.pending.units
	clause := -1
	for i := len(units) - 1; i >= 0; i-- {
		// The last complete sentence ends here: release everything up to it.
		if units[i].boundary >= sentenceEnd {
			c.release(i)
			return
		}
		late := 2*(units[i].count-c.pending.returned) > waiting
		if clause < 0 && units[i].boundary >= clauseEnd && (late || c.config.Clauses) {
			clause = i
		}
	}
	if clause < 0 && !c.config.Clauses {
		clause = c.complete() - 1 - lookahead
	}
	if clause >= 0 {
		c.release(clause)
	}
}

// release allows chunks up to the end of unit i to be returned.
func (c *Chunker) release(i int) {
	c.pending.raise(i, cutEnd)
	c.released = c.pending.units[i].end
	c.releases++
}

// minTrigger is how many code points must wait for Trigger to have an effect.
const minTrigger = 50

// Trigger releases the complete words that wait in mode Schedule, if they have at least 50
// code points. It does nothing in other modes. A number at the end is kept, because its
// next group of digits may be still to come.
func (c *Chunker) Trigger() {
	if c.config.Mode != Schedule || c.ended {
		return
	}
	// A word that is closed here would not be known to end a clause.
	if c.openIsWord() && !c.config.Clauses {
		c.pending.close(wordEnd, true, true)
		c.words = words{}
	}
	i := len(c.pending.units) - 1
	for i >= 0 && !c.mayEnd(i+1) {
		i--
	}
	// "10 " may go on as "10 000", so the number waits, unless it is all there is.
	if i > 0 && !c.config.Clauses && c.pending.units[i].boundary < cutEnd && c.numeric(i) {
		i--
	}
	if i >= 0 && c.pending.units[i].end > c.released && c.pending.units[i].count-c.pending.returned >= minTrigger {
		c.release(i)
	}
}

// numeric reports whether unit i ends with a digit before its spaces.
func (c *Chunker) numeric(i int) bool {
	s := bytes.TrimRightFunc(c.pending.slice(c.pending.start, c.pending.units[i].end), unicode.IsSpace)
	return len(s) > 0 && isDigits(s[len(s)-1:])
}

// maxAfter is how many words After has at most.
const maxAfter = 8

// pop removes the first n units and returns them as a chunk.
func (c *Chunker) pop(n int) Chunk {
	l := &c.pending
	last := l.units[n-1]
	text := l.slice(l.start, last.end)
	chunk := Chunk{Text: string(text), Before: string(c.context.text), Ends: last.boundary >= sentenceEnd}
	end := last.end
	if !chunk.Ends {
		// Trailing spaces are left out: it is not known whether a word follows them.
		after := bytes.TrimRightFunc(l.slice(last.end, c.knownAfter(n, c.after(n, maxAfter))), unicode.IsSpace)
		chunk.After = string(after)
		end += len(after)
		c.context.add(text, l.units[:n], unit{end: l.start, count: l.returned})
	} else {
		c.context.reset()
	}
	// inkEnd ignores trailing spaces: only a visible character counts as text that follows.
	chunk.Follows = l.inkEnd > end
	l.drop(n)
	return chunk
}

// after returns where the complete words end that follow the first n units in the same
// sentence, at most most of them.
func (c *Chunker) after(n, most int) int {
	end, units := c.pending.units[n-1].end, c.pending.units[n:]
	for i, u := range units {
		if i == most {
			return end
		}
		end = u.end
		if u.boundary >= sentenceEnd {
			return end
		}
	}
	// The last word has no unit yet, but a space has shown that it is complete.
	if len(units) < most && c.words.complete() {
		end = c.pending.end
	}
	return end
}
