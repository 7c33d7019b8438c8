package lang

import (
	_ "embed"
	"math/bits"
	"strings"
	"unicode"
)

//go:embed alphabets.tsv
var alphabetsTSV string

// lastLetter is the last letter that a language can lack: those of Vietnamese are the last.
const lastLetter = 0x1EFF

// foreign has, for a letter in either case, the languages of its script that are not written with it: a bit for
// each, by its place in the table of the script.
var foreign = readAlphabets(alphabetsTSV)

func readAlphabets(tsv string) *[lastLetter + 1]uint64 {
	f := new([lastLetter + 1]uint64)
	var own [lastLetter + 1]uint64
	var listed [numScripts]uint64 // the languages that the file has
	letters := map[rune]bool{}
	for line := range strings.Lines(tsv) {
		code, list, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		s, bit := placeOf(Code(code))
		listed[s] |= bit
		for _, r := range list {
			letters[r] = true
			own[r] |= bit
		}
	}
	for r := range letters {
		f[r] = listed[alphabetOf(r)] &^ own[r]
		if upper := unicode.ToUpper(r); upper <= lastLetter {
			f[upper] = f[r]
		}
	}
	return f
}

// Lacks reports whether a letter shows that a text is not in the language: another language of its
// script is written with it, and this one is not. It is false for letters of other scripts,
// for those that do not tell languages apart, and for languages without a table.
func (c Code) Lacks(r rune) bool {
	if r < 0 || r > lastLetter || foreign[r] == 0 {
		return false
	}
	if g := tables[alphabetOf(r)]; g != nil {
		for i, other := range g.codes {
			if other == c {
				return foreign[r]>>i&1 != 0
			}
		}
	}
	return false
}

// alphabetOf returns the script of a letter or a mark.
func alphabetOf(r rune) script {
	if s := scriptOf(r); s != inherited {
		return s
	}
	return devanagari // the nukta, which several scripts of India share, is the only mark
}

// placeOf returns the script in whose table a language is, and its bit.
func placeOf(c Code) (script, uint64) {
	for s, g := range tables {
		if g == nil {
			continue
		}
		for i, other := range g.codes {
			if other == c {
				return script(s), 1 << i
			}
		}
	}
	panic("alphabets.tsv: no table has the language " + string(c))
}

// foreignLetter is what a language loses, in levels, by a word with a letter with which it is not
// written.
const foreignLetter = 10

// lose takes from the scores of languages what a word with letters foreign to them costs.
func lose(languages uint64, scores *[maxLanguages]int32) {
	for ; languages != 0; languages &= languages - 1 {
		scores[bits.TrailingZeros64(languages)] -= foreignLetter
	}
}
