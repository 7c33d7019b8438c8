package chunk

import (
	"bytes"
	"unicode"
)

// Next returns the next chunk, if one is ready. queued says that the chunk before
// has just been made, so that what is there has queued behind it: then Eager
// takes as much as it may.
func (c *Chunker) Next(queued bool) (Chunk, bool) {
	n := 0
	switch c.config.Mode {
	case Eager:
		n = c.eager(queued)
	case Schedule:
		if c.until <= c.line.start {
			c.schedule()
		}
		if c.until > c.line.start {
			n = c.first()
		}
	default:
		n = c.first()
	}
	if n = c.uncut(n); n == 0 {
		return Chunk{}, false
	}
	return c.take(n), true
}

// first returns how many units there are up to the first that ends a chunk, 0 for
// none.
func (c *Chunker) first() int {
	if c.line.stops == 0 {
		return 0
	}
	for i, u := range c.line.units {
		if u.stop >= cutEnd {
			return i + 1
		}
	}
	return 0
}

// eager returns how many words are to be spoken next. When the end of the
// sentence is known no more words are waited for.
func (c *Chunker) eager(queued bool) int {
	known, peek := c.complete(), c.config.PeekWords
	if c.line.stops == 0 && known < c.config.ChunkWords+peek {
		return 0
	}
	want := c.config.ChunkWords
	if queued {
		want = c.config.MaxChunkWords
	}
	for i, u := range c.line.units[:min(len(c.line.units), want+peek+1)] {
		if u.stop < cutEnd {
			continue
		}
		n := i + 1
		if n == want+1 && want > c.config.ChunkWords {
			want-- // so that not one word alone is left
		}
		return min(n, want)
	}
	return min(want, known-peek)
}

// complete returns how many words are complete, those of the last unit too if
// that is followed by a space.
func (c *Chunker) complete() int {
	n := len(c.line.units)
	if c.openComplete() {
		n++
	}
	return n
}

// openComplete says that the text behind the last unit is a complete word of its
// own.
func (c *Chunker) openComplete() bool { return c.words.complete() && !c.line.isGroup() }

// threshold returns how many code points must wait for the next chunks.
func (c *Chunker) threshold() int {
	return c.config.Characters[min(c.round, len(c.config.Characters)-1)]
}

// schedule releases text if enough of it waits: up to the end of a sentence, else
// of a clause in its second half, else of a word with others behind it.
func (c *Chunker) schedule() {
	waiting := c.line.waiting()
	if waiting < c.threshold() {
		return
	}
	units := c.line.units
	clause := -1
	for i := len(units) - 1; i >= 0; i-- {
		if units[i].stop >= sentenceEnd {
			c.release(i)
			return
		}
		if clause < 0 && units[i].stop >= clauseEnd && 2*(units[i].count-c.line.returned) > waiting {
			clause = i
		}
	}
	if clause < 0 {
		clause = c.complete() - 1 - heldBack
	}
	if clause >= 0 {
		c.release(clause)
	}
}

// release lets chunks be returned up to the end of a unit.
func (c *Chunker) release(i int) {
	c.line.stop(i, cutEnd)
	c.until = c.line.units[i].end
	c.round++
}

// minTrigger is how many code points must wait to be spoken by a trigger.
const minTrigger = 50

// Trigger has the complete words spoken that wait in the mode Schedule, if they
// are 50 code points or more. In other modes it does nothing. A number at the
// end stays, as it may go on.
func (c *Chunker) Trigger() {
	if c.config.Mode != Schedule || c.ended {
		return
	}
	if c.openComplete() {
		c.line.close(wordEnd, true, true)
		c.words = words{}
	}
	i := len(c.line.units) - 1
	if i > 0 && c.line.units[i].stop < cutEnd && c.numeric(i) {
		i--
	}
	if i >= 0 && c.line.units[i].end > c.until && c.line.units[i].count-c.line.returned >= minTrigger {
		c.release(i)
	}
}

// numeric says that a unit ends with a digit and a space.
func (c *Chunker) numeric(i int) bool {
	s := bytes.TrimRightFunc(c.line.slice(c.line.start, c.line.units[i].end), unicode.IsSpace)
	return len(s) > 0 && isDigits(s[len(s)-1:])
}

// maxAfter is how many words After has at most.
const maxAfter = 8

// take returns the first units as a chunk.
func (c *Chunker) take(n int) Chunk {
	l := &c.line
	last := l.units[n-1]
	text := l.slice(l.start, last.end)
	chunk := Chunk{Text: string(text), Before: string(c.breath.text), Ends: last.stop >= sentenceEnd}
	end := last.end
	if !chunk.Ends {
		after := bytes.TrimRightFunc(l.slice(last.end, c.follows(n, c.after(n, maxAfter))), unicode.IsSpace)
		chunk.After = string(after)
		end += len(after)
		c.breath.add(text, l.units[:n], unit{end: l.start, count: l.returned})
	} else {
		c.breath.end()
	}
	chunk.Follows = l.ink > end
	l.drop(n)
	return chunk
}

// after returns where the complete words end, at most so many, that follow n units in
// the same sentence.
func (c *Chunker) after(n, most int) int {
	end, units := c.line.units[n-1].end, c.line.units[n:]
	for i, u := range units {
		if i == most {
			return end
		}
		end = u.end
		if u.stop >= sentenceEnd {
			return end
		}
	}
	if len(units) < most && c.words.complete() {
		end = c.line.end
	}
	return end
}
