package translit

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
	"sync"
)

// englishGZ is four lines of words parted by spaces: the most frequent English
// words, the frequent ones, the common ones, and names. Source: SCOWL 2020.12.07
// (Kevin Atkinson; free for any use), word lists of sizes 10, 20, 35 and 40 in
// American and British spelling and capitalized words to size 50, less the words
// that [suffixes] make from others; some ninety words of the web were added.
//
//go:embed english.txt.gz
var englishGZ []byte

// rank is how well known an English word is.
type rank uint8

const (
	unknown rank = iota
	name
	common
	frequent
	basic
)

// ranks is a hash table of words: each slot has the upper bits of a word's hash
// and, in the lower three, its rank. Two words with the same 29 bits are taken
// for one, which no two words of the list are, and one in 20,000 others is.
type ranks [1 << 16]uint32

const rankBits = 3

// hash is FNV-1a.
func hash[T string | []byte](word T) uint32 {
	h := uint32(2166136261)
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return h
}

// slot returns where a hash is, or would be.
func (t *ranks) slot(h uint32) *uint32 {
	// Linear probing from the upper 16 bits of the hash. The search ends because the table
	// is never full.
	for i := h >> 16; ; i++ {
		s := &t[i&0xFFFF]
		if *s == 0 || *s>>rankBits == h>>rankBits {
			return s
		}
	}
}

func (t *ranks) add(word string, r rank) {
	h := hash(word)
	// The lists come in order of rank, so a word that is in two keeps the higher one.
	if s := t.slot(h); *s == 0 {
		*s = h>>rankBits<<rankBits | uint32(r)
	}
}

func rankIn[T string | []byte](t *ranks, word T) rank {
	return rank(*t.slot(hash(word)) & (1<<rankBits - 1))
}

// english has the rank of each English word, in small letters.
var english = sync.OnceValue(func() *ranks {
	t := new(ranks)
	eachEnglish(t.add)
	return t
})

// eachEnglish calls f for each word of the list.
func eachEnglish(f func(word string, r rank)) {
	zip, err := gzip.NewReader(bytes.NewReader(englishGZ))
	if err != nil {
		panic(err) // embedded
	}
	all, err := io.ReadAll(zip)
	if err != nil {
		panic(err) // embedded
	}
	r := basic
	for line := range strings.Lines(string(all)) {
		for word := range strings.FieldsSeq(line) {
			f(word, r)
		}
		r--
	}
}

// suffixes are the endings under which a word is looked up without its ending,
// with what a stem may have had in its place.
var suffixes = [...]struct {
	ending string
	stems  [2]string
	double bool // the stem's last letter may have been doubled
}{
	{"s", [2]string{""}, false}, {"es", [2]string{""}, false},
	{"ed", [2]string{"", "e"}, true}, {"ing", [2]string{"", "e"}, true},
	{"ly", [2]string{""}, false}, {"ness", [2]string{""}, false},
	{"er", [2]string{"", "e"}, true}, {"est", [2]string{"", "e"}, true},
	{"ies", [2]string{"y"}, false}, {"ied", [2]string{"y"}, false}, {"ily", [2]string{"y"}, false},
}

// longestWord is more letters than any word of the list has.
const longestWord = 32

// rankOf returns the rank of a word in small letters, or of what it is made from.
func rankOf(word string) rank {
	words := english()
	if r := rankIn(words, word); r != unknown {
		return r
	}
	if len(word) > longestWord {
		return unknown
	}
	best := unknown
	for _, s := range suffixes {
		// Shorter stems would make "red" a form of "r".
		if stem, ok := strings.CutSuffix(word, s.ending); ok && len(stem) >= 3 {
			best = max(best, rankOfStem(words, stem, s.stems, s.double))
		}
	}
	if best == unknown {
		return compound(words, word)
	}
	return best
}

func rankOfStem(words *ranks, stem string, ends [2]string, double bool) rank {
	var buf [longestWord + 2]byte
	best := rankIn(words, stem)
	// The ending stands in the place of another, so the bare stem is no word: "ies" stands
	// for "y".
	if ends[0] != "" {
		best = unknown
	}
	for _, end := range ends {
		if end != "" {
			best = max(best, rankIn(words, append(append(buf[:0], stem...), end...)))
		}
	}
	// "stopped" is of "stop".
	if n := len(stem); double && n > 3 && stem[n-1] == stem[n-2] {
		best = max(best, rankIn(words, stem[:n-1]))
	}
	if best == name {
		return unknown // names take no endings: "manas" is not of "mana"
	}
	return best
}

// compound finds a word that is made of two frequent ones of four letters and
// more, such as "pullrequest" and "mainframe".
func compound(words *ranks, word string) rank {
	for i := 4; i+4 <= len(word); i++ {
		if rankIn(words, word[:i]) >= frequent && rankIn(words, word[i:]) >= frequent {
			return common
		}
	}
	return unknown
}

// grammar has the words that hold English sentences together, if no Indian word is typed so.
var grammar = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`the of and for with my your our their his her its i you he she they we it this that these those
		was were been are am has have had does did will would can could should may must what which who when where why how from at on
		an as than then if but or not about into through there here a be by any some all every just only also very too no yes
		i'm it's don't let's isn't can't doesn't didn't won't him them us`) {
		all[strings.ReplaceAll(w, "'", "")] = true
	}
	// "he" is also the Hindi for "is", "us" is "that", and "are", "or" and "the" are Hindi too,
	// but an English sentence has others beside them.
	for _, w := range []string{"he", "us", "are", "or", "the", "an", "am", "him", "as", "no"} {
		delete(all, w)
	}
	return all
})
