package respell

import (
	"unicode"
	"unicode/utf8"

	"vaak/lang"
)

// A whole-word rule is tested at both edges of a match, on the text as it was sent. An
// edge is tested only when it is a letter, mark or digit of a script with spaces between
// words: the word must not continue beyond it. A word ends where the script changes, so
// "API" is a word of "APIकी". A digit continues with letters of any script, so "G" is no
// word of "5G", unless the term has letters of another script before the digit:
// "COVID19" is a word of "COVID19है".

// certainty is the result of a test of a text that may continue: no, yes, or not known
// before more of the text arrives.
type certainty uint8

const (
	no certainty = iota
	unknown
	yes
)

// words finds the edges of words in a text.
type words struct {
	*cells
	request lang.Code
	open    bool // more text may follow
}

// nowhere is a cell beyond any match.
const nowhere = int(^uint(0) >> 1)

// begins says whether a word begins at cell i: for matches that go beyond cell after,
// which is -1 for all and nowhere for none. When it is not certain that is for
// text that may go on behind i.
func (w *words) begins(i int) (after int, certain bool) {
	edge := w.list[i].base
	if !tested(edge) {
		return -1, true
	}
	j := i - 1
	for j >= 0 && w.list[j].base == 0 {
		j--
	}
	if j < 0 {
		return -1, true
	}
	before := w.list[j].base
	if !wordly(before) {
		switch w.joined(j) {
		case yes:
			return nowhere, true
		case unknown:
			return -1, false
		}
		return -1, true
	}
	switch {
	case unicode.IsDigit(before):
		return nowhere, true
	case !unicode.IsDigit(edge):
		if sameScript(before, edge) {
			return nowhere, true
		}
		return -1, true
	case spaceless(before):
		return -1, true
	}
	return w.letterAfter(i, before), true
}

// letterAfter returns the cell of the letter that follows the digits from cell i on,
// when it is of another script than the letter before them.
func (w *words) letterAfter(i int, before rune) int {
	for ; i < w.len(); i++ {
		switch r := w.list[i].base; {
		case r == 0 || unicode.IsDigit(r):
		case wordly(r) && !sameScript(before, r):
			return i
		default:
			return nowhere
		}
	}
	if w.open {
		return i
	}
	return nowhere
}

// ends says whether a word ends with cell end-1, for a match that begins at cell start.
func (w *words) ends(start, end int) certainty {
	edge := w.list[end-1].base
	if !tested(edge) {
		return yes
	}
	j := w.after(end - 1)
	if j == w.len() {
		return w.beyond(yes)
	}
	next := w.list[j].base
	if !wordly(next) {
		switch w.joined(j) {
		case yes:
			return no
		case unknown:
			return unknown
		}
		return yes
	}
	if unicode.IsDigit(next) {
		if j == w.len()-1 {
			return w.beyond(no) // it may become a key cap
		}
		return no
	}
	if spaceless(next) || !unicode.IsDigit(edge) && !sameScript(edge, next) {
		return yes
	}
	if unicode.IsDigit(edge) && w.letterBefore(start, end, next) {
		return yes
	}
	if unicode.Is(unicode.Hangul, next) {
		return w.particle(j)
	}
	return no
}

// letterBefore reports whether the digits that end a match follow a letter in it of
// another script than that of the next one.
func (w *words) letterBefore(start, end int, next rune) bool {
	for i := end - 1; i >= start; i-- {
		if r := w.list[i].base; r != 0 && !unicode.IsDigit(r) {
			return wordly(r) && !sameScript(r, next)
		}
	}
	return false
}

// after returns the next cell in which something is not ignored.
func (w *words) after(i int) int {
	for i++; i < w.len() && w.list[i].base == 0; i++ {
	}
	return i
}

// beyond returns what holds at the end of the text, which is not known of one that
// may go on.
func (w *words) beyond(c certainty) certainty {
	if w.open {
		return unknown
	}
	return c
}

// tested reports whether there is a test at an edge with a code point.
func tested(r rune) bool { return wordly(r) && !spaceless(r) }

// wordly reports whether a code point is a letter, mark or digit.
func wordly(r rune) bool {
	if r < utf8.RuneSelf {
		return '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.In(r, unicode.L, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Nl)
}

// spaceless reports whether a letter is of a script that does not part words by spaces.
func spaceless(r rune) bool {
	if r < 0xE00 {
		return false
	}
	switch scriptOf(r) {
	case "Hani", "Hira", "Kana", "Bopo", "Thai", "Laoo", "Khmr", "Mymr":
		return true
	}
	return false
}

// sameScript reports whether two letters or marks may be of one word; those that
// scripts share may be of any.
func sameScript(a, b rune) bool {
	if a < utf8.RuneSelf && b < utf8.RuneSelf {
		return true
	}
	x, y := scriptOf(a), scriptOf(b)
	return x == y || shared(x) || shared(y)
}

// scriptOf returns the script of a letter or mark, also of two that scripts share but
// that are only of words in one.
func scriptOf(r rune) string {
	switch r {
	case 'ー': // long vowel of the two kana
		return "Kana"
	case 'ـ': // line that draws Arabic letters apart
		return "Arab"
	}
	return lang.ScriptOf(r)
}

func shared(script string) bool { return script == "Zyyy" || script == "Zinh" }
