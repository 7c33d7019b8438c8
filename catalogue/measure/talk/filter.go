package talk

import "math"

// biquad is a filter of second order in transposed direct form II. The coefficients are those
// of R. Bristow-Johnson, Cookbook formulae for audio EQ biquad filter coefficients.
type biquad struct {
	b0, b1, b2, a1, a2 float64
	s1, s2             float64
}

// bandpass passes the band of speech. It is a high pass and a low pass, each a Butterworth
// filter of fourth order made of two biquads.
type bandpass struct{ f [4]biquad }

// q1 and q2 are the quality factors of the two biquads of a Butterworth filter of fourth
// order: 1/(2 cos(π/8)) and 1/(2 cos(3π/8)).
const q1, q2 = 0.5411961, 1.3065630

func newBandpass(rate float64) bandpass {
	low := min(bandLowHz, bandCap*rate/4)
	high := min(bandHighHz, bandCap*rate)
	return bandpass{[4]biquad{
		highpass(low, q1, rate), highpass(low, q2, rate),
		lowpass(high, q1, rate), lowpass(high, q2, rate),
	}}
}

// run filters x in place and returns sum plus the squares of the output.
func (p *bandpass) run(x []float64, sum float64) float64 {
	f, g, h, k := p.f[0], p.f[1], p.f[2], p.f[3]
	for i, v := range x {
		y := f.next(v)
		y = g.next(y)
		y = h.next(y)
		y = k.next(y)
		x[i] = y
		sum += y * y
	}
	p.f = [4]biquad{f, g, h, k}
	return sum
}

// next returns the output for the next sample.
func (f *biquad) next(x float64) float64 {
	y := f.b0*x + f.s1
	f.s1 = f.b1*x - f.a1*y + f.s2
	f.s2 = f.b2*x - f.a2*y
	return y
}

// clearTiny sets states that are too small to matter to 0. After the end of a sound a filter
// decays into denormal numbers, on which many processors are very slow.
func (p *bandpass) clearTiny() { clearTiny(p.f[:]) }

func clearTiny(filters []biquad) {
	for i := range filters {
		f := &filters[i]
		if math.Abs(f.s1)+math.Abs(f.s2) < 1e-30 {
			f.s1, f.s2 = 0, 0
		}
	}
}

// lowpass returns a low pass with its corner at f Hz (bilinear transform).
func lowpass(f, q, rate float64) biquad {
	w := 2 * math.Pi * f / rate
	alpha, c := math.Sin(w)/(2*q), math.Cos(w)
	a0 := 1 + alpha
	return biquad{b0: (1 - c) / 2 / a0, b1: (1 - c) / a0, b2: (1 - c) / 2 / a0, a1: -2 * c / a0, a2: (1 - alpha) / a0}
}

// highpass returns a high pass with its corner at f Hz (bilinear transform).
func highpass(f, q, rate float64) biquad {
	w := 2 * math.Pi * f / rate
	alpha, c := math.Sin(w)/(2*q), math.Cos(w)
	a0 := 1 + alpha
	return biquad{b0: (1 + c) / 2 / a0, b1: -(1 + c) / a0, b2: (1 + c) / 2 / a0, a1: -2 * c / a0, a2: (1 - alpha) / a0}
}
