package translit

import (
	_ "embed"
	"encoding/binary"
	"sync"

	"vaak/lang"
)

// knownWords is a hash table that finds in one look-up which lexicons have a word. Each
// slot has the upper bits of a hash and, in the lower twelve, one bit for each language.
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
	// The lower twelve bits hold languages, so the hash gives them up. Two words with equal
	// upper 52 bits would be taken for one.
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

// listedBin has the skeletons of the frequent words of each language: the distance of each
// hash from the one before, and a bit for each language, both as varints. The generator makes
// it from the words of this package.
//
//go:embed listed.bin
var listedBin []byte

// listedWords is a hash table of skeletons: a hash, and a bit for each language that has a
// word with it.
type listedWords [1 << 16]struct {
	hash      uint32
	languages uint16
}

var listed = sync.OnceValue(func() *listedWords {
	t := new(listedWords)
	hash := uint32(0)
	for b := listedBin; len(b) > 0; {
		distance, n := binary.Uvarint(b)
		languages, m := binary.Uvarint(b[n:])
		b = b[n+m:]
		hash += uint32(distance)
		i := hash >> 16
		for t[i].languages != 0 {
			i = (i + 1) & 0xFFFF
		}
		t[i].hash, t[i].languages = hash, uint16(languages)
	}
	return t
})

// in returns a bit for each language that has a word with a skeleton.
func (t *listedWords) in(hash uint32) uint16 {
	for i := hash >> 16; t[i].languages != 0; i = (i + 1) & 0xFFFF {
		if t[i].hash == hash {
			return t[i].languages
		}
	}
	return 0
}

// leastSkeleton is the least letters of a skeleton that is evidence of a language.
const leastSkeleton = 3

// Skeleton returns a hash of the letters of a word, as it is typed, that all ways to type it
// share, and whether they are enough to tell the word.
func Skeleton(code lang.Code, typed string) (uint32, bool) {
	i := index(code)
	if i < 0 {
		return 0, false
	}
	return skeleton(i, typed)
}

func skeleton(i int, typed string) (uint32, bool) {
	var buf [maxLoose]byte
	s := appendSkeleton(buf[:0], i, typed)
	return hash(s), len(s) >= leastSkeleton && len(typed) >= 4
}

// skeletons are groups of languages that share skeletons: a language of each, and a bit for
// each language in it.
var skeletons = [...]struct {
	language  int
	languages uint16
}{
	{hindi, 1<<hindi | 1<<marathi | 1<<gujarati | 1<<punjabi},
	{bengali, 1 << bengali}, {assamese, 1 << assamese}, {odia, 1 << odia},
	{tamilLanguage, 1 << tamilLanguage}, {telugu, 1<<telugu | 1<<kannada}, {malayalam, 1 << malayalam},
}

// listedIn returns a bit for each language that has a frequent word typed like this.
func listedIn(word string) (languages uint16) {
	for _, group := range skeletons {
		if h, ok := skeleton(group.language, word); ok {
			languages |= listed().in(h) & group.languages
		}
	}
	return languages
}
