package respell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	zwnj = '\u200C'
	zwj  = '\u200D'
)

// joins reports whether a grapheme cluster is joined to the letter that follows: by a
// virama or a zero width joiner, to one of the same script. Clusters hold the conjuncts
// of some scripts only. A zero width non-joiner parts them.
func joins(cluster, after string) bool {
	if !strings.ContainsFunc(cluster, joiner) {
		return false // as of most
	}
	held := false
	for rest := cluster; rest != ""; {
		r, n := utf8.DecodeLastRuneInString(rest)
		switch {
		case virama(r):
			return letterOf(cluster, after)
		case r == zwnj:
			return false
		case ignorable(r):
			held = held || r == zwj
		case norm.NFD.PropertiesString(rest[len(rest)-n:]).CCC() == 0:
			return held && letterOf(cluster, after)
		}
		rest = rest[:len(rest)-n] // marks such as a nukta may stand behind a virama
	}
	return false
}

// letterOf reports whether a text begins with a letter of the script in which a cluster
// does.
func letterOf(cluster, after string) bool {
	a, _ := utf8.DecodeRuneInString(cluster)
	b, _ := utf8.DecodeRuneInString(after)
	return unicode.IsLetter(a) && unicode.IsLetter(b) && scriptOf(a) == scriptOf(b)
}

func joiner(r rune) bool { return r == zwj || virama(r) }

// virama reports whether a mark takes the vowel from a letter so that the next belongs
// to it. The asat of Myanmar and the phinthu of Thai end syllables and are none.
func virama(r rune) bool {
	switch r {
	case '\u094D', '\u09CD', '\u0A4D', '\u0ACD', '\u0B4D', '\u0BCD', '\u0C4D', '\u0CCD', '\u0D4D', // India
		'\u0DCA',           // Sinhala
		'\u1039', '\u17D2', // Myanmar, Khmer
		'\uAAF6', '\uABED': // Meetei Mayek
		return true
	}
	return false
}
