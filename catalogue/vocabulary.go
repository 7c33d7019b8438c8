package catalogue

import (
	"math"
	"sort"
	"strings"
)

// vocabulary is the words of an index, in alphabetical order, with the places of each. A word is
// known by its rank in this order. It consists of a few large slices and not of small ones for each
// word, because the garbage collector visits every one of them while requests wait. It never changes.
//
// Places in descriptions are apart, since most searches for the beginnings of words leave them out.
type vocabulary struct {
	text         string   // all words, one after the other
	ends         []uint32 // where each word ends in text
	common       []uint8  // how many bytes each word begins with as the one before it does, 255 at most
	least        []uint8  // the least of common in each block of wordsInBlock
	fields, said postings
}

// wordsInBlock is how many words [vocabulary.after] passes over at once.
const wordsInBlock = 64

// postings have the places of each word: position << tierBits | tier, ascending. A place is
// in the best field of the dataset that has the word; grams have places in all fields.
type postings struct {
	ends   []uint32 // the word of rank i has places[ends[i-1]:ends[i]]
	places []uint32
}

// newVocabulary returns the words of entries by the numbers that a dictionary has given them, those that
// entries have. Each entry knows its position; positions are ascending.
func newVocabulary(d *dictionary, listed []*kept) *vocabulary {
	sorted := make([]uint32, len(d.words))
	for i := range sorted {
		sorted[i] = uint32(i)
	}
	sortByTexts(sorted, func(number uint32) string { return d.words[number] })
	ranks := make([]uint32, len(sorted))
	for rank, number := range sorted {
		ranks[number] = uint32(rank)
	}
	fields, said := postings{ends: make([]uint32, len(sorted))}, postings{ends: make([]uint32, len(sorted))}
	each := func(do func(p *postings, rank, place uint32)) {
		for _, k := range listed {
			for _, w := range k.words {
				p, t := &fields, w&(1<<tierBits-1)
				if tier(t) == inDescription {
					p = &said
				}
				do(p, ranks[w>>tierBits], k.at<<tierBits|t)
			}
		}
	}
	each(func(p *postings, rank, _ uint32) { p.ends[rank]++ })
	for _, p := range []*postings{&fields, &said} {
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
	b := newVocabularyBuilder(len(sorted), 8*len(sorted), 0, 0)
	b.fields.places, b.said.places = fields.places, said.places
	before := uint32(0)
	for rank, number := range sorted {
		// Numbers may be of words that no entry has: see [dictionary.tokenize].
		if now := fields.ends[rank] + said.ends[rank]; now > before {
			b.add(d.words[number], fields.ends[rank], said.ends[rank])
			before = now
		}
	}
	return b.finish()
}

// nowhere is where a dataset is that is no longer listed.
const nowhere = math.MaxUint32

// merged returns the vocabulary in which the positions have moved, with that of fresh entries. Words
// without places are left out. The order of positions that stay must not have changed.
func (v *vocabulary) merged(moved []uint32, fresh *vocabulary) *vocabulary {
	if v == nil || len(v.ends) == 0 {
		return fresh
	}
	b := newVocabularyBuilder(
		len(v.ends)+len(fresh.ends), len(v.text)+len(fresh.text), len(v.fields.places)+len(fresh.fields.places), len(v.said.places)+len(fresh.said.places),
	)
	for old, other := 0, 0; old < len(v.ends) || other < len(fresh.ends); {
		var word string
		var fields, said, freshFields, freshSaid []uint32
		order := 0
		switch {
		case old == len(v.ends):
			order = 1
		case other == len(fresh.ends):
			order = -1
		default:
			order = strings.Compare(v.word(old), fresh.word(other))
		}
		if order <= 0 {
			word, fields, said = v.word(old), v.fields.of(old), v.said.of(old)
			old++
		}
		if order >= 0 {
			word, freshFields, freshSaid = fresh.word(other), fresh.fields.of(other), fresh.said.of(other)
			other++
		}
		before := len(b.fields.places) + len(b.said.places)
		b.fields.places = appendMoved(b.fields.places, fields, moved, freshFields)
		b.said.places = appendMoved(b.said.places, said, moved, freshSaid)
		if len(b.fields.places)+len(b.said.places) > before {
			b.add(word, uint32(len(b.fields.places)), uint32(len(b.said.places)))
		}
	}
	return b.finish()
}

// appendMoved appends the places of a word that have moved, and fresh ones, in their order.
func appendMoved(to, places, moved, fresh []uint32) []uint32 {
	for _, p := range places {
		at := moved[p>>tierBits]
		if at == nowhere {
			continue
		}
		p = at<<tierBits | p&(1<<tierBits-1)
		for len(fresh) > 0 && fresh[0] < p {
			to, fresh = append(to, fresh[0]), fresh[1:]
		}
		to = append(to, p)
	}
	return append(to, fresh...)
}

// vocabularyBuilder makes a vocabulary of words in alphabetical order.
type vocabularyBuilder struct {
	*vocabulary
	words strings.Builder
	last  string
}

func newVocabularyBuilder(words, bytes, fields, said int) *vocabularyBuilder {
	b := &vocabularyBuilder{vocabulary: &vocabulary{}}
	b.words.Grow(bytes)
	b.ends, b.common = make([]uint32, 0, words), make([]uint8, 0, words)
	for p, n := range map[*postings]int{&b.fields: fields, &b.said: said} {
		p.ends, p.places = make([]uint32, 0, words), make([]uint32, 0, n)
	}
	return b
}

// add adds a word, given the ends of its places.
func (b *vocabularyBuilder) add(word string, fields, said uint32) {
	n := 0
	for n < min(len(word), len(b.last), math.MaxUint8) && word[n] == b.last[n] {
		n++
	}
	if len(b.ends)%wordsInBlock == 0 {
		b.least = append(b.least, math.MaxUint8)
	}
	b.least[len(b.least)-1] = min(b.least[len(b.least)-1], uint8(n))
	b.words.WriteString(word)
	b.ends, b.common, b.last = append(b.ends, uint32(b.words.Len())), append(b.common, uint8(n)), word
	b.fields.ends, b.said.ends = append(b.fields.ends, fields), append(b.said.ends, said)
}

// finish returns the vocabulary.
func (b *vocabularyBuilder) finish() *vocabulary {
	b.text = b.words.String()
	return b.vocabulary
}

// of returns the places of the word of a rank.
func (p *postings) of(rank int) []uint32 { return p.between(rank, rank+1) }

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
func (v *vocabulary) word(rank int) string {
	begin := uint32(0)
	if rank > 0 {
		begin = v.ends[rank-1]
	}
	return v.text[begin:v.ends[rank]]
}

// after returns the first rank behind one whose word does not begin with the same so many bytes, at
// most 255.
func (v *vocabulary) after(rank, bytes int) int {
	for rank++; rank < len(v.common); rank++ {
		if rank%wordsInBlock == 0 {
			for rank/wordsInBlock < len(v.least) && int(v.least[rank/wordsInBlock]) >= bytes {
				rank += wordsInBlock
			}
			if rank >= len(v.common) {
				break
			}
		}
		if int(v.common[rank]) < bytes {
			return rank
		}
	}
	return len(v.common)
}

// rank returns the rank of the first word that is not before a text.
func (v *vocabulary) rank(text string) int {
	return sort.Search(len(v.ends), func(i int) bool { return v.word(i) >= text })
}

// beginning returns the ranks of the words that begin with a text: from, and one past the last.
func (v *vocabulary) beginning(text string) (from, to int) {
	from = v.rank(text)
	return from, from + sort.Search(len(v.ends)-from, func(i int) bool { return !strings.HasPrefix(v.word(from+i), text) })
}

// has returns the rank of a word, and false if no dataset has it.
func (v *vocabulary) has(word string) (int, bool) {
	rank := v.rank(word)
	return rank, rank < len(v.ends) && v.word(rank) == word
}

// frequency returns how many places the word of a rank has.
func (v *vocabulary) frequency(rank int) int { return len(v.fields.of(rank)) + len(v.said.of(rank)) }
