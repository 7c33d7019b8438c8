package chunk

import (
	"unicode"
	"unicode/utf8"

	"vaak/text/segment"
)

// Chunker takes a text as it is written and returns it in chunks. It works in
// time linear in the text and keeps no more than what was not returned, with a
// few dozen words before it. Not safe for concurrent use.
type Chunker struct {
	config Config
	finder segment.Finder
	words  words
	line   line
	breath breath
	phrase phrase
	find   Find // nil: nothing is read as one
	until  int  // Schedule: bytes of the session that may be returned
	round  int  // Schedule: how often that grew
	ended  bool
}

// New returns a Chunker of no text. The configuration is clamped first; see
// [Config.Clamped].
func New(c Config) *Chunker { return &Chunker{config: c.Clamped()} }

// Abbreviations has words with their full stops, such as "Dr.", asked for whether
// they are abbreviations, from here on; see [segment.Sentences]. Without it only
// the usual ones are known.
func (c *Chunker) Abbreviations(known func(word string) bool) { c.finder.Abbreviation = known }

// Add adds a fragment of any length, which may begin and end in the midst of a
// word. After [Chunker.End] it does nothing.
func (c *Chunker) Add(text string) {
	if c.ended {
		return
	}
	c.phrase.begin()
	for text != "" {
		r, n := utf8.DecodeRuneInString(text)
		c.before(r)
		c.line.add(text[:n], unicode.IsSpace(r))
		text = text[n:]
	}
	if c.config.Mode == Auto {
		c.pause()
	}
}

// before looks at the character that is to be added next.
func (c *Chunker) before(r rune) {
	end := c.finder.Before(r)
	if end == segment.SentenceEnd {
		c.stop(sentenceEnd)
	}
	spoken, leads := c.words.spoken, c.words.fresh
	if c.words.before(r) {
		at := wordEnd
		if end == segment.ClauseEnd {
			at = clauseEnd
		}
		c.line.close(at, spoken, leads)
		if c.config.Mode != Eager {
			c.line.bound()
		}
	}
	if c.config.Mode == Auto {
		c.phrase.take(r, &c.words, c.finder.Marked())
	}
}

// stop has a chunk end with the text so far.
func (c *Chunker) stop(end stop) {
	c.words = words{}
	n := len(c.line.units)
	switch {
	case !c.line.blank():
		c.line.close(end, true, true)
	case n > 0:
		c.line.stop(n-1, end)
	case end >= sentenceEnd:
		c.breath.end()
	}
}

// Flush has everything spoken that was added so far, whatever it ends with: it
// may cut a word. What is added later is of a new breath. Spaces alone are not
// flushed, but wait for the text behind them.
func (c *Chunker) Flush() {
	if c.ended {
		return
	}
	if c.line.ink > max(c.until, c.line.start) {
		c.round++
	}
	c.stop(flushEnd)
	c.phrase = phrase{}
	c.until = c.line.opened
}

// End says that no more text comes: what waits is spoken as after a flush.
func (c *Chunker) End() {
	if c.ended {
		return
	}
	c.Flush()
	c.line.rest()
	c.until = c.line.end
	c.ended = true
}

// Waiting returns how many code points were added and not returned in a chunk.
func (c *Chunker) Waiting() int { return c.line.waiting() }

// Unended returns how many code points of them come after the last word that is
// complete. All before it are returned in time, whether or not more is added.
func (c *Chunker) Unended() int { return c.line.unended() }

// Rest returns the text that was added and not returned in a chunk.
func (c *Chunker) Rest() string { return string(c.line.text) }

// Done says that the text has ended and all of it was returned.
func (c *Chunker) Done() bool { return c.ended && c.line.start == c.line.end }
