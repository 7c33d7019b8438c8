package symbol

import (
	"unicode"

	"vaak/text/normalize/scan"
)

// key reads the name of a key of the telephone, # or *, which stands alone in a
// sentence: press # to go back. After a star, a word in small letters or a comma must
// follow, because other stars are bullets and marks of footnotes.
func (sr *Recognizer) key(in *scan.View, i int) (string, int) {
	if !sr.say.Spaced || in.Kind(i-1) != scan.Space || in.Kind(i-2) != scan.Word || !in.Closes(i+1) || in.Is(i+1, in.Rune(i)) {
		return "", 0
	}
	w := sr.say.Signs.Listed[string(in.Rune(i))]
	if w == "" {
		w = sr.say.Signs.Name(in.Rune(i))
	}
	j := in.Skip(i + 1)
	if in.Is(i, '#') && j > i+1 && in.Kind(j) == scan.Digits && sr.say.Signs.Number != "" {
		w = sr.say.Signs.Number // item # 12
	}
	if w == "" {
		return "", 0
	}
	next := in.Rune(j)
	if in.Rune(i) == '*' && !unicode.IsLower(next) && next != ',' {
		return "", 0
	}
	return sr.word(in, i, w)
}
