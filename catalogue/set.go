package catalogue

import "slices"

// set is a set of positions: a list of few, a bitset of many.
type set struct {
	list []uint32 // ascending
	bits bitset   // nil where list has them
}

// sparser is how many positions there must be for each member of a set that is a list. A list
// then takes no more memory than a bitset.
const sparser = 32

// newSet returns the set of the positions below n in stretches, each of which is ascending.
func newSet(stretches [][]uint32, n int) set {
	count := 0
	for _, s := range stretches {
		count += len(s)
	}
	if count*sparser <= n {
		list := slices.Concat(stretches...)
		slices.Sort(list)
		return set{list: slices.Clip(slices.Compact(list))}
	}
	b := newBitset(n)
	for _, s := range stretches {
		for _, p := range s {
			b.add(int(p))
		}
	}
	return set{bits: b}
}

// addTo adds the members to b.
func (s set) addTo(b bitset) {
	if s.bits != nil {
		b.or(s.bits)
	}
	for _, p := range s.list {
		b.add(int(p))
	}
}

// countIn returns how many members are in b.
func (s set) countIn(b bitset) (n int) {
	if s.bits != nil {
		return s.bits.countAnd(b)
	}
	for _, p := range s.list {
		if b.has(int(p)) {
			n++
		}
	}
	return n
}

// each calls yield with the members, ascending.
func (s set) each(yield func(uint32)) {
	if s.bits != nil {
		for i := range s.bits.from(0) {
			yield(uint32(i))
		}
	}
	for _, p := range s.list {
		yield(p)
	}
}
