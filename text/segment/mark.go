package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// EndsSentence reports whether a text ends with a mark that ends sentences in one of
// the supported scripts, such as a full stop, an exclamation or question mark, a danda,
// or their Arabic, Chinese, Ethiopic, Armenian and Greek fellows. Closing quotation
// marks and brackets and spaces may follow it. A full stop counts wherever it stands:
// after an abbreviation, too.
func EndsSentence(s string) bool {
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		if isTerminal(r) {
			return true
		}
		s = s[:len(s)-n]
		if r == ';' {
			// The semicolon ends a sentence only after Greek letters, whatever marks are in
			// between.
			before, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(s, func(r rune) bool { return r == ';' || isTerminal(r) }))
			return unicode.Is(unicode.Greek, before)
		}
		if !isCloser(r) && !unicode.IsSpace(r) && !unicode.In(r, unicode.M, unicode.Cf) {
			return false
		}
	}
	return false
}

// isTerminal reports whether a rune ends a sentence: the Unicode property, the
// ellipsis, the Greek question mark and the Sinhala kunddaliya.
func isTerminal(r rune) bool {
	switch r {
	case '.', '!', '?', '…', '\u037E', '\u0DF4', '।', '॥':
		return true
	}
	return r >= utf8.RuneSelf && !isLetterFast(r) && unicode.Is(unicode.Sentence_Terminal, r)
}

// isCloser reports whether a rune may stand between the end of a sentence and its mark.
// Some languages close with the marks that others open with.
func isCloser(r rune) bool {
	switch r {
	case '"', '\'', ')', ']', '}':
		return true
	}
	return r >= utf8.RuneSelf && !isLetterFast(r) && unicode.In(r, unicode.Pe, unicode.Pf, unicode.Pi)
}

// kindOf says what kind of mark a rune is, abbreviated for none.
func kindOf(r rune) mark {
	switch r {
	case '.', '۔', '．':
		return stop
	case '…':
		return ellipsis
	case '!', '?', '؟', '\u037E', '‼', '⁇', '⁈', '⁉':
		return exclaim
	case ',', ';', ':', '،', '؛', '՝', '፣', '፤', '፥', '፦', '·', '\u0387', '–', '—', '-', '\u2E31':
		return comma
	case '、', '，', '；', '：', '､', '﹐', '﹑':
		return wideComma
	}
	if isTerminal(r) {
		return firm
	}
	return abbreviated
}

// isLetterFast says of most letters beyond ASCII that they are one, or a mark or
// digit of their script, without a search.
func isLetterFast(r rune) bool {
	return 0x900 <= r && r < 0xDF2 && r != '।' && r != '॥' || 0x3400 <= r && r < 0xA000 || 0xAC00 <= r && r < 0xD7A4 ||
		0x400 <= r && r < 0x482 || 0xC0 <= r && r < 0x250 && r != '×' && r != '÷'
}

// isWord reports whether a rune is a letter, mark or digit.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return isLatin(byte(r)) || isDigit(byte(r))
	}
	return isLetterFast(r) || unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// isDense reports whether a rune is of a script that puts no space between sentences.
func isDense(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}
