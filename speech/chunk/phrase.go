package chunk

import (
	"bytes"
	"unicode"
)

// phrase tells, in mode Auto, whether the text so far ends a phrase.
//
// A phrase ends after a mark that ends a sentence or clause, together with the brackets,
// quotation marks and spaces after it. A mark after a digit or inside what may be a link
// ("3.", "10:", "example.com.") may be continued by the next fragment. Such a mark counts
// only before a space, or in a fragment of several words: nobody who sends whole phrases
// splits a number. A full stop that [segment.Finder] does not take for the end of a
// sentence counts before a space after digits or after letters with stops among them
// ("U.S."), and never after a plain word ("Dr.").
type phrase struct {
	kind  phraseKind
	last  rune
	inner bool // the current word has a full stop inside
	words int  // words that have begun in the fragment
}

// phraseKind tells what has ended, and what must still come to be sure of it.
type phraseKind uint8

const (
	goesOn           phraseKind = iota // nothing has ended
	pauseBeforeSpace                   // a clause, if a space follows
	pauses                             // a clause
	overBeforeSpace                    // a sentence, if a space follows
	overInPhrase                       // a sentence, if a space follows or the fragment has several words
	over                               // a sentence
)

// begin starts a fragment.
func (p *phrase) begin() { p.words = 0 }

// feed adds a character, which w has seen. marked reports whether a mark before the end of
// the text ends a sentence, as far as is known.
func (p *phrase) feed(r rune, w *words, marked bool) {
	before := p.last
	p.last = r
	switch {
	case unicode.IsSpace(r):
		p.space()
		return
	case unicode.IsSpace(before) || p.words == 0:
		p.words++
	}
	switch {
	// Full stops have rules of their own: they also stand in numbers and abbreviations.
	case isStop(r):
		p.stop(marked, isStop(before), w)
	case marked && isMark(r):
		p.kind = over
		// A dash between words without a space, as in "1914–1918", is no pause.
	case isMark(r) && !(r == '–' && !unicode.IsSpace(before)):
		p.kind = pauses
		if w.digit || w.link {
			p.kind = pauseBeforeSpace
		}
	case p.kind != goesOn && isTrailing(r): // a bracket or quotation mark after the mark
	default:
		p.inner = p.inner || isStop(before)
		p.kind = goesOn
	}
}

// space adds a space, which settles a doubtful mark before it.
func (p *phrase) space() {
	p.inner = false
	switch p.kind {
	case pauseBeforeSpace:
		p.kind = pauses
	case overBeforeSpace, overInPhrase:
		p.kind = over
	}
}

// stop adds a full stop. again reports whether another stands before it, as in an ellipsis.
func (p *phrase) stop(marked, again bool, w *words) {
	unsure := w.digit || w.link || p.inner
	switch {
	// An ellipsis that the finder does not take for an end is a pause.
	case again && !marked:
		p.kind = pauses
	case unsure && marked:
		p.kind = overInPhrase
	case unsure:
		p.kind = overBeforeSpace
	case marked:
		p.kind = over
	default:
		p.kind = goesOn
	}
}

// boundary returns what ends with the fragment: wordEnd if no phrase does.
func (p *phrase) boundary() boundary {
	switch {
	case p.kind == over, p.kind == overInPhrase && p.words > 1:
		return sentenceEnd
	case p.kind == pauses, p.kind == pauseBeforeSpace && p.words > 1:
		return cutEnd
	}
	return wordEnd
}

// speakPhrase ends a chunk if the text added so far ends a phrase and is more than marks.
func (c *Chunker) speakPhrase() {
	end := c.phrase.boundary()
	if end == wordEnd || c.pending.blank() || c.isScheme() {
		return
	}
	// Marks alone are spoken with the word before them, if that is still here.
	if c.words.spoken || c.pending.lastUnitOpen() {
		c.endUnit(end)
	}
}

// isScheme reports whether the text ends with the start of a link, whose colon is no pause.
func (c *Chunker) isScheme() bool {
	return bytes.HasSuffix(c.pending.text, []byte("http:")) || bytes.HasSuffix(c.pending.text, []byte("https:"))
}

// isStop reports whether a character is a full stop, which also stands inside words.
func isStop(r rune) bool { return r == '.' || r == '۔' || r == '．' }

// isMark reports whether a character ends a sentence or clause.
func isMark(r rune) bool {
	switch r {
	case ',', ';', ':', '!', '?', '…', '—', '―', '–', '،', '؛', '՝', '፣', '፤', '፥', '፦', '\u0387', '、', '，', '；', '：', '､', '﹐', '﹑':
		return true
	}
	return r >= 0x80 && unicode.Is(unicode.Sentence_Terminal, r) || r == '\u0DF4' || r == '।' || r == '॥'
}

// isTrailing reports whether a character may follow the mark that ends a phrase.
func isTrailing(r rune) bool {
	return r == '"' || r == '\'' || r >= 0x80 && unicode.In(r, unicode.M, unicode.Cf) || unicode.In(r, unicode.Pe, unicode.Pf, unicode.Pi)
}
