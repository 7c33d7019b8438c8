package catalogue

import (
	"iter"
	"slices"
	"sort"
	"strings"
)

// vocabulary is the words of an index and where each of them is. It is a few large
// pieces of memory, not a few small ones for each word: the garbage collector goes
// through all pieces every time, while requests wait.
type vocabulary struct {
	words  []string // sorted; each is a part of one text
	ends   []int    // the places of words[i] end there; they begin where those before end
	places []uint32 // position*tiers + tier, ascending for each word
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
	text.Grow(letters) // so that no part of it moves
	v.places = make([]uint32, 0, places)
	for i, w := range v.words {
		v.places = append(v.places, byWord[w]...)
		v.ends[i] = len(v.places)
		text.WriteString(w)
		v.words[i] = text.String()[text.Len()-len(w):]
	}
	return v
}

// beginning returns the places of each word that begins with term.
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
