package accent

import (
	"strings"
	"unicode"
)

// token is a word as it is written.
type token struct {
	start, end int // code points of its clause
	size       int // letters, and for what is read as a word of its own, several
}

// ethiopicSpace stands between words of Amharic in place of a space.
const ethiopicSpace = '፡'

// tokens returns the words of a clause, and what has no letters only where nothing
// else is. They end at spaces and at dashes and the hyphens that are not that of
// ASCII.
func tokens(clause string) (all []token) {
	at, open := 0, false
	for _, r := range clause {
		if unicode.IsSpace(r) || r == ethiopicSpace || r >= '‐' && r <= '―' {
			open = false
		} else {
			if !open || unicode.Is(unicode.Han, r) { // a syllable, and a word to the library
				all, open = append(all, token{start: at}), true
			}
			t := &all[len(all)-1]
			t.end = at + 1
			t.size += weight(r)
		}
		at++
	}
	kept := make([]token, 0, len(all))
	for _, t := range all {
		if t.size > 0 {
			kept = append(kept, t)
		}
	}
	if len(kept) == 0 {
		return all
	}
	return kept
}

// named is how many letters the name of a sign or a digit has.
const named = 4

// weight is how much is read for a character, in letters.
func weight(r rune) int {
	switch {
	case unicode.IsLetter(r), unicode.IsMark(r):
		return 1
	case unicode.IsDigit(r), unicode.IsSymbol(r), strings.ContainsRune("@%&#*/\\_", r):
		return named
	}
	return 0
}
