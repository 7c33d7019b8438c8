package measure

import (
	"fmt"
	"unicode"

	"vaak/lang"
)

// strayShare is the share of the letters of a transcript under which the letters of a script do
// not belong there: a Cyrillic а in English words, for instance.
const strayShare = 0.01

// signs counts the letters and marks of transcripts.
type signs struct {
	ascii [128]int
	other map[rune]int
}

// add counts the signs of a text without its tags.
func (s *signs) add(text string) {
	for _, r := range text {
		switch {
		case r < 128:
			s.ascii[r]++
		case s.other == nil:
			s.other = map[rune]int{r: 1}
		default:
			s.other[r]++
		}
	}
}

// outside returns the signs that are not in the alphabet of their text, by "U+XXXX", and how many
// letters there are. Outside are letters of a script that hardly occurs, letters that no
// language of the text is written with, and signs that no text has: control characters,
// the replacement character, those of private use, and unassigned ones. lacks tells whether
// no language of the text that uses a writing system has a letter.
func (s *signs) outside(lacks func(system string, r rune) bool) (found map[string]int, letters int) {
	scripts := map[string]int{}
	for r, n := range s.all {
		if unicode.IsLetter(r) {
			letters += n
			scripts[systemOf(lang.ScriptOf(r))] += n
		}
	}
	for r, n := range s.all {
		if !stray(r, letters, scripts, lacks) {
			continue
		}
		if found == nil {
			found = map[string]int{}
		}
		found[fmt.Sprintf("U+%04X", r)] += n
	}
	return found, letters
}

func stray(r rune, letters int, scripts map[string]int, lacks func(string, rune) bool) bool {
	switch {
	case r == '\n' || r == '\r' || r == '\t':
		return false
	// Joiners belong to Indian and Arabic words, and marks of direction to texts that mix.
	case unicode.Is(unicode.Cf, r):
		return false
	case r == unicode.ReplacementChar || unicode.IsControl(r) || unicode.Is(unicode.Co, r) || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z):
		return true
	case !unicode.IsLetter(r):
		return false
	}
	system := systemOf(lang.ScriptOf(r))
	// Latin letters without an accent are in texts of all scripts.
	if r < 128 || system == "" {
		return false
	}
	if float64(scripts[system]) < strayShare*float64(letters) {
		return true
	}
	return lacks(system, r)
}

// all yields the signs that occur and how often.
func (s *signs) all(yield func(rune, int) bool) {
	for r, n := range s.ascii {
		if n > 0 && !yield(rune(r), n) {
			return
		}
	}
	for r, n := range s.other {
		if !yield(r, n) {
			return
		}
	}
}
