package chunk

import (
	"bytes"
	"unicode"
)

// phrase says, in the mode Auto, whether the text so far ends a phrase.
//
// It does after a mark that ends a sentence or clause, with the brackets,
// quotation marks and spaces behind it. A mark behind a digit or inside what may
// be a link ("3.", "10:", "example.com.") may go on in the next fragment, so it
// counts before a space, or in a fragment of several words, which nobody cuts
// inside a number. A full stop that [segment.Finder] takes for no end of a
// sentence counts behind digits and letters with stops among them ("U.S.") before
// a space, and never behind a word ("Dr.").
type phrase struct {
	kind  phraseKind
	last  rune
	inner bool // the word has a full stop inside
	words int  // of the fragment, begun
}

// phraseKind says what was ended, and what is missing yet to be sure.
type phraseKind uint8

const (
	goesOn phraseKind = iota
	pauseBeforeSpace
	pauses
	overBeforeSpace
	overInPhrase // before a space too
	over
)

// begin begins a fragment.
func (p *phrase) begin() { p.words = 0 }

// take takes a character, of which words knows; marked says that a mark before
// here ends a sentence, as far as is known.
func (p *phrase) take(r rune, w *words, marked bool) {
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
	case isStop(r):
		p.stop(marked, isStop(before), w)
	case marked && isMark(r):
		p.kind = over
	case isMark(r) && !(r == '–' && !unicode.IsSpace(before)):
		p.kind = pauses
		if w.digit || w.link {
			p.kind = pauseBeforeSpace
		}
	case p.kind != goesOn && isTrailing(r):
	default:
		p.inner = p.inner || isStop(before)
		p.kind = goesOn
	}
}

// space takes a space.
func (p *phrase) space() {
	p.inner = false
	switch p.kind {
	case pauseBeforeSpace:
		p.kind = pauses
	case overBeforeSpace, overInPhrase:
		p.kind = over
	}
}

// stop takes a full stop.
func (p *phrase) stop(marked, again bool, w *words) {
	unsure := w.digit || w.link || p.inner
	switch {
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

// ends returns what ends with the fragment, wordEnd for nothing.
func (p *phrase) ends() stop {
	switch {
	case p.kind == over, p.kind == overInPhrase && p.words > 1:
		return sentenceEnd
	case p.kind == pauses, p.kind == pauseBeforeSpace && p.words > 1:
		return cutEnd
	}
	return wordEnd
}

// pause has what was added spoken if it ends a phrase, and is more than marks.
func (c *Chunker) pause() {
	end := c.phrase.ends()
	if end == wordEnd || c.line.blank() || c.isScheme() {
		return
	}
	if c.words.spoken || c.line.inner() {
		c.stop(end)
	}
}

// isScheme says that the text ends with the beginning of a link.
func (c *Chunker) isScheme() bool {
	return bytes.HasSuffix(c.line.text, []byte("http:")) || bytes.HasSuffix(c.line.text, []byte("https:"))
}

// isStop says that a character is a full stop that also stands in words.
func isStop(r rune) bool { return r == '.' || r == '۔' || r == '．' }

// isMark says that a character ends a sentence or clause.
func isMark(r rune) bool {
	switch r {
	case ',', ';', ':', '!', '?', '…', '—', '―', '–', '،', '؛', '՝', '፣', '፤', '፥', '፦', '\u0387', '、', '，', '；', '：', '､', '﹐', '﹑':
		return true
	}
	return r >= 0x80 && unicode.Is(unicode.Sentence_Terminal, r) || r == '\u0DF4' || r == '।' || r == '॥'
}

// isTrailing says that a character may stand behind the mark that ends a phrase.
func isTrailing(r rune) bool {
	return r == '"' || r == '\'' || r >= 0x80 && unicode.In(r, unicode.M, unicode.Cf) || unicode.In(r, unicode.Pe, unicode.Pf, unicode.Pi)
}
