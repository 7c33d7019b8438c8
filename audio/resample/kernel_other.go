//go:build !amd64

package resample

// convolve is the portable kernel.
func convolve(out []int16, window, coef []float32, offsets []int32, taps int) {
	convolveGo(out, window, coef, offsets, taps)
}

// convolvePeriods is the portable kernel.
func convolvePeriods(out []int16, t *table, window, coef []float32, offsets []int32) {
	convolvePeriodsGo(out, t, window, coef, offsets)
}

// toFloat is the portable conversion.
func toFloat(dst []float32, src []int16) { toFloatGo(dst, src) }
