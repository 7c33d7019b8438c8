package resample

import "golang.org/x/sys/cpu"

// convolve does what convolveGo does, with the same bits, and eight taps at a time if the
// processor has AVX2.
func convolve(out []int16, window, coef []float32, offsets []int32, taps int) {
	if !cpu.X86.HasAVX2 || len(out) == 0 || taps == 0 || taps%8 != 0 {
		convolveGo(out, window, coef, offsets, taps)
		return
	}
	// The kernel checks no bounds, so these slices do. The last offset is the largest,
	// because offsets ascend.
	n := len(out)
	offsets = offsets[:n]
	window = window[:int(offsets[n-1]-offsets[0])+taps]
	coef = coef[:n*taps]
	convolveAVX2(&out[0], n, &window[0], &coef[0], &offsets[0], taps)
}

// convolvePeriods does what convolvePeriodsGo does, with the same bits. It loads each
// coefficient once for four outputs, so it is a quarter faster than convolve.
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

// toFloat does what toFloatGo does.
func toFloat(dst []float32, src []int16) {
	n := 0
	if cpu.X86.HasAVX2 && len(src) >= 16 {
		n = len(src) &^ 15
		dst = dst[:len(src)]
		toFloatAVX2(&dst[0], &src[0], n)
	}
	toFloatGo(dst[n:], src[n:])
}

// convolveAVX2 makes n outputs, n > 0; taps must be a positive multiple of 8.
//
//go:noescape
func convolveAVX2(out *int16, n int, window, coef *float32, offsets *int32, taps int)

// convolvePeriodsAVX2 makes n outputs in each of four periods, n > 0; taps must be a positive
// multiple of 8.
//
//go:noescape
func convolvePeriodsAVX2(out *int16, n, period int, window, coef *float32, offsets *int32, taps, advance int)

// toFloatAVX2 converts n samples; n must be a positive multiple of 16.
//
//go:noescape
func toFloatAVX2(dst *float32, src *int16, n int)
