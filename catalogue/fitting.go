package catalogue

import "math/bits"

// Digits of the sums of a selection: how many terms fit, and their scores together.
const (
	countDigits = 5 // MaxTerms is 16
	sumDigits   = 8 // 16 times 15
)

// reader reads what a term finds in words of 64 positions, in ascending order.
type reader struct {
	*found
	at int // in few
}

// word returns the bits of the scores of the positions of a word.
func (r *reader) word(w int) (p [scoreBits]uint64) {
	if r.many != nil {
		return [scoreBits]uint64(r.many.words[scoreBits*w:])
	}
	for r.at < len(r.few) && int(r.few[r.at]>>(scoreBits+6)) < w {
		r.at++
	}
	for ; r.at < len(r.few) && int(r.few[r.at]>>(scoreBits+6)) == w; r.at++ {
		f := r.few[r.at]
		bit := f >> scoreBits & 63
		for b := range p {
			p[b] |= uint64(f>>b&1) << bit
		}
	}
	return p
}

// fitting removes from c what does not fit the terms of a selection, and offers what all filters
// choose to best, unless that is nil or the selection asks for what is alike.
//
// Terms are counted and scores added for 64 positions at once, in binary: digit k is the set of
// positions whose count has bit k. So a million datasets take a millisecond.
func (x *index) fitting(s selection, c *chosen, best *ranking) {
	if len(s.terms) == 0 {
		return
	}
	readers := make([]reader, len(s.terms))
	mistyped := 0
	for i, t := range s.terms {
		t.exact = mistyped == maxMistyped
		if readers[i].found = x.find(t); readers[i].mistyped {
			mistyped++
		}
	}
	if s.Similar != "" {
		best = nil
	}
	counted := bits.Len(uint(len(s.terms)))
	var scores [MaxTerms][scoreBits]uint64
	for w, mask := range c.within {
		if mask == 0 {
			continue
		}
		var count [countDigits]uint64
		for i := range readers {
			p := &scores[i]
			*p = readers[i].word(w)
			in := p[0] | p[1] | p[2] | p[3]
			if readers[i].must || s.least == len(s.terms) {
				if mask &= in; mask == 0 {
					break
				}
			}
			for d := range counted {
				count[d], in = count[d]^in, count[d]&in
			}
		}
		if mask != 0 {
			mask &= notLess(count[:counted], uint64(s.least))
		}
		c.within[w] = mask
		if best == nil {
			continue
		}
		for _, b := range c.by {
			if b != nil {
				mask &= b[w]
			}
		}
		if mask != 0 {
			best.offerAll(w, mask, scores[:len(readers)], count[:counted])
		}
	}
}

// addTo adds scores to sums.
func addTo(sum *[sumDigits]uint64, p *[scoreBits]uint64) {
	carry := uint64(0)
	for d := range sum {
		a, b := sum[d], uint64(0)
		if d < scoreBits {
			b = p[d]
		}
		sum[d] = a ^ b ^ carry
		carry = a&b | carry&(a^b)
	}
}

// notLess returns the positions whose number, in digits, is n or more.
func notLess(digits []uint64, n uint64) uint64 {
	more, same := uint64(0), ^uint64(0)
	for i := len(digits) - 1; i >= 0; i-- {
		// Compare from the highest digit: same is where all digits so far are equal to those of n.
		if n>>i&1 == 1 {
			same &= digits[i]
		} else {
			more |= same & digits[i]
			same &^= digits[i]
		}
	}
	return more | same
}

// offerAll offers the positions of a word that are in mask. More terms that fit always count
// more; with equally many, those that fit in a better field.
func (r *ranking) offerAll(w int, mask uint64, scores [][scoreBits]uint64, count []uint64) {
	worst, full := r.least()
	least := uint64(worst)
	var more, same uint64 // what fits more terms than the worst so far, and as many
	if full {
		if high := least >> sumDigits; high+1 < 1<<len(count) {
			more = notLess(count, high+1)
		}
		same = notLess(count, least>>sumDigits) &^ more
		if mask &= more | same; mask == 0 {
			return // mostly, once there are some that fit all terms: no scores have to be added
		}
	}
	var sum [sumDigits]uint64
	for i := range scores {
		addTo(&sum, &scores[i])
	}
	if full {
		// What has no more than the worst comes after it.
		if low := least&(1<<sumDigits-1) + 1; low < 1<<sumDigits {
			more |= same & notLess(sum[:], low)
		}
		mask &= more
	}
	for ; mask != 0; mask &= mask - 1 {
		bit := bits.TrailingZeros64(mask)
		score := uint32(0)
		for d, digit := range sum {
			score |= uint32(digit>>bit&1) << d
		}
		for d, digit := range count {
			score |= uint32(digit>>bit&1) << (sumDigits + d)
		}
		r.offer(ranked{score, uint32(w<<6 + bit)})
	}
}
