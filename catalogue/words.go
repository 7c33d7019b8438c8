package catalogue

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"vaak/lang"
)

// fold returns s in the form that is searched: compatibility forms unified (NFKC), case folded.
func fold(s string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))
}

// wordsOf returns the folded words of s: runs of letters, marks and digits.
func wordsOf(s string) []string {
	return strings.FieldsFunc(fold(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '\u200c' && r != '\u200d'
	})
}

// unspaced are scripts that do not separate words by spaces.
var unspaced = map[string]bool{
	"Hani": true, "Hans": true, "Hant": true, "Hira": true, "Kana": true, "Jpan": true,
	"Thai": true, "Laoo": true, "Khmr": true, "Mymr": true, "Tibt": true,
}

// indexWords returns the texts by whose beginning a search finds s: its words and, in scripts
// without spaces, the remainder of a word from each of its letters.
func indexWords(s string) []string {
	words := wordsOf(s)
	for _, w := range words {
		// A mark belongs to the letter before it, so no suffix begins with one.
		for i, r := range w {
			if i > 0 && !unicode.IsMark(r) && unspaced[lang.ScriptOf(r)] {
				words = append(words, w[i:])
			}
		}
	}
	return words
}
