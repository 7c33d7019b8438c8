package decode

// Kinds of subframes, as coded in six bits.
const (
	flacConstant = 0
	flacVerbatim = 1
	flacFixed    = 8  // plus the order
	flacLinear   = 32 // plus the order minus one
)

// subframe decodes the samples of a channel, of so many bits each, into a plane. Errors are
// kept in the reader.
func (f *flacFrames) subframe(r *flacBits, plane []int64, bits uint) {
	head := r.read(8)
	kind := int(head >> 1 & 0x3F)
	if head>>7 != 0 {
		r.fail(broken("a subframe does not begin with a zero"))
		return
	}
	var wasted uint
	// Wasted bits: zeros at the low end of all samples are not coded.
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

// flacVerbatims reads samples that are written as they are.
func flacVerbatims(r *flacBits, samples []int64, bits uint) {
	for i := range samples {
		if r.count < bits {
			if r.fill(); r.count < bits {
				r.fail(errFLACEnd)
				return
			}
		}
		samples[i] = int64(r.acc) >> (64 - bits)
		r.acc <<= bits
		r.count -= bits
	}
}

// fixed decodes samples with one of the predictors of the format.
func (f *flacFrames) fixed(r *flacBits, plane []int64, order int, bits uint) {
	if !flacWarmUp(r, plane, order, bits) {
		return
	}
	// RFC 9639, section 9.2.5: differences of order 0 to 4.
	coeffs := [5][4]int64{{}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}}
	f.coeffs = [flacHistory]int64{}
	copy(f.coeffs[:], coeffs[order][:])
	flacResidual(r, plane[flacHistory:], order)
	if r.err == nil && order > 0 {
		flacPredict(plane, order, &f.coeffs, 0)
	}
}

// linear decodes samples with a predictor that the subframe defines.
func (f *flacFrames) linear(r *flacBits, plane []int64, order int, bits uint) {
	if !flacWarmUp(r, plane, order, bits) {
		return
	}
	precision, shift := uint(r.read(4))+1, r.signed(5)
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

// flacWarmUp reads the samples before the first predicted one. It returns false if the block
// has fewer.
func flacWarmUp(r *flacBits, plane []int64, order int, bits uint) bool {
	samples := plane[flacHistory:]
	if order > len(samples) {
		r.fail(broken("a predictor of %d samples is used for %d", order, len(samples)))
		return false
	}
	flacVerbatims(r, samples[:order], bits)
	return r.err == nil
}
