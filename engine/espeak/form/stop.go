package form

import "unicode"

// stops writes a danda for full stops that the library does not hear as the end of a
// sentence. It takes one after a single letter for that of an initial, "nine P M. Then",
// and never ends a sentence before a small letter, not even "iPhone". The front end leaves
// no stop after initials and abbreviations that go on. A danda always ends a sentence.
func stops(r []rune) {
	for i, c := range r {
		if c != '.' || i+1 >= len(r) || !unicode.IsSpace(r[i+1]) {
			continue
		}
		next := i + 1
		for next < len(r) && (unicode.IsSpace(r[next]) || unicode.IsPunct(r[next])) {
			next++
		}
		if next < len(r) && (unicode.IsUpper(r[next]) && isLetterAlone(r[:i]) || isBrand(r[next:])) {
			r[i] = '।'
		}
	}
}

// isLetterAlone reports whether a text ends with a single letter of a script with capitals.
func isLetterAlone(r []rune) bool {
	n := len(r)
	return n > 0 && (unicode.IsUpper(r[n-1]) || unicode.IsLower(r[n-1])) && (n == 1 || !unicode.In(r[n-2], unicode.L, unicode.M, unicode.N))
}

// isBrand reports whether a text begins with small letters and then a capital.
func isBrand(r []rune) bool {
	for i, c := range r {
		if !unicode.IsLower(c) {
			return i > 0 && unicode.IsUpper(c)
		}
	}
	return false
}
