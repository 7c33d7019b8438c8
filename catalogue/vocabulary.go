package catalogue

import (
	"iter"
	"slices"
	"sort"
	"strings"
)

// vocabulary is the words of an index with the places of each. It consists of a few large slices
// and not of small ones for each word, because the garbage collector visits every one of them
// while requests wait.
type vocabulary struct {
	words  []string // sorted; all are parts of one string
	ends   []int    // words[i] has places[ends[i-1]:ends[i]]
	places []uint32 // position*tiers + tier, ascending within a word
}

func newVocabulary(byWord map[string][]uint32) vocabulary {
	v := vocabulary{words: make([]string, 0, len(byWord)), ends: make([]int, len(byWord))}
	letters, places := 0, 0
	for w, list := range byWord {
		v.words = append(v.words, w)
		letters, places = letters+len(w), places+len(list)
	}
	slices.Sort(v.words)
	var text strings.Builder
	text.Grow(letters) // words point into the buffer, so it must not move
	v.places = make([]uint32, 0, places)
	for i, w := range v.words {
		v.places = append(v.places, byWord[w]...)
		v.ends[i] = len(v.places)
		text.WriteString(w)
		v.words[i] = text.String()[text.Len()-len(w):]
	}
	return v
}

// beginning yields the places of each word that begins with term.
func (v *vocabulary) beginning(term string) iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		from := sort.SearchStrings(v.words, term)
		for i := from; i < len(v.words) && strings.HasPrefix(v.words[i], term); i++ {
			begin := 0
			if i > 0 {
				begin = v.ends[i-1]
			}
			if !yield(v.places[begin:v.ends[i]]) {
				return
			}
		}
	}
}
