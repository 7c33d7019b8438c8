package decode

import (
	"encoding/binary"
	"math/bits"
)

// flacResidual reads what was left of samples by a predictor of an order into
// their places. They come in parts of the same size, of which each has its own
// Rice parameter or is written as it is.
func flacResidual(r *flacBits, samples []int64, order int) {
	method := r.take(2)
	if method > 1 {
		r.fail(broken("what is left of a prediction is written in the reserved way %d", method))
		return
	}
	width := uint(4 + method) // bits of a parameter
	escape := uint64(1)<<width - 1
	parts := r.take(4)
	size := len(samples) >> parts
	if size<<parts != len(samples) || size < order {
		r.fail(broken("%d samples, %d of them not predicted, are cut into %d parts", len(samples), order, 1<<parts))
		return
	}
	for from := order; len(samples) > 0 && r.err == nil; from = 0 {
		part := samples[from:size]
		if k := r.take(width); k != escape {
			r.rice(part, uint(k))
		} else if n := uint(r.take(5)); n > 0 {
			flacVerbatims(r, part, n)
		} else {
			clear(part)
		}
		samples = samples[size:]
	}
}

// rice reads numbers in Rice's code of a parameter: a number of zeros and a one
// for what is above k bits, then those. The lowest bit of all is the sign.
//
// This is where half of the time goes, so the state of the reader is kept in
// variables while all the bits of a number are at hand.
func (r *flacBits) rice(dst []int64, k uint) {
	acc, have, at, buf := r.acc, r.have, r.at, r.buf
	for i := range dst {
		if have < 32 && at+8 <= len(buf) {
			acc |= binary.BigEndian.Uint64(buf[at:]) >> (have & 63)
			n := (63 - have) >> 3
			at += int(n)
			have += n << 3
		}
		q := uint(bits.LeadingZeros64(acc))
		size := q + 1 + k
		if size > have {
			r.acc, r.have, r.at = acc, have, at
			dst[i] = r.slowRice(k)
			if r.err != nil {
				return
			}
			acc, have, at, buf = r.acc, r.have, r.at, r.buf
			continue
		}
		v := uint64(q)<<(k&63) | acc<<(q&63)<<1>>1>>((63-k)&63)
		acc = acc << ((size - 1) & 63) << 1
		have -= size
		dst[i] = int64(v>>1) ^ -int64(v&1)
	}
	r.acc, r.have, r.at = acc, have, at
}

// slowRice reads one number.
func (r *flacBits) slowRice(k uint) int64 {
	v := r.unary(1<<32>>k)<<k | r.take(k)
	return int64(v>>1) ^ -int64(v&1)
}
