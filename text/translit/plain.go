package translit

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxPlain is the letters of a word that are looked at to tell its language.
const maxPlain = 64

// plainLetter returns a Latin letter as one of a to z, without its accents, and
// whether it is a capital; 0 for any other rune.
func plainLetter(r rune) (c byte, capital bool) {
	switch {
	case 'a' <= r && r <= 'z':
		return byte(r), false
	case 'A' <= r && r <= 'Z':
		return byte(r) + 'a' - 'A', true
	case r >= 0xC0 && r < 0x250, r >= 0x1E00 && r < 0x1F00:
		var buf [utf8.UTFMax]byte
		d := norm.NFD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition()
		// A canonical decomposition begins with the base letter, such as e of é.
		if len(d) > 1 && d[0] < utf8.RuneSelf {
			return plainLetter(rune(d[0]))
		}
	}
	return 0, false
}

// shape is what the letters of a word look like.
type shape uint8

const (
	lower   shape = iota // a word in small letters
	title                // a word with one capital, its first
	upper                // all capitals, two or more
	strange              // with digits, signs inside or mixed capitals: no word
)

// plain appends a word in letters a to z, at most [maxPlain] of them, and tells
// its shape. An apostrophe inside is left out.
func plain(to []byte, word string) ([]byte, shape) {
	letters, capitals := 0, 0
	first := false
	for _, r := range word {
		c, capital := plainLetter(r)
		if c == 0 {
			if r == '\'' || r == '’' {
				continue
			}
			return to, strange
		}
		if capital {
			first = first || letters == 0
			capitals++
		}
		// The shape is told from all letters, the language from the first of them.
		if letters++; letters <= maxPlain {
			to = append(to, c)
		}
	}
	switch {
	case letters == 0:
		return to, strange
	case capitals == 0:
		return to, lower
	case capitals == 1 && first:
		return to, title
	case capitals == letters:
		return to, upper
	}
	return to, strange
}
