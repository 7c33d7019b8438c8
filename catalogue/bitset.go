package catalogue

import (
	"iter"
	"math/bits"
)

// bitset is a set of positions in the index.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(i int)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) remove(i int)   { b[i>>6] &^= 1 << (i & 63) }
func (b bitset) has(i int) bool { return b[i>>6]&(1<<(i&63)) != 0 }

// and removes what is not in o.
func (b bitset) and(o bitset) {
	for i, w := range o {
		b[i] &= w
	}
}

// or adds what is in o.
func (b bitset) or(o bitset) {
	for i, w := range o {
		b[i] |= w
	}
}

func (b bitset) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// countAnd returns how many positions are in both.
func (b bitset) countAnd(o bitset) int {
	n := 0
	for i, w := range b {
		n += bits.OnesCount64(w & o[i])
	}
	return n
}

// fill adds all positions below n.
func (b bitset) fill(n int) {
	for i := range n >> 6 {
		b[i] = ^uint64(0)
	}
	if n&63 != 0 {
		b[n>>6] |= 1<<(n&63) - 1
	}
}

// cut removes all positions from n on.
func (b bitset) cut(n int) {
	for i := (n + 63) >> 6; i < len(b); i++ {
		b[i] = 0
	}
	if n&63 != 0 {
		b[n>>6] &= 1<<(n&63) - 1
	}
}

// invert makes b the set of the positions below n that were not in it.
func (b bitset) invert(n int) {
	for i := range b {
		b[i] = ^b[i]
	}
	b.cut(n)
}

// scratch is bitsets for one search. They are reused, because a search of a million datasets needs
// up to 1 MB of them, and a garbage collection of the whole catalogue slows all searches down meanwhile.
type scratch struct {
	n    int // positions
	sets []bitset
	used int
}

// bitset returns an empty bitset, which belongs to the search until it ends.
func (s *scratch) bitset() bitset {
	if s.used == len(s.sets) {
		s.sets = append(s.sets, newBitset(s.n))
	}
	b := s.sets[s.used]
	s.used++
	clear(b)
	return b
}

// from returns the positions from i on, ascending.
func (b bitset) from(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if i >= len(b)<<6 {
			return
		}
		word := b[i>>6] &^ (1<<(i&63) - 1)
		for at := i >> 6; ; word = b[at] {
			for ; word != 0; word &= word - 1 {
				if !yield(at<<6 + bits.TrailingZeros64(word)) {
					return
				}
			}
			if at++; at == len(b) {
				return
			}
		}
	}
}
