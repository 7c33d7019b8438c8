// Package gram splits words into the features (n-grams) by which languages that share a script
// are told apart. The generator of the table counts them, and detection looks them up.
package gram

import "unicode"

const (
	// Shortest is the length of the shortest gram of a word with edges. Single letters and
	// pairs occur in too many languages to indicate one.
	Shortest = 3

	longest = 4
	maxWord = 30 // letters of a word that are used

	// MaxHashes is the largest number of hashes of a word.
	MaxHashes = (maxWord+2)*longest + 1
)

// Edge stands for the beginning and the end of a word in a gram.
const Edge = '_'

// Word collects the letters of a word. Its grams are all sequences of three and four letters,
// where each end of the word counts as a letter, and the whole word if it is longer. For
// scripts without edges, such as Han, which does not separate words, they are the single
// letters and the pairs. The zero value is an empty word. Letters after the thirtieth are
// ignored.
type Word struct {
	letters [maxWord + 2]rune
	n       int // letters, without the edges
}

// Add adds a letter, in lower case.
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

// span returns the letters, with their edges if edges is true, and the lengths of the shortest
// and longest gram.
func (w *Word) span(edges bool) (p []rune, least, most int) {
	if !edges {
		return w.letters[1 : w.n+1], 1, 2
	}
	// The array has room for both: Add fills 1 to maxWord.
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

// Hashes stores the hash of every gram in buf, in the order of Each, and returns how many there
// are. It extends each hash letter by letter instead of hashing every gram from its start.
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

// The hash is FNV-1a over runes, followed by the final step of MurmurHash3, which spreads the bits.
const seed uint32 = 2166136261

func mix(h uint32, r rune) uint32 { return (h ^ uint32(r)) * 16777619 }

func finish(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// Whole returns the hash of the whole word with its edges.
func (w *Word) Whole() uint32 {
	w.letters[0], w.letters[w.n+1] = Edge, Edge
	return Hash(w.letters[:w.n+2])
}
