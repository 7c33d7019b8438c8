package catalogue

import (
	"cmp"
	"iter"
	"slices"
)

// splice is how a sorted list changes: which of its elements go, and before which of them fresh ones
// come in. Both are indices in the list as it was, ascending.
type splice struct{ gone, before []int }

// newSplice returns how a list changes. Fresh elements are sorted, those that go need not be.
func newSplice(sorted, gone, fresh []*kept, compare func(a, b *kept) int) (s splice) {
	for _, k := range gone {
		i, _ := slices.BinarySearchFunc(sorted, k, compare)
		for i < len(sorted) && sorted[i] != k && compare(sorted[i], k) == 0 {
			i++
		}
		s.gone = append(s.gone, i)
	}
	slices.Sort(s.gone)
	s.before = make([]int, 0, len(fresh))
	for _, k := range fresh {
		i, _ := slices.BinarySearchFunc(sorted, k, compare)
		s.before = append(s.before, i)
	}
	return s
}

// each calls keep with the ranges of a list of n elements that stay, and add where the next fresh one
// comes in, in their new order.
func (s splice) each(n int, keep func(from, to int), add func()) {
	from, gone := 0, s.gone
	upTo := func(end int) {
		for len(gone) > 0 && gone[0] < end {
			keep(from, gone[0])
			from, gone = gone[0]+1, gone[1:]
		}
		keep(from, max(from, end))
		from = max(from, end)
	}
	for _, i := range s.before {
		upTo(i)
		add()
	}
	upTo(n)
}

// spliced returns a list as it is after the change.
func spliced[T any](s splice, old, fresh []T) []T {
	out := make([]T, 0, len(old)-len(s.gone)+len(fresh))
	s.each(len(old), func(from, to int) { out = append(out, old[from:to]...) }, func() { out, fresh = append(out, fresh[0]), fresh[1:] })
	return out
}

// moved returns the new position of each of n elements, nowhere if it goes, and of each fresh one.
func (s splice) moved(n int) (moved, fresh []uint32) {
	moved, fresh = make([]uint32, n), make([]uint32, 0, len(s.before))
	at := uint32(0)
	for _, i := range s.gone {
		moved[i] = nowhere
	}
	s.each(n, func(from, to int) {
		for i := from; i < to; i++ {
			moved[i] = at
			at++
		}
	}, func() {
		fresh = append(fresh, at)
		at++
	})
	return moved, fresh
}

// reordered returns the positions of the datasets in an order after some have moved and fresh ones,
// which are in this order and know their positions, have come in.
func reordered(x *index, o order, moved []uint32, fresh []*kept) []uint32 {
	before := make([]int, len(fresh))
	for i, k := range fresh {
		before[i], _ = slices.BinarySearchFunc(x.sorted[o], k, func(at uint32, k *kept) int { return o.compare(x.listed[at], k) })
	}
	out := make([]uint32, 0, len(moved)+len(fresh))
	for place, old := range x.sorted[o] {
		for len(before) > 0 && before[0] == place {
			out, fresh, before = append(out, fresh[0].at), fresh[1:], before[1:]
		}
		if at := moved[old]; at != nowhere {
			out = append(out, at)
		}
	}
	for _, k := range fresh {
		out = append(out, k.at)
	}
	return out
}

// named returns a list that is sorted by a name after some entries have gone and fresh ones, which it sorts,
// have come in.
func named(sorted, gone, fresh []*kept, name func(*kept) string) []*kept {
	sortByTexts(fresh, name)
	return spliced(newSplice(sorted, gone, fresh, func(a, b *kept) int { return cmp.Compare(name(a), name(b)) }), sorted, fresh)
}

// keptIn returns the entries for which is is true.
func keptIn(all []*kept, is func(*kept) bool) iter.Seq[*kept] {
	return func(yield func(*kept) bool) {
		for _, k := range all {
			if is(k) && !yield(k) {
				return
			}
		}
	}
}
