package voice

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"vaak/lang"
)

// Search returns the voices that match every word of a query, those of the roster first. A
// word matches if it begins a word of the voice's id, name, accent, gender, description or
// labels. So "male" does not find women, and "hin" finds Hindi. A word that is the code of a
// native language must match a whole word: "hi" finds the voices of Hindi and not all
// high-pitched ones. Case, diacritics and punctuation do not matter. A query without words
// matches every voice.
func (d *Directory) Search(query string) []Voice { return d.Select(Query{Search: query}) }

// matches reports whether a voice with the words have matches all words of a search.
func (t roster) matches(have, search []string) bool {
	for _, w := range search {
		if isCode := len(t.byNative[lang.Code(w)]) > 0; isCode && !slices.Contains(have, w) || !begins(have, w) {
			return false
		}
	}
	return true
}

// beginAll reports whether each of words begins a word of have.
func beginAll(have, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !begins(have, w) })
}

// begins reports whether w begins a word of have.
func begins(have []string, w string) bool {
	return slices.ContainsFunc(have, func(h string) bool { return strings.HasPrefix(h, w) })
}

// searchWords returns the words of a voice that a search compares, each once.
func searchWords(v Voice) []string {
	words := split(strings.Join([]string{string(v.ID), v.Name, v.Accent, string(v.Gender), v.Description}, " "))
	for _, l := range v.Labels() {
		words = append(words, split(l)...)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// split returns the words of a text, without case and diacritics. An underscore belongs to a
// word, as in ids. Invalid bytes separate words.
func split(text string) []string {
	text = plainLetters.Replace(cases.Fold().String(strings.ToValidUTF8(text, " ")))
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) && r < 0x0370 { // accents of Latin letters; in other scripts marks are vowels
			return -1
		}
		return r
	}, norm.NFKD.String(text))
	return strings.FieldsFunc(norm.NFC.String(text), func(r rune) bool {
		return r != '_' && !unicode.In(r, unicode.L, unicode.M, unicode.N)
	})
}

// plainLetters replaces Latin letters that Unicode does not decompose.
var plainLetters = strings.NewReplacer(
	"ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ə", "e", "ı", "i", "æ", "ae", "œ", "oe",
)
