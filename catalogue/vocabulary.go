package catalogue

import (
	"sort"
	"strings"
)

// vocabulary is the words of an index with the places of each. It consists of a few large slices
// and not of small ones for each word, because the garbage collector visits every one of them
// while requests wait. Its words are known by their ranks in alphabetical order. Places in
// descriptions are apart, since most searches for the beginnings of words leave them out.
type vocabulary struct {
	lexicon
	ranks        []uint32 // of the words, by their numbers
	fields, said postings
}

// postings have the places of each word: position << tierBits | tier, ascending. A place is
// in the best field of the dataset that has the word; grams have places in all fields.
type postings struct {
	ends   []uint32 // the word of rank i has places[ends[i-1]:ends[i]]
	places []uint32
}

func newVocabulary(words lexicon, listed []*kept) vocabulary {
	ranks := make([]uint32, len(words.words))
	v := vocabulary{lexicon: words, ranks: ranks}
	for rank, number := range words.sorted {
		ranks[number] = uint32(rank)
	}
	v.fields.ends, v.said.ends = make([]uint32, len(ranks)), make([]uint32, len(ranks))
	each := func(do func(p *postings, rank, place uint32)) {
		for at, k := range listed {
			for _, w := range k.words {
				p, t := &v.fields, w&(1<<tierBits-1)
				if tier(t) == inDescription {
					p = &v.said
				}
				do(p, ranks[w>>tierBits], uint32(at)<<tierBits|t)
			}
		}
	}
	each(func(p *postings, rank, _ uint32) { p.ends[rank]++ })
	for _, p := range []*postings{&v.fields, &v.said} {
		// Ends are the beginnings until the places are filled in.
		sum := uint32(0)
		for rank, n := range p.ends {
			p.ends[rank] = sum
			sum += n
		}
		p.places = make([]uint32, sum)
	}
	each(func(p *postings, rank, place uint32) {
		p.places[p.ends[rank]] = place
		p.ends[rank]++
	})
	return v
}

// of returns the places of the word of a rank.
func (p *postings) of(rank int) []uint32 {
	begin := uint32(0)
	if rank > 0 {
		begin = p.ends[rank-1]
	}
	return p.places[begin:p.ends[rank]]
}

// between returns the places of the words from a rank up to another, word after word.
func (p *postings) between(from, to int) []uint32 {
	if from >= to {
		return nil
	}
	begin := uint32(0)
	if from > 0 {
		begin = p.ends[from-1]
	}
	return p.places[begin:p.ends[to-1]]
}

// word returns the word of a rank.
func (v *vocabulary) word(rank int) string { return v.words[v.sorted[rank]] }

// rank returns the rank of the first word that is not before a text.
func (v *vocabulary) rank(text string) int {
	return sort.Search(len(v.sorted), func(i int) bool { return v.word(i) >= text })
}

// beginning returns the ranks of the words that begin with a text: from, and one past the last.
func (v *vocabulary) beginning(text string) (from, to int) {
	from = v.rank(text)
	return from, from + sort.Search(len(v.sorted)-from, func(i int) bool { return !strings.HasPrefix(v.word(from+i), text) })
}

// has returns the rank of a word, and false if no dataset has it.
func (v *vocabulary) has(word string) (int, bool) {
	rank := v.rank(word)
	return rank, rank < len(v.sorted) && v.word(rank) == word
}

// frequency returns how many places the word of a rank has.
func (v *vocabulary) frequency(rank int) int { return len(v.fields.of(rank)) + len(v.said.of(rank)) }
