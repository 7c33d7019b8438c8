package resample

import "golang.org/x/sys/cpu"

// convolve is convolveGo, bit for bit, eight taps at a time where the processor
// can.
func convolve(out []int16, window, coef []float32, offsets []int32, taps int) {
	if !cpu.X86.HasAVX2 || len(out) == 0 || taps == 0 || taps%8 != 0 {
		convolveGo(out, window, coef, offsets, taps)
		return
	}
	// The kernel checks nothing: offsets ascend, so these are its bounds.
	n := len(out)
	offsets = offsets[:n]
	window = window[:int(offsets[n-1]-offsets[0])+taps]
	coef = coef[:n*taps]
	convolveAVX2(&out[0], n, &window[0], &coef[0], &offsets[0], taps)
}

// convolvePeriods is convolvePeriodsGo, bit for bit. It loads every coefficient
// once for four outputs, which makes it a quarter faster than convolve.
func convolvePeriods(out []int16, t *table, window, coef []float32, offsets []int32) {
	n := len(offsets)
	if !cpu.X86.HasAVX2 || n == 0 || t.taps%8 != 0 {
		convolvePeriodsGo(out, t, window, coef, offsets)
		return
	}
	out = out[:3*t.period+n]
	window = window[:3*t.advance+int(offsets[n-1]-offsets[0])+t.taps]
	coef = coef[:n*t.taps]
	convolvePeriodsAVX2(&out[0], n, t.period, &window[0], &coef[0], &offsets[0], t.taps, t.advance)
}

// toFloat is toFloatGo.
func toFloat(dst []float32, src []int16) {
	n := 0
	if cpu.X86.HasAVX2 && len(src) >= 16 {
		n = len(src) &^ 15
		dst = dst[:len(src)]
		toFloatAVX2(&dst[0], &src[0], n)
	}
	toFloatGo(dst[n:], src[n:])
}

// convolveAVX2 makes n > 0 outputs; taps is a positive multiple of 8.
//
//go:noescape
func convolveAVX2(out *int16, n int, window, coef *float32, offsets *int32, taps int)

// convolvePeriodsAVX2 makes n > 0 outputs in each of four periods; taps is a
// positive multiple of 8.
//
//go:noescape
func convolvePeriodsAVX2(out *int16, n, period int, window, coef *float32, offsets *int32, taps, advance int)

// toFloatAVX2 converts n samples, a positive multiple of 16.
//
//go:noescape
func toFloatAVX2(dst *float32, src *int16, n int)
