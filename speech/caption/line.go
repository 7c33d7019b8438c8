package caption

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
	eastasian "golang.org/x/text/width"

	"vaak/text/segment"
)

// length returns the columns of pieces in one line.
func length(u []unit) int {
	n := 0
	for i, piece := range u {
		n += piece.columns
		if piece.spaced && i < len(u)-1 {
			n++
		}
	}
	return n
}

// split returns how many pieces are in the first of two lines, 0 where one is enough,
// or -1 if they have no room in two. Lines are about as long as each other, and the
// first rather ends with a clause.
func split(u []unit) int {
	all := length(u)
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

// breaks says whether a line may end before a character, in the midst of what is
// written without spaces.
func (c *Writer) breaks(r rune) bool {
	return c.open.text != "" && (dense(c.last) || dense(r)) && !trails(r) && !leads(c.last)
}

// joined says whether a character is of one cluster with the one before it, which is
// not cut; if it goes on without an end, it is.
func (c *Writer) joined(r rune) bool {
	if c.open.text == "" || len(c.open.text) >= longUnit {
		return false
	}
	return segment.Extends(r) || c.last == zwj || isFlag(r) && c.flags%2 == 1 || c.open.columns < columns && virama(c.last) && unicode.IsLetter(r)
}

// flags counts the regional indicators in a row.
func flags(r rune, before int) int {
	if isFlag(r) {
		return before + 1
	}
	return 0
}

func isFlag(r rune) bool { return 0x1F1E6 <= r && r <= 0x1F1FF }

const zwj = 0x200D

// virama says that a sign joins two consonants of an Indian script.
func virama(r rune) bool {
	return r >= 0x900 && norm.NFC.PropertiesString(string(r)).CCC() == 9
}

// isSpace says that a line may end with a character, which is a space.
func isSpace(r rune) bool {
	switch r {
	case '\u00A0', '\u2007', '\u202F': // that hold together what they part
		return false
	}
	return unicode.IsSpace(r)
}

// width returns how many columns a character has.
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

// dense says that a character is of a script that writes no spaces, or of its signs.
func dense(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo) ||
		0x3000 <= r && r <= 0x303F || 0xFF01 <= r && r <= 0xFF65 || r == 'ー')
}

// trails says that a character does not begin a line: signs that end or close, small
// kana and what lengthens or repeats.
func trails(r rune) bool {
	switch r {
	case 'ー', '々', '〻', 'ゝ', 'ゞ', 'ヽ', 'ヾ', '〜', '～', '"', '\'', '%', '％', '°',
		'ぁ', 'ぃ', 'ぅ', 'ぇ', 'ぉ', 'っ', 'ゃ', 'ゅ', 'ょ', 'ゎ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ッ', 'ャ', 'ュ', 'ョ', 'ヮ', 'ヵ', 'ヶ':
		return true
	}
	return unicode.In(r, unicode.Pe, unicode.Pf, unicode.Po, unicode.Pd)
}

// leads says that a character does not end a line: signs that open.
func leads(r rune) bool {
	return r == '"' || r == '\'' || unicode.In(r, unicode.Ps, unicode.Pi, unicode.Sc)
}
