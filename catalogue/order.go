package catalogue

import "cmp"

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
func (o order) keyOf(k *kept) key { return key{o.value(k), k.title, k.slug} }

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
		return compareIDs(a, b)
	}
	return cmp.Or(cmp.Compare(o.value(b), o.value(a)), cmp.Compare(a.title, b.title), cmp.Compare(a.slug, b.slug))
}

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(o.value, k.value), cmp.Compare(k.title, o.title), cmp.Compare(k.slug, o.slug))
}
