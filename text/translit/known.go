package translit

import "sync"

// knownWords is a hash table that finds in one look-up which lexicons have a word. Each
// slot has the upper bits of a hash and, in the lower nine, one bit for each language.
// It holds words as typed and in each loose spelling.
type knownWords [1 << 16]uint64

const languageBits = 1<<numCodes - 1

// asTyped is the kind of a word that is not in loose spelling; the others are
// the spellings.
const asTyped = numSpellings

// slot returns where a word of a kind is, or would be, and the bits of its hash.
func (t *knownWords) slot(kind spelling, word []byte) (*uint64, uint64) {
	h := (uint64(14695981039346656037) ^ uint64(kind)) * 1099511628211 // FNV-1a
	for _, c := range word {
		h = (h ^ uint64(c)) * 1099511628211
	}
	// The lower nine bits hold languages, so the hash gives them up. Two words with equal
	// upper 55 bits would be taken for one.
	h &^= languageBits
	// Linear probing from the upper 16 bits, the size of the table.
	for i := h >> 48; ; i++ {
		s := &t[i&0xFFFF]
		if *s == 0 || *s&^languageBits == h {
			return s, h
		}
	}
}

// in returns a bit for each language that has the word.
func (t *knownWords) in(kind spelling, word []byte) uint64 {
	s, _ := t.slot(kind, word)
	return *s & languageBits
}

func (t *knownWords) add(kind spelling, word string, language int) {
	s, h := t.slot(kind, []byte(word))
	*s |= h | 1<<language
}

var known = sync.OnceValue(func() *knownWords {
	t := new(knownWords)
	for i := range codes {
		l := lexiconOf(i)
		for word := range l.exact {
			t.add(asTyped, word, i)
		}
		for word := range l.loose {
			t.add(groups[i], word, i)
		}
	}
	return t
})
