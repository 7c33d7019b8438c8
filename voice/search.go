package voice

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"vaak/lang"
)

// Search returns the voices that match every word of a query, in the order of
// the roster. A word matches where it begins a word of the voice's id, name,
// accent, gender, description or labels, so that "male" does not find women
// and "hin" finds Hindi. One that is the code of a native language matches whole
// words alone: "hi" finds the voices of Hindi, and not all that are high-pitched.
// Case, diacritics and punctuation make no difference. A query without words
// matches every voice.
func Search(query string) []Voice { return Query{Search: query}.Find() }

// matches reports whether a voice that has these words matches those of a search.
func matches(have, search []string) bool {
	for _, w := range search {
		if isCode := len(table().byNative[lang.Code(w)]) > 0; isCode && !slices.Contains(have, w) || !begins(have, w) {
			return false
		}
	}
	return true
}

// beginAll reports whether each of the words begins one of those of have.
func beginAll(have, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !begins(have, w) })
}

// begins reports whether a word begins one of those of have.
func begins(have []string, w string) bool {
	return slices.ContainsFunc(have, func(h string) bool { return strings.HasPrefix(h, w) })
}

// searched returns the words of a voice that a search looks at, each once.
func searched(v Voice) []string {
	words := split(strings.Join([]string{string(v.ID), v.Name, v.Accent, string(v.Gender), v.Description}, " "))
	for _, l := range v.Labels() {
		words = append(words, split(l)...)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// split returns the words of a text without case and diacritics. The
// underscore belongs to a word, as in ids; bytes that are not UTF-8 part words.
func split(text string) []string {
	text = undecomposed.Replace(cases.Fold().String(strings.ToValidUTF8(text, " ")))
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) && r < 0x0370 { // accents of Latin letters; marks of other scripts carry vowels
			return -1
		}
		return r
	}, norm.NFKD.String(text))
	return strings.FieldsFunc(norm.NFC.String(text), func(r rune) bool {
		return r != '_' && !unicode.In(r, unicode.L, unicode.M, unicode.N)
	})
}

// undecomposed has the Latin letters that Unicode does not take apart.
var undecomposed = strings.NewReplacer(
	"ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ə", "e", "ı", "i", "æ", "ae", "œ", "oe",
)
