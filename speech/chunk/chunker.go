package chunk

import (
	"unicode"
	"unicode/utf8"

	"vaak/text/segment"
)

// Chunker receives a text as it is written and returns it in chunks. Its work is linear in
// the length of the text. It stores only the text not returned yet and a few dozen words
// before it. It is not safe for concurrent use.
type Chunker struct {
	config   Config
	finder   segment.Finder
	words    words
	pending  pending
	context  sentenceContext
	phrase   phrase
	find     Find // nil if nothing is read as one
	released int  // mode Schedule: up to this offset text may be returned
	releases int  // mode Schedule: how many times released was raised
	ended    bool
}

// New returns a Chunker without text. It applies [Config.Clamped] to the configuration.
func New(c Config) *Chunker { return &Chunker{config: c.Clamped()} }

// Abbreviations makes the chunker ask known, from here on, whether a word with its full
// stop, such as "Dr.", is an abbreviation; see [segment.Sentences]. Without it only common
// abbreviations are known.
func (c *Chunker) Abbreviations(known func(word string) bool) { c.finder.Abbreviation = known }

// Clauses sets [Config.Clauses], from here on.
func (c *Chunker) Clauses(whole bool) { c.config.Clauses = whole }

// Add adds a fragment of any length, which may begin and end inside a word. It does nothing
// after [Chunker.End].
func (c *Chunker) Add(text string) {
	if c.ended {
		return
	}
	// Walk by code point: the finder and words must see a character once, wherever fragments cut.
	c.phrase.begin()
	for text != "" {
		r, n := utf8.DecodeRuneInString(text)
		c.observe(r)
		c.pending.add(text[:n], unicode.IsSpace(r))
		text = text[n:]
	}
	if c.config.Mode == Auto {
		c.speakPhrase()
	}
}

// observe looks at the character that is added next, and closes a unit if one ends before
// it.
func (c *Chunker) observe(r rune) {
	end := c.finder.Before(r)
	if end == segment.SentenceEnd {
		c.endUnit(sentenceEnd)
	}
	// words.observe resets the word when it ends, so keep what is known of it.
	spoken, leads := c.words.spoken, c.words.afterLineEnd
	if c.words.observe(r) {
		at := wordEnd
		if end == segment.ClauseEnd {
			at = clauseEnd
		}
		c.pending.close(at, spoken, leads)
		// Eager cuts after a few words anyway, so it never meets a sentence that is too long.
		if c.config.Mode != Eager || c.config.Clauses {
			c.pending.cutLong()
		}
	}
	if c.config.Mode == Auto {
		c.phrase.feed(r, &c.words, c.finder.Marked())
	}
}

// endUnit makes a chunk end with the text so far.
func (c *Chunker) endUnit(end boundary) {
	c.words = words{}
	n := len(c.pending.units)
	switch {
	case !c.pending.blank():
		c.pending.close(end, true, true)
	case n > 0:
		// Only spaces came since the last unit; the boundary belongs to that unit.
		c.pending.raise(n-1, end)
	case end >= sentenceEnd:
		// The last chunk has been returned, and now its sentence turns out to be over.
		c.context.reset()
	}
}

// Flush makes everything added so far ready to be spoken, whatever it ends with, so it may
// cut a word. Text added later does not continue its sentence. Spaces alone are not
// flushed; they wait for the text after them.
func (c *Chunker) Flush() {
	if c.ended {
		return
	}
	// A flush of new text counts as a chunk of the schedule, so the next threshold applies.
	if c.pending.inkEnd > max(c.released, c.pending.start) {
		c.releases++
	}
	c.endUnit(flushEnd)
	c.phrase = phrase{}
	c.released = c.pending.unitsEnd
}

// End says that no more text comes. What waits is ready to be spoken, as after Flush.
func (c *Chunker) End() {
	if c.ended {
		return
	}
	c.Flush()
	// Spaces at the end of the text wait for a word that will not come.
	c.pending.attachSpaces()
	c.released = c.pending.end
	c.ended = true
}

// Unended returns how many code points follow the last complete word. All text before them
// will be returned, whether or not more is added.
func (c *Chunker) Unended() int { return c.pending.unended() }

// Done reports whether the text has ended and all of it was returned.
func (c *Chunker) Done() bool { return c.ended && c.pending.start == c.pending.end }
