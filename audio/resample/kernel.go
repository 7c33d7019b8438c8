package resample

// convolveGo is the portable kernel. out[i] is the product of row i of coef with the taps
// samples of window that begin at offsets[i]-offsets[0], rounded to the nearest integer (ties
// to even) and saturated. taps must be a multiple of eight.
//
// It adds in eight partial sums, in the order of the vector kernel's lanes, which also keeps
// the adder busy. The conversions to float32 forbid fused multiply-add, whose rounding would
// give other results (Go specification, "Floating-point operators").
func convolveGo(out []int16, window, coef []float32, offsets []int32, taps int) {
	for i := range out {
		x := window[offsets[i]-offsets[0]:][:taps]
		c := coef[i*taps:][:taps]
		var s0, s1, s2, s3, s4, s5, s6, s7 float32
		for j := 0; j <= taps-8; j += 8 {
			a, b := (*[8]float32)(x[j:]), (*[8]float32)(c[j:])
			s0 += float32(a[0] * b[0])
			s1 += float32(a[1] * b[1])
			s2 += float32(a[2] * b[2])
			s3 += float32(a[3] * b[3])
			s4 += float32(a[4] * b[4])
			s5 += float32(a[5] * b[5])
			s6 += float32(a[6] * b[6])
			s7 += float32(a[7] * b[7])
		}
		out[i] = round(float32(float32(s0+s1)+float32(s2+s3)) + float32(float32(s4+s5)+float32(s6+s7)))
	}
}

// convolvePeriodsGo makes the outputs of convolveGo in each of the four periods that begin
// with window. The outputs of period j go to out[j*period:] and use window[j*advance:].
func convolvePeriodsGo(out []int16, t *table, window, coef []float32, offsets []int32) {
	for j := range 4 {
		convolveGo(out[j*t.period:][:len(offsets)], window[j*t.advance:], coef, offsets, t.taps)
	}
}

// round returns the nearest 16-bit integer, ties to even. After adding 1.5 * 2^23 a float32
// has no bits left for a fraction. Samples are far below that.
func round(x float32) int16 {
	const noFraction = 3 << 22
	y := int32(float32(x+noFraction) - noFraction)
	return int16(min(max(y, -1<<15), 1<<15-1))
}

// toFloatGo converts src to dst, which must have the same length.
func toFloatGo(dst []float32, src []int16) {
	dst = dst[:len(src)]
	for i, s := range src {
		dst[i] = float32(s)
	}
}
