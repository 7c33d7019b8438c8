package decode

// Kinds of subframes, as six bits have them.
const (
	flacConstant = 0
	flacVerbatim = 1
	flacFixed    = 8  // and the order
	flacLinear   = 32 // and the order less one
)

// subframe decodes the samples of a channel, of so many bits, into a plane. What
// fails is told by the reader.
func (f *flacFrames) subframe(r *flacBits, plane []int64, bits uint) {
	head := r.take(8)
	kind := int(head >> 1 & 0x3F)
	if head>>7 != 0 {
		r.fail(broken("a subframe does not begin with a zero"))
		return
	}
	var wasted uint
	if head&1 != 0 {
		wasted = uint(r.unary(32)) + 1
		if wasted >= bits {
			r.fail(broken("%d of %d bits are said to be unused", wasted, bits))
			return
		}
	}
	bits -= wasted
	samples := plane[flacHistory:]
	switch {
	case kind == flacConstant:
		v := r.signed(bits)
		for i := range samples {
			samples[i] = v
		}
	case kind == flacVerbatim:
		flacVerbatims(r, samples, bits)
	case kind >= flacFixed && kind <= flacFixed+4:
		f.fixed(r, plane, kind-flacFixed, bits)
	case kind >= flacLinear:
		f.linear(r, plane, kind-flacLinear+1, bits)
	default:
		r.fail(broken("a subframe has the reserved type %d", kind))
	}
	if wasted > 0 {
		for i := range samples {
			samples[i] <<= wasted
		}
	}
}

// flacVerbatims reads samples as they are.
func flacVerbatims(r *flacBits, samples []int64, bits uint) {
	for i := range samples {
		if r.have < bits {
			if r.fill(); r.have < bits {
				r.fail(errFLACEnd)
				return
			}
		}
		samples[i] = int64(r.acc) >> (64 - bits)
		r.acc <<= bits
		r.have -= bits
	}
}

// fixed decodes samples by a predictor that the format fixes.
func (f *flacFrames) fixed(r *flacBits, plane []int64, order int, bits uint) {
	if !flacWarmUp(r, plane, order, bits) {
		return
	}
	coeffs := [5][4]int64{{}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}}
	f.coeffs = [flacHistory]int64{}
	copy(f.coeffs[:], coeffs[order][:])
	flacResidual(r, plane[flacHistory:], order)
	if r.err == nil && order > 0 {
		flacPredict(plane, order, &f.coeffs, 0)
	}
}

// linear decodes samples by a predictor that the subframe holds.
func (f *flacFrames) linear(r *flacBits, plane []int64, order int, bits uint) {
	if !flacWarmUp(r, plane, order, bits) {
		return
	}
	precision, shift := uint(r.take(4))+1, r.signed(5)
	if precision == 16 || shift < 0 {
		r.fail(broken("a predictor has the reserved precision %d or the shift %d", precision, shift))
		return
	}
	f.coeffs = [flacHistory]int64{}
	for i := range order {
		f.coeffs[i] = r.signed(precision)
	}
	flacResidual(r, plane[flacHistory:], order)
	if r.err == nil {
		flacPredict(plane, order, &f.coeffs, uint(shift))
	}
}

// flacWarmUp reads the samples before the first that is predicted, and reports
// whether the block has as many.
func flacWarmUp(r *flacBits, plane []int64, order int, bits uint) bool {
	samples := plane[flacHistory:]
	if order > len(samples) {
		r.fail(broken("a predictor of %d samples is used for %d", order, len(samples)))
		return false
	}
	flacVerbatims(r, samples[:order], bits)
	return r.err == nil
}
