package level

import (
	"math"
	"math/cmplx"
)

// biquad is a filter of second order, normalized so that its first feedback coefficient is 1.
type biquad struct{ b0, b1, b2, a1, a2 float64 }

// power returns the gain in power at w radians per sample.
func (q biquad) power(w float64) float64 {
	z := cmplx.Rect(1, -w)
	h := (complex(q.b0, 0) + z*complex(q.b1, 0) + z*z*complex(q.b2, 0)) /
		(1 + z*complex(q.a1, 0) + z*z*complex(q.a2, 0))
	return real(h)*real(h) + imag(h)*imag(h)
}

// standardRate is the only sample rate in Hz for which BS.1770 prints coefficients.
const standardRate = 48000

// The analog filters whose bilinear transforms at 48 kHz have the coefficients that BS.1770-4
// prints. Source: Brecht De Man, Evaluation of Implementations of the EBU R128 Loudness
// Measurement, AES 145, 2018.
const (
	shelfHz     = 1681.974450955533
	shelfDB     = 3.999843853973347
	shelfQ      = 0.7071752369554196
	shelfBend   = 0.4996667741545416 // exponent of the gain at the corner
	highPassHz  = 38.13547087602444
	highPassQ   = 0.5003270373238773
	matchedPart = 0.25 // of the rate: highest corner at which a shelf for a low rate is matched
)

// shelf returns the first stage, the effect of a head, for a rate in Hz. The bilinear transform
// warps frequencies: at 8 kHz it would read a tone of 1 kHz 0.2 dB too low. So below 48 kHz
// the shelf is matched to that of the standard.
func shelf(rate float64) biquad {
	if rate < standardRate {
		return matchedShelf(rate)
	}
	k := math.Tan(math.Pi * shelfHz / rate)
	high := math.Pow(10, shelfDB/20)
	bend := math.Pow(high, shelfBend)
	a0 := 1 + k/shelfQ + k*k
	return biquad{
		b0: (high + bend*k/shelfQ + k*k) / a0,
		b1: 2 * (k*k - high) / a0,
		b2: (high - bend*k/shelfQ + k*k) / a0,
		a1: 2 * (k*k - 1) / a0,
		a2: (1 - k/shelfQ + k*k) / a0,
	}
}

// matchedShelf returns a shelf with the poles of the standard one and with its gain at 0 Hz, at
// the corner, and at half the rate. In between it is within 0.05 dB at a rate of 8 kHz,
// 0.1 dB at 6 kHz and 0.31 dB at 4 kHz. Method: M. Vicanek, Matched Second Order Digital
// Filters, 2016.
func matchedShelf(rate float64) biquad {
	standard := shelf(standardRate)
	pole := (complex(-standard.a1, 0) + cmplx.Sqrt(complex(standard.a1*standard.a1-4*standard.a2, 0))) / 2
	// The same pole in the s-plane at another rate.
	pole = cmplx.Pow(pole, complex(standardRate/rate, 0))
	a1, a2 := -2*real(pole), real(pole)*real(pole)+imag(pole)*imag(pole)

	// The squared magnitudes of numerator and denominator are polynomials in sin²(w/2). The
	// denominator is known; three gains determine the numerator.
	den0, den1, den2 := (1+a1+a2)*(1+a1+a2), (1-a1+a2)*(1-a1+a2), -4*a2
	corner := min(shelfHz, matchedPart*rate)
	high := math.Sin(math.Pi * corner / rate)
	high *= high
	low := 1 - high
	gain := func(hz float64) float64 { return standard.power(2 * math.Pi * hz / standardRate) }
	num0, num1 := gain(0)*den0, gain(rate/2)*den1
	num2 := (gain(corner)*(den0*low+den1*high+den2*4*low*high) - num0*low - num1*high) / (4 * low * high)

	sum, difference := math.Sqrt(num0), math.Sqrt(num1)
	w := (sum + difference) / 2
	b0 := (w + math.Sqrt(w*w+num2)) / 2
	return biquad{b0: b0, b1: (sum - difference) / 2, b2: -num2 / (4 * b0), a1: a1, a2: a2}
}

// highPass returns the second stage for a rate in Hz. The numerator that the standard prints,
// 1, -2, 1, has a gain of 0.04 dB at 48 kHz; other rates get the same gain.
func highPass(rate float64) biquad {
	k := math.Tan(math.Pi * highPassHz / rate)
	a0 := 1 + k/highPassQ + k*k
	k48 := math.Tan(math.Pi * highPassHz / standardRate)
	gain := (1 + k48/highPassQ + k48*k48) / a0
	return biquad{
		b0: gain, b1: -2 * gain, b2: gain,
		a1: 2 * (k*k - 1) / a0,
		a2: (1 - k/highPassQ + k*k) / a0,
	}
}

// weighting applies the K-weighting of BS.1770.
type weighting struct {
	shelf, highPass biquad
	s1, s2, h1, h2  float64 // states of shelf and high pass, transposed direct form II
}

func newWeighting(rate int) weighting {
	return weighting{shelf: shelf(float64(rate)), highPass: highPass(float64(rate))}
}

// energy filters x and returns the sum of the squares of the output.
func (w *weighting) energy(x []float64) float64 {
	s, h := w.shelf, w.highPass
	s1, s2, h1, h2 := w.s1, w.s2, w.h1, w.h2
	var sum float64
	for _, v := range x {
		y := s.b0*v + s1
		s1 = s.b1*v - s.a1*y + s2
		s2 = s.b2*v - s.a2*y
		z := h.b0*y + h1
		h1 = h.b1*y - h.a1*z + h2
		h2 = h.b2*y - h.a2*z
		sum += z * z
	}
	w.s1, w.s2, w.h1, w.h2 = s1, s2, h1, h2
	return sum
}

// settle sets states that have died away to 0. Otherwise they become denormal numbers in
// digital silence, on which processors are slow.
func (w *weighting) settle() {
	const nothing = 1e-30
	for _, s := range []*float64{&w.s1, &w.s2, &w.h1, &w.h2} {
		if math.Abs(*s) < nothing {
			*s = 0
		}
	}
}
