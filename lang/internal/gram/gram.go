// Package gram cuts words into the features by which languages that share a
// script are told apart: the table's maker counts them, detection looks them up.
package gram

import "unicode"

const (
	// Shortest is the number of letters of the shortest gram of a word with
	// edges. Pairs and single letters are in too many languages to tell much.
	Shortest = 3

	longest = 4
	maxWord = 30 // letters of a word that are looked at

	// MaxHashes bounds the hashes of one word.
	MaxHashes = (maxWord+2)*longest + 1
)

// Edge stands in a gram for the beginning and the end of a word.
const Edge = '_'

// Word collects the letters of one word. Its grams are all runs of three and
// four letters, where each end of the word counts as a letter, and the whole word if
// it is longer. Without edges, as Han has no words, they are the letters and the
// pairs of letters. The zero value is an empty word; letters past the thirtieth
// are dropped.
type Word struct {
	letters [maxWord + 2]rune
	n       int // letters, without the edges
}

// Add appends a letter in lower case.
func (w *Word) Add(r rune) {
	if w.n < maxWord {
		w.n++
		w.letters[w.n] = unicode.ToLower(r)
	}
}

// Len returns the number of letters.
func (w *Word) Len() int { return w.n }

// Reset empties the word.
func (w *Word) Reset() { w.n = 0 }

// span returns the letters with their edges if those count, and the lengths of
// the shortest and the longest gram.
func (w *Word) span(edges bool) (p []rune, least, most int) {
	if !edges {
		return w.letters[1 : w.n+1], 1, 2
	}
	w.letters[0], w.letters[w.n+1] = Edge, Edge
	return w.letters[:w.n+2], Shortest, longest
}

// Each calls f with every gram, which is valid only during the call.
func (w *Word) Each(edges bool, f func(gram []rune)) {
	if w.n == 0 {
		return
	}
	p, least, most := w.span(edges)
	for i := range p {
		for n := least; n <= most && i+n <= len(p); n++ {
			f(p[i : i+n])
		}
	}
	if edges && len(p) > longest {
		f(p)
	}
}

// Hashes writes the hash of every gram to buf, in the order of Each, and
// returns how many there are.
func (w *Word) Hashes(edges bool, buf *[MaxHashes]uint32) int {
	if w.n == 0 {
		return 0
	}
	p, least, most := w.span(edges)
	k := 0
	for i := range p {
		h := seed
		for n := 1; n <= most && i+n <= len(p); n++ {
			h = mix(h, p[i+n-1])
			if n >= least {
				buf[k] = finish(h)
				k++
			}
		}
	}
	if edges && len(p) > longest {
		buf[k] = Hash(p)
		k++
	}
	return k
}

// Hash returns the hash of a gram.
func Hash(gram []rune) uint32 {
	h := seed
	for _, r := range gram {
		h = mix(h, r)
	}
	return finish(h)
}

// seed, mix and finish hash letters one by one: FNV-1a over runes, then the
// last step of MurmurHash3 to spread the bits.
const seed uint32 = 2166136261

func mix(h uint32, r rune) uint32 { return (h ^ uint32(r)) * 16777619 }

func finish(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
