package tempo

import (
	"math"
	"slices"
)

// appendFade appends a crossfade from a to b, which have the same length.
//
// The gains are linear, which is right for two periods of a voice, since they are nearly the
// same. Noise, whose periods have nothing in common, would lose half its power in the middle.
// So the sum is scaled up to the power of the two, as far as they are not correlated.
func appendFade(out, a, b []int16) []int16 {
	b = b[:len(a)]
	n := len(out)
	out = slices.Grow(out, len(a))[:n+len(a)]
	to := out[n:][:len(a)]

	var aa, ab, bb float32
	for i, s := range a {
		x, y := float32(s), float32(b[i])
		aa += x * x
		ab += x * y
		bb += y * y
	}
	ab = max(ab, 0) // opposite phases would be scaled up without limit
	scale := 1 / float32(len(a))
	for i, s := range a {
		v := (float32(i) + 0.5) * scale // the gain of b
		u := 1 - v
		mix := u*float32(s) + v*float32(b[i])
		// The power of the mix, and the power that a fade of it should have.
		have := u*u*aa + 2*u*v*ab + v*v*bb
		want := u*aa + v*bb
		if have > 0 && want > have {
			mix *= float32(math.Sqrt(float64(want / have)))
		}
		to[i] = round(mix)
	}
	return out
}

// round returns the nearest 16-bit integer, saturated.
func round(x float32) int16 {
	y := int32(x + float32(math.Copysign(0.5, float64(x))))
	return int16(min(max(y, math.MinInt16), math.MaxInt16))
}
