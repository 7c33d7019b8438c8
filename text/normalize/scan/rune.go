package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Atoi returns a small number of ASCII digits, and a large one for many digits.
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

func RuneLen(s string) int {
	n := 0
	for range s {
		n++
	}
	return n
}

func FirstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func LastRune(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

// IsParted says that a rune is of a word or a number, and of no particle that is
// written on to what it follows.
func IsParted(r rune) bool {
	k, dense := Classify(r)
	return (k == Word || k == Digits) && !dense
}

// IsIndic says that a rune is of a script of India or Sri Lanka.
func IsIndic(r rune) bool { return r >= 0x900 && r < 0xE00 }

// IsLetter says that a rune is of a word or a number.
func IsLetter(r rune) bool {
	k, _ := Classify(r)
	return k == Word || k == Digits
}

// SetOf returns the words of a text as a set.
func SetOf(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// IsApostrophe says that a rune is an apostrophe, straight or curled.
func IsApostrophe(r rune) bool { return r == '\'' || r == '’' || r == '‘' }

// IsDash says that a rune may part the ends of a range.
func IsDash(r rune) bool {
	switch r {
	case '-', '–', '‑', '—', '~', '〜', '～', '‒', '−':
		return true
	}
	return false
}

// IsMark says that a rune belongs to the letter before it.
func IsMark(r rune) bool { return unicode.IsMark(r) }
