package notation

import (
	"slices"
	"testing"
	"unicode/utf8"

	"vaak/lang"
)

// The table has an alphabet of each language that is written in Latin.
func TestAlphabets(t *testing.T) {
	t.Parallel()
	for _, l := range lang.All() {
		a := alphabets()[l.Code]
		if slices.Contains(l.Scripts, "Latn") && (len(a) < 15 || !a.has('a') || !a.has('M')) {
			t.Errorf("%s has %d letters", l.Code, len(a))
		}
		for r := range a {
			if !utf8.ValidRune(r) || r < 'a' {
				t.Errorf("%s has the letter %q", l.Code, r)
			}
		}
	}
	for code := range alphabets() {
		if _, ok := lang.Lookup(code); !ok {
			t.Errorf("%s is no language", code)
		}
	}
}
