package notation

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"vaak/lang"
)

//go:embed alphabet.tsv
var alphabetTSV string

// alphabet is the set of lower-case letters of a language.
type alphabet map[rune]bool

// alphabets are those of the languages in which letters occur that the
// International Phonetic Alphabet has too.
var alphabets = sync.OnceValue(func() map[lang.Code]alphabet {
	m := make(map[lang.Code]alphabet)
	for line := range strings.Lines(alphabetTSV) {
		code, row, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		a := make(alphabet)
		for _, r := range row {
			if r != '\t' {
				a[r] = true
			}
		}
		m[lang.Code(code)] = a
	}
	return m
})

// has reports whether a letter, of either case, is of the alphabet.
func (a alphabet) has(r rune) bool { return a[unicode.ToLower(r)] }

// hasAll reports whether all letters of a word are of the alphabet.
func (a alphabet) hasAll(word []rune) bool {
	for _, r := range word {
		if !a.has(r) {
			return false
		}
	}
	return true
}

// orthographic reports whether one language has all letters of a word.
func orthographic(word []rune) bool {
	for _, a := range alphabets() {
		if a.hasAll(word) {
			return true
		}
	}
	return false
}

// letters is the letters that the languages of a rule write: those of its Only list.
type letters []alphabet

// lettersOf returns those of languages of which the table has an alphabet.
func lettersOf(only []lang.Tag) letters {
	var s letters
	for _, t := range only {
		if a, ok := alphabets()[t.Code]; ok {
			s = append(s, a)
		}
	}
	return s
}

// has reports whether one of the languages writes a letter.
func (s letters) has(r rune) bool {
	for _, a := range s {
		if a.has(r) {
			return true
		}
	}
	return false
}
