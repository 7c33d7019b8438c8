package flac

import "vaak/audio/decode/recording"

// Kinds of subframes, as coded in six bits.
const (
	subframeConstant = 0
	subframeVerbatim = 1
	subframeFixed    = 8  // plus the order
	subframeLinear   = 32 // plus the order minus one
)

// subframe decodes the samples of a channel, of so many bits each, into a plane. Errors are
// kept in the reader.
func (f *frameDecoder) subframe(r *bitReader, plane []int64, bits uint) {
	head := r.read(8)
	kind := int(head >> 1 & 0x3F)
	if head>>7 != 0 {
		r.fail(recording.Broken("a subframe does not begin with a zero"))
		return
	}
	var wasted uint
	// Wasted bits: zeros at the low end of all samples are not coded.
	if head&1 != 0 {
		wasted = uint(r.unary(32)) + 1
		if wasted >= bits {
			r.fail(recording.Broken("%d of %d bits are said to be unused", wasted, bits))
			return
		}
	}
	bits -= wasted
	samples := plane[history:]
	switch {
	case kind == subframeConstant:
		v := r.signed(bits)
		for i := range samples {
			samples[i] = v
		}
	case kind == subframeVerbatim:
		readVerbatim(r, samples, bits)
	case kind >= subframeFixed && kind <= subframeFixed+4:
		f.fixed(r, plane, kind-subframeFixed, bits)
	case kind >= subframeLinear:
		f.linear(r, plane, kind-subframeLinear+1, bits)
	default:
		r.fail(recording.Broken("a subframe has the reserved type %d", kind))
	}
	if wasted > 0 {
		for i := range samples {
			samples[i] <<= wasted
		}
	}
}

// readVerbatim reads samples that are written as they are.
func readVerbatim(r *bitReader, samples []int64, bits uint) {
	for i := range samples {
		if r.count < bits {
			if r.fill(); r.count < bits {
				r.fail(errEnd)
				return
			}
		}
		// bits is at most 33, so the 56 that fill loads are always enough. The shift of a signed
		// number keeps the sign.
		samples[i] = int64(r.acc) >> (64 - bits)
		r.acc <<= bits
		r.count -= bits
	}
}

// fixed decodes samples with one of the predictors of the format.
func (f *frameDecoder) fixed(r *bitReader, plane []int64, order int, bits uint) {
	if !readWarmUp(r, plane, order, bits) {
		return
	}
	// RFC 9639, section 9.2.5: differences of order 0 to 4.
	coeffs := [5][4]int64{{}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}}
	f.coeffs = [history]int64{}
	copy(f.coeffs[:], coeffs[order][:])
	readResidual(r, plane[history:], order)
	if r.err == nil && order > 0 {
		predict(plane, order, &f.coeffs, 0)
	}
}

// linear decodes samples with a predictor that the subframe defines.
func (f *frameDecoder) linear(r *bitReader, plane []int64, order int, bits uint) {
	if !readWarmUp(r, plane, order, bits) {
		return
	}
	precision, shift := uint(r.read(4))+1, r.signed(5)
	// The code 15, here 16, is reserved, and so is a negative shift (RFC 9639, section 9.2.6).
	if precision == 16 || shift < 0 {
		r.fail(recording.Broken("a predictor has the reserved precision %d or the shift %d", precision, shift))
		return
	}
	f.coeffs = [history]int64{}
	for i := range order {
		f.coeffs[i] = r.signed(precision)
	}
	readResidual(r, plane[history:], order)
	if r.err == nil {
		predict(plane, order, &f.coeffs, uint(shift))
	}
}

// readWarmUp reads the samples before the first predicted one. It returns false if the block
// has fewer.
func readWarmUp(r *bitReader, plane []int64, order int, bits uint) bool {
	samples := plane[history:]
	if order > len(samples) {
		r.fail(recording.Broken("a predictor of %d samples is used for %d", order, len(samples)))
		return false
	}
	readVerbatim(r, samples[:order], bits)
	return r.err == nil
}
