package catalogue

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"vaak/lang"
)

// fold returns s as searching sees it: compatible forms made one, case folded.
func fold(s string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))
}

// wordsOf returns the words of s, folded: runs of letters, marks and digits.
func wordsOf(s string) []string {
	return strings.FieldsFunc(fold(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '\u200c' && r != '\u200d'
	})
}

// unspaced are the scripts that put no spaces between words.
var unspaced = map[string]bool{
	"Hani": true, "Hans": true, "Hant": true, "Hira": true, "Kana": true, "Jpan": true,
	"Thai": true, "Laoo": true, "Khmr": true, "Mymr": true, "Tibt": true,
}

// indexWords returns what a search may find s by, each being found by how it
// begins: its words, and where words are not told apart, what begins at each
// letter.
func indexWords(s string) []string {
	words := wordsOf(s)
	for _, w := range words {
		for i, r := range w {
			if i > 0 && !unicode.IsMark(r) && unspaced[lang.ScriptOf(r)] {
				words = append(words, w[i:])
			}
		}
	}
	return words
}
