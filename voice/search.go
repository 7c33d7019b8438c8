package voice

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Search returns the voices that match every word of a query, in the order of
// the roster. A word matches where it begins a word of the voice's id, name,
// accent, gender, description or labels, so that "male" does not find women
// and "hin" finds Hindi. Case, diacritics and punctuation make no difference.
// A query without words matches every voice.
func Search(query string) []Voice {
	want := split(query)
	t := table()
	var found []Voice
	for i, v := range t.voices {
		if matches(t.words[i], want) {
			found = append(found, v)
		}
	}
	return found
}

func matches(have, want []string) bool {
	for _, w := range want {
		if !slices.ContainsFunc(have, func(h string) bool { return strings.HasPrefix(h, w) }) {
			return false
		}
	}
	return true
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
