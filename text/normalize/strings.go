package normalize

import (
	"strings"
	"unicode/utf8"
)

// join puts words beside each other; empty ones are left out.
func (n *Normalizer) join(words ...string) string {
	if len(words) == 2 && (words[0] == "" || words[1] == "") {
		return words[0] + words[1]
	}
	var b strings.Builder
	for _, w := range words {
		if w == "" {
			continue
		}
		if b.Len() > 0 && (n.spaced || letter(firstRune(w)) && firstRune(w) < 0x2E80) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

// atoi returns a small number of ASCII digits, and a large one for many digits.
func atoi(s string) int {
	if len(s) > 9 {
		return 1 << 30
	}
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

func runeLen(s string) int {
	n := 0
	for range s {
		n++
	}
	return n
}

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func lastRune(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

// parted says that a rune is of a word or a number, and of no particle that is
// written on to what it follows.
func parted(r rune) bool {
	k, dense := classify(r)
	return (k == word || k == digits) && !dense
}

// indic says that a rune is of a script of India or Sri Lanka.
func indic(r rune) bool { return r >= 0x900 && r < 0xE00 }

// letter says that a rune is of a word or a number.
func letter(r rune) bool {
	k, _ := classify(r)
	return k == word || k == digits
}

// setOf returns the words of a text as a set.
func setOf(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
