package voice

import (
	"strings"
	"unicode"
)

// alike says that two names can be taken for each other when they are read or
// heard: as they sound, roughly, they begin with the same three letters, or
// one is inside the other, or they have the same consonants, or every third
// letter or fewer of the longer one is another (one letter at least).
func alike(a, b string) bool {
	x, y := []rune(sound(a)), []rune(sound(b))
	if len(x) < len(y) {
		x, y = y, x
	}
	begin := min(3, len(y))
	return string(x[:begin]) == string(y[:begin]) ||
		strings.Contains(string(x), string(y)) ||
		consonants(x) == consonants(y) ||
		edits(x, y) <= max(1, len(x)/3)
}

// respelt makes one of the letters that write the same sound in romanised
// names of several languages.
var respelt = strings.NewReplacer(
	"ee", "i", "ii", "i", "oo", "u", "ou", "u", "aa", "a", "ph", "f", "w", "v", "q", "k", "c", "k", "z", "s", "y", "i",
)

// sound returns the letters of a name without accents, with one spelling for
// sounds that have several: no h after a consonant, no letter twice in a row.
func sound(name string) string {
	var key []rune
	for _, r := range respelt.Replace(folded(name)) {
		var last rune
		if len(key) > 0 {
			last = key[len(key)-1]
		}
		aspirate := r == 'h' && last != 0 && !strings.ContainsRune("aeiou", last)
		if unicode.IsLetter(r) && r != last && !aspirate {
			key = append(key, r)
		}
	}
	return string(key)
}

func consonants(letters []rune) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("aeiou", r) {
			return -1
		}
		return r
	}, string(letters))
}
