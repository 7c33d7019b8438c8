package catalogue

import (
	"slices"

	"vaak/catalogue/spelling"
	"vaak/lang"
)

// maxNear is how many words may be meant by one that is mistyped.
const maxNear = 40

// maxMistyped is in how many words of a query, or of a slug, typing errors are looked for. A person who
// mistypes more is understood by the others, and somebody who sends noise must not take a processor for
// long: a word costs up to a millisecond among a million of two letters.
const maxMistyped = 4

// nearWord is a word that may be meant by a mistyped one.
type nearWord struct {
	rank, edits, frequency int
}

// nearWords are what may be meant by a mistyped term.
type nearWords struct {
	words     []nearWord // the nearest first, then the most frequent
	languages []lang.Tag // where only names of languages are nearest
	tongues   []spoken   // the same, by the names in the records
}

// near returns what may be meant by a term that nothing begins with.
func (x *index) near(letters []rune) nearWords {
	search := newNearSearch(x.vocabulary, letters)
	search.all()
	out := nearWords{words: search.found}
	sign := spelling.Sign(letters)
	least := spelling.Tolerated(len(letters))
	if len(out.words) > 0 {
		least = out.words[0].edits
	}
	x.nearLanguages(&out, letters, sign, least)
	return out
}

// nearLanguages adds the languages with names that are at most so many edits away, if no other
// word is as near.
func (x *index) nearLanguages(out *nearWords, letters []rune, sign spelling.Signature, most int) {
	nearer := func(name *languageName) bool {
		if sign.Far(len(letters), name.sign, len(name.letters), most, false) {
			return false
		}
		edits := spelling.Edits(letters, name.letters, most, false)
		if edits < most {
			most, out.languages, out.tongues = edits, nil, nil
		}
		return edits <= most
	}
	names := mistypedNames()
	for i := range names {
		if nearer(&names[i]) && !slices.Contains(out.languages, names[i].tag) {
			out.languages = append(out.languages, names[i].tag)
		}
	}
	for _, s := range x.tongues {
		for i := range s.mistyped {
			if nearer(&s.mistyped[i]) {
				out.tongues = append(out.tongues, s)
				break
			}
		}
	}
	for _, w := range out.words {
		if w.edits > most {
			break
		}
		word := x.vocabulary.word(w.rank)
		if _, ok := languageNames()[word]; !ok && !x.isKey(word) {
			out.languages, out.tongues = nil, nil
		}
	}
}
