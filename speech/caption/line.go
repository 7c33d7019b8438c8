package caption

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
	eastasian "golang.org/x/text/width"

	"vaak/text/segment"
)

// columnsOf returns how many columns pieces have on one line.
func columnsOf(u []unit) int {
	n := 0
	for i, piece := range u {
		n += piece.columns
		if piece.spaced && i < len(u)-1 {
			n++
		}
	}
	return n
}

// split returns how many pieces go on the first of two lines, 0 if one line is enough, or -1
// if two lines are not. The lines are made about equally long, preferring to end the first
// with a clause.
func split(u []unit) int {
	all := columnsOf(u)
	if all <= columns {
		return 0
	}
	best, least, first := -1, 0, 0
	for k := 1; k < len(u); k++ {
		first += u[k-1].columns
		second := all - first
		if u[k-1].spaced {
			second--
		}
		// The space at the end of the first line is not written, but the one before the last
		// piece now is inside it.
		if k > 1 && u[k-2].spaced {
			first, second = first+1, second-1
		}
		if first > columns || second > columns {
			continue
		}
		cost := max(first-second, second-first)
		if u[k-1].ends >= segment.ClauseEnd {
			cost -= columns / 3
		}
		if best < 0 || cost < least {
			best, least = k, cost
		}
	}
	return best
}

// mayBreak reports whether a line may end before a character inside text that is written
// without spaces.
func (c *Writer) mayBreak(r rune) bool {
	return c.current.text != "" && (writesNoSpaces(c.last) || writesNoSpaces(r)) && !startsNoLine(r) && !endsNoLine(c.last)
}

// joined reports whether a character belongs to one grapheme cluster with the one before,
// so that nothing may be cut between them. A cluster longer than maxUnit is cut.
func (c *Writer) joined(r rune) bool {
	if c.current.text == "" || len(c.current.text) >= maxUnit {
		return false
	}
	return segment.Extends(r) || c.last == zwj || isFlag(r) && c.flags%2 == 1 || c.current.columns < columns && virama(c.last) && unicode.IsLetter(r)
}

// flags returns how many regional indicators in a row end with r. Two of them make a flag.
func flags(r rune, before int) int {
	if isFlag(r) {
		return before + 1
	}
	return 0
}

func isFlag(r rune) bool { return 0x1F1E6 <= r && r <= 0x1F1FF }

const zwj = 0x200D

// virama reports whether a sign joins two consonants of an Indian script: its canonical
// combining class is 9 (Unicode Standard, section 4.3).
func virama(r rune) bool {
	return r >= 0x900 && norm.NFC.PropertiesString(string(r)).CCC() == 9
}

// isSpace reports whether a character is a space at which a line may end.
func isSpace(r rune) bool {
	switch r {
	case '\u00A0', '\u2007', '\u202F': // no-break spaces
		return false
	}
	return unicode.IsSpace(r)
}

// width returns how many columns a character has (UAX #11).
func width(r rune) int {
	switch {
	case segment.Extends(r):
		return 0
	case r < 0x1100:
		return 1
	}
	switch eastasian.LookupRune(r).Kind() {
	case eastasian.EastAsianWide, eastasian.EastAsianFullwidth:
		return 2
	}
	return 1
}

// writesNoSpaces reports whether a character belongs to a script without spaces between
// words, or to its punctuation.
func writesNoSpaces(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo) ||
		0x3000 <= r && r <= 0x303F || 0xFF01 <= r && r <= 0xFF65 || r == 'ー')
}

// startsNoLine reports whether a line may not begin with a character: closing marks, small
// kana, and signs that lengthen or repeat.
func startsNoLine(r rune) bool {
	switch r {
	case 'ー', '々', '〻', 'ゝ', 'ゞ', 'ヽ', 'ヾ', '〜', '～', '"', '\'', '%', '％', '°',
		'ぁ', 'ぃ', 'ぅ', 'ぇ', 'ぉ', 'っ', 'ゃ', 'ゅ', 'ょ', 'ゎ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ッ', 'ャ', 'ュ', 'ョ', 'ヮ', 'ヵ', 'ヶ':
		return true
	}
	return unicode.In(r, unicode.Pe, unicode.Pf, unicode.Po, unicode.Pd)
}

// endsNoLine reports whether a line may not end with a character: opening marks.
func endsNoLine(r rune) bool {
	return r == '"' || r == '\'' || unicode.In(r, unicode.Ps, unicode.Pi, unicode.Sc)
}
