package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Atoi returns the value of ASCII digits. For more than nine digits it returns 1<<30,
// which is larger than any limit that callers compare with.
func Atoi(s string) int {
	if len(s) > 9 {
		return 1 << 30
	}
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// RuneLen returns the number of code points of a text.
func RuneLen(s string) int {
	n := 0
	for range s {
		n++
	}
	return n
}

// FirstRune returns the first code point of a text.
func FirstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

// LastRune returns the last code point of a text.
func LastRune(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

// IsParted reports whether a rune belongs to a script that puts spaces between words, so
// that a word must not touch it.
func IsParted(r rune) bool {
	k, dense := Classify(r)
	return (k == Word || k == Digits) && !dense
}

// IsIndic reports whether a rune is of a script of India or Sri Lanka (U+0900 to
// U+0DFF).
func IsIndic(r rune) bool { return r >= 0x900 && r < 0xE00 }

// IsLetter reports whether a rune is part of a word or of a number.
func IsLetter(r rune) bool {
	k, _ := Classify(r)
	return k == Word || k == Digits
}

// SetOf returns the words of a text, separated by spaces, as a set.
func SetOf(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// IsApostrophe reports whether a rune is an apostrophe, straight or curled.
func IsApostrophe(r rune) bool { return r == '\'' || r == '’' || r == '‘' }

// IsDash reports whether a rune may stand between the ends of a range.
func IsDash(r rune) bool {
	switch r {
	case '-', '–', '‑', '—', '~', '〜', '～', '‒', '−':
		return true
	}
	return false
}

// IsMark reports whether a rune is a combining mark, which belongs to the letter before
// it.
func IsMark(r rune) bool { return unicode.IsMark(r) }

// raised removes the raised o and a of the Romance languages, which Unicode counts as
// letters.
var raised = strings.NewReplacer("º", "", "ª", "")

// WithoutRaised returns a word without the raised o and a.
func WithoutRaised(w string) string { return raised.Replace(w) }
