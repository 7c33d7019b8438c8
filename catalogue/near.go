package catalogue

import (
	"cmp"
	"slices"

	"vaak/catalogue/spelling"
	"vaak/lang"
)

// maxNear is how many words may be meant by one that is mistyped.
const maxNear = 40

// minPart is how many letters a term has at least whose typing errors are also looked for in the
// beginnings of words.
const minPart = 6

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

// maxCompared is how many words are compared with a mistyped one, which takes some 10 ms. Of 100,000
// words with letters as frequent as in English, up to 15,000 have nearly the same letters as
// another; what is compared beyond that are words of very few different letters.
const maxCompared = 1 << 16

// near returns what may be meant by a term that nothing begins with. It goes through all words
// once, those of its own length first, and compares those of which the letters are nearly the
// same: 100,000 words take one to three milliseconds.
func (x *index) near(letters []rune) nearWords {
	v := &x.vocabulary
	most := spelling.Tolerated(len(letters))
	part := len(letters) >= minPart
	sign := spelling.Sign(letters)
	var found []nearWord
	compared := 0
	look := func(length int) {
		if length < minMistyped || length > spelling.MaxLetters {
			return
		}
		for i := range v.spelt[length] {
			s := &v.spelt[length][i]
			if sign.Far(len(letters), s.sign, length, most, part) {
				continue
			}
			rank := int(v.ranks[s.number])
			n := v.frequency(rank)
			if n == 0 {
				continue
			}
			if compared++; compared > maxCompared {
				return
			}
			if edits := spelling.Edits(letters, v.letters[s.from:int(s.from)+length], most, part); edits <= most {
				found = append(found, nearWord{rank, edits, n})
			}
		}
	}
	look(len(letters))
	for apart := 1; apart <= spelling.MaxLetters && (part || apart <= most); apart++ {
		look(len(letters) + apart)
		if apart <= most {
			look(len(letters) - apart)
		}
	}
	slices.SortFunc(found, func(a, b nearWord) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(b.frequency, a.frequency), cmp.Compare(a.rank, b.rank))
	})
	out := nearWords{words: found[:min(len(found), maxNear)]}
	least := most
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
