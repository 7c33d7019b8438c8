package segment

import (
	"unicode"
	"unicode/utf8"
)

// EndsSentence says whether a text ends with a mark that ends sentences in one
// of the supported scripts, such as a full stop, an exclamation or question
// mark, a danda, or their Arabic, Chinese, Ethiopic and Armenian fellows.
// Closing quotation marks and brackets and spaces may follow it. A full stop
// counts wherever it stands: after an abbreviation, too.
func EndsSentence(s string) bool {
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		if Terminal(r) {
			return true
		}
		if !Closes(r) && !unicode.IsSpace(r) {
			return false
		}
		s = s[:len(s)-n]
	}
	return false
}

// Terminal says that a rune ends a sentence: the Unicode property, the ellipsis,
// the Greek question mark and the Sinhala kunddaliya.
func Terminal(r rune) bool {
	switch r {
	case '.', '!', '?', '…', '\u037E', '\u0DF4':
		return true
	}
	return r >= utf8.RuneSelf && unicode.Is(unicode.Sentence_Terminal, r)
}

// Closes says that a rune may stand between the end of a sentence and its mark.
// Some languages close with the marks that others open with.
func Closes(r rune) bool {
	switch r {
	case '"', '\'', ')', ']', '}':
		return true
	}
	return r >= utf8.RuneSelf && (unicode.Is(unicode.Pe, r) || unicode.Is(unicode.Pf, r) || unicode.Is(unicode.Pi, r))
}
