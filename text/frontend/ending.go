package frontend

import (
	"unicode"

	"vaak/text/segment"
)

// ending finds where sentences end: at spaces after a mark that ends sentences,
// or at once after a full-width mark. It would rather miss an end than see one
// after an abbreviation, so a full stop needs a long word before it and no
// small letter after it.
type ending struct {
	state state
	wide  bool // the mark needs no space
	word  int  // letters of the word before here
}

// state says how much of a sentence's end was read.
type state uint8

const (
	inside state = iota
	marked       // a mark, maybe with closing brackets and quotation marks
	parted       // and spaces
)

// sureWord is the length in letters of a word that is hardly an abbreviation.
const sureWord = 5

// before takes the next character and says whether a sentence ends before it.
func (e *ending) before(r rune) bool {
	space := unicode.IsSpace(r)
	switch e.state {
	case marked:
		switch {
		case space:
			e.state = parted
			return false
		case segment.Terminal(r) || segment.Closes(r):
			return false
		case e.wide && !joins(r):
			return true
		}
	case parted:
		if space {
			return false
		}
		if !unicode.IsLower(r) && !joins(r) {
			return true
		}
	}
	e.state = inside
	switch {
	case segment.Terminal(r) && (r != '.' || e.word >= sureWord):
		e.state, e.wide = marked, isWide(r)
		e.word = 0
	case unicode.IsLetter(r):
		e.word++
	case !unicode.Is(unicode.M, r):
		e.word = 0
	}
	return false
}

// joins says that a character belongs to the one before it, or may.
func joins(r rune) bool {
	return r >= 0x80 && (unicode.Is(unicode.M, r) || unicode.Is(unicode.Cf, r) || segment.Closes(r))
}

// isWide says that no space follows a mark where it ends a sentence.
func isWide(r rune) bool {
	switch r {
	case '。', '！', '？', '．', '｡':
		return true
	}
	return false
}
