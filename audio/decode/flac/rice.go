package flac

import (
	"encoding/binary"
	"math/bits"

	"vaak/audio/decode/recording"
)

// readResidual reads the residual of a predictor of some order into a plane. It comes in
// partitions of equal size. Each has a Rice parameter of its own, or its numbers are written as
// they are.
func readResidual(r *bitReader, samples []int64, order int) {
	method := r.read(2)
	if method > 1 {
		r.fail(recording.Broken("what is left of a prediction is written in the reserved way %d", method))
		return
	}
	width := uint(4 + method) // bits of a Rice parameter
	escape := uint64(1)<<width - 1
	parts := r.read(4)
	size := len(samples) >> parts
	// The partitions must divide the block; the first lacks the samples before the prediction.
	if size<<parts != len(samples) || size < order {
		r.fail(recording.Broken("%d samples, %d of them not predicted, are cut into %d parts", len(samples), order, 1<<parts))
		return
	}
	for from := order; len(samples) > 0 && r.err == nil; from = 0 {
		part := samples[from:size]
		// The largest parameter is an escape: then five bits tell the size of uncoded numbers.
		if k := r.read(width); k != escape {
			r.rice(part, uint(k))
		} else if n := uint(r.read(5)); n > 0 {
			readVerbatim(r, part, n)
		} else {
			clear(part)
		}
		samples = samples[size:]
	}
}

// rice reads numbers in a Rice code with parameter k: the part above k bits in unary (zeros and
// a one), then the low k bits. The lowest bit of the result is the sign.
//
// Half of the decoding time is spent here. So the state of the reader stays in local variables
// as long as all bits of a number are in acc.
func (r *bitReader) rice(dst []int64, k uint) {
	acc, have, at, buf := r.acc, r.count, r.at, r.buf
	for i := range dst {
		// Refill to 56 bits or more with one load. The bytes that are only partly in acc
		// are loaded again the next time, at the same place, so or-ing them is harmless.
		if have < 32 && at+8 <= len(buf) {
			acc |= binary.BigEndian.Uint64(buf[at:]) >> (have & 63)
			n := (63 - have) >> 3
			at += int(n)
			have += n << 3
		}
		q := uint(bits.LeadingZeros64(acc))
		size := q + 1 + k
		if size > have { // a long code, or the end of the buffer
			r.acc, r.count, r.at = acc, have, at
			dst[i] = r.slowRice(k)
			if r.err != nil {
				return
			}
			acc, have, at, buf = r.acc, r.count, r.at, r.buf
			continue
		}
		// The masks and the shifts by one keep every shift below 64 without a branch.
		v := uint64(q)<<(k&63) | acc<<(q&63)<<1>>1>>((63-k)&63)
		acc = acc << ((size - 1) & 63) << 1
		have -= size
		dst[i] = int64(v>>1) ^ -int64(v&1)
	}
	r.acc, r.count, r.at = acc, have, at
}

// slowRice reads one number, also across the end of the buffer.
func (r *bitReader) slowRice(k uint) int64 {
	v := r.unary(1<<32>>k)<<k | r.read(k)
	return int64(v>>1) ^ -int64(v&1)
}
