package accent

import (
	"strings"
	"unicode"
)

// token is a written word.
type token struct {
	start, end int // code points of the clause
	size       int // letters that are read for it
}

// ethiopicSpace separates words of Amharic, as an alternative to a space.
const ethiopicSpace = '፡'

// tokens returns the words of a clause. Words end at spaces, at dashes, and at hyphens other than
// that of ASCII. Tokens without letters are returned only if there are no others.
func tokens(clause string) (all []token) {
	at, open := 0, false
	for _, r := range clause {
		if unicode.IsSpace(r) || r == ethiopicSpace || r >= '‐' && r <= '―' {
			open = false
		} else {
			if !open || unicode.Is(unicode.Han, r) { // the library reads each Han character as a word
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

// namedLetters is how many letters the name of a sign or a digit has, on average.
const namedLetters = 4

// weight returns how much is read for a character, in letters.
func weight(r rune) int {
	switch {
	case unicode.IsLetter(r), unicode.IsMark(r):
		return 1
	case unicode.IsDigit(r), unicode.IsSymbol(r), strings.ContainsRune("@%&#*/\\_", r):
		return namedLetters
	}
	return 0
}
