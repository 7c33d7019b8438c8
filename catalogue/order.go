package catalogue

import (
	"cmp"
	"slices"
)

// Sort is an order of the list.
type Sort string

// The orders. Ties are in the order of titles, then of slugs.
const (
	// ByRelevance has what fits Q best first, and with Similar what is most alike; without
	// either it is ByHours. It is the default.
	ByRelevance Sort = "relevance"
	ByHours     Sort = "hours"    // most hours first
	ByNewest    Sort = "newest"   // changed last first
	BySpeakers  Sort = "speakers" // most speakers first, those of unknown number last
	ByTitle     Sort = "title"
)

// Sorts are all orders.
var Sorts = []Sort{ByRelevance, ByHours, ByNewest, BySpeakers, ByTitle}

// order is an order that is kept sorted.
type order int

const (
	hoursOrder order = iota // its positions are those of the index
	newestOrder
	speakersOrder
	titleOrder
	idOrder // no [Sort] is this one
	orders
)

// orderOf returns the order in which datasets with the same relevance are.
func (s Sort) order() order {
	switch s {
	case ByNewest:
		return newestOrder
	case BySpeakers:
		return speakersOrder
	case ByTitle:
		return titleOrder
	}
	return hoursOrder
}

// key is where a dataset is in an order: the greatest value first.
type key struct {
	value       int64
	title, slug string
}

// keyOf returns the key of an entry in an order.
func (o order) keyOf(k *kept) key { return key{o.value(k), k.title(), k.slug()} }

func (o order) value(k *kept) int64 {
	switch o {
	case hoursOrder:
		return centi(k.hours)
	case newestOrder:
		return k.modified
	case speakersOrder:
		return int64(k.speakers)
	}
	return 0
}

func (o order) compare(a, b *kept) int {
	if o == idOrder {
		return cmp.Compare(a.id(), b.id())
	}
	return cmp.Or(cmp.Compare(o.value(b), o.value(a)), cmp.Compare(a.title(), b.title()), cmp.Compare(a.slug(), b.slug()))
}

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(o.value, k.value), cmp.Compare(k.title, o.title), cmp.Compare(k.slug, o.slug))
}

// worded is an element of a list that is sorted, with what it is sorted by first.
type worded[T any] struct {
	word uint64
	of   T
}

func compareWords[T any](a, b worded[T]) int { return cmp.Compare(a.word, b.word) }

// fewWorded is how many elements with the same beginnings are sorted by whole texts.
const fewWorded = 12

// sortByTexts sorts elements by their texts: by the first, then by the second, and so on. It compares
// seven bytes at a time that stand beside the elements, and reads the next seven of those that are
// equal so far only: reading texts here and there in memory for each comparison takes a million titles
// five times as long.
func sortByTexts[T any](all []T, texts ...func(T) string) {
	list := make([]worded[T], len(all))
	for i, of := range all {
		list[i].of = of
	}
	sortWorded(list, 0, texts)
	for i := range list {
		all[i] = list[i].of
	}
}

// sortWorded sorts elements whose first texts are equal up to a byte.
func sortWorded[T any](list []worded[T], from int, texts []func(T) string) {
	if len(list) <= fewWorded {
		slices.SortFunc(list, func(a, b worded[T]) int {
			for _, text := range texts {
				if c := cmp.Compare(text(a.of), text(b.of)); c != 0 {
					return c
				}
			}
			return 0
		})
		return
	}
	if len(texts) == 0 {
		return
	}
	for i := range list {
		list[i].word = wordAt(texts[0](list[i].of), from)
	}
	slices.SortFunc(list, compareWords)
	for begin, end := 0, 0; begin < len(list); begin = end {
		for end = begin + 1; end < len(list) && list[end].word == list[begin].word; end++ {
		}
		if same := list[begin:end]; list[begin].word&0xff == wordGoesOn {
			sortWorded(same, from+wordBytes, texts)
		} else {
			sortWorded(same, 0, texts[1:])
		}
	}
}

// wordBytes is how many bytes of a text a word has. Its last byte is how many the text has from there,
// or wordGoesOn: a text that ends is before those that go on, even with zeros.
const (
	wordBytes  = 7
	wordGoesOn = 8
)

// wordAt returns the word of a text from a byte on. Words are in the order of texts.
func wordAt(text string, from int) (word uint64) {
	text = text[from:]
	for i := range min(len(text), wordBytes) {
		word |= uint64(text[i]) << (56 - 8*i)
	}
	return word | uint64(min(len(text), wordGoesOn))
}

// byValue returns entries, which are in the order of titles, in another order.
func (o order) byValue(titled []*kept) []*kept {
	list := make([]worded[uint32], len(titled))
	for i, k := range titled {
		list[i] = worded[uint32]{^(uint64(o.value(k)) ^ 1<<63), uint32(i)}
	}
	slices.SortFunc(list, func(a, b worded[uint32]) int { return cmp.Or(compareWords(a, b), cmp.Compare(a.of, b.of)) })
	out := make([]*kept, len(list))
	for i, w := range list {
		out[i] = titled[w.of]
	}
	return out
}
