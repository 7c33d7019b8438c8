package codec

import (
	"math"

	"github.com/mewkiz/flac/frame"
)

const (
	// flacTaps is the highest order of a predictor. Order 12 makes files 1 % smaller, and
	// fixed predictors in addition 0.3 %, but both take more time.
	flacTaps = 8
	// flacPrecision is the size of a coefficient in bits. A sum of flacTaps products of
	// such coefficients and 16-bit samples fits into 32 bits: 12 + 16 + 3 = 31.
	flacPrecision = 12
	// flacMaxShift is the largest shift that a frame can declare.
	flacMaxShift = 15
	// flacMinSamples is the smallest block that is worth a prediction.
	flacMinSamples = 32
)

// predictor estimates a sample as the sum of coeffs[i] times the sample i+1 before it, shifted
// right by shift. Coefficients from order on are zero.
type predictor struct {
	order  int
	coeffs [flacTaps]int32
	shift  uint
}

// linear returns how to write the first n samples by linear prediction, and false if that is
// not shorter than verbatim. The result refers to s.
func (s *flacScratch) linear(n int) (frame.SubHeader, bool) {
	if n < flacMinSamples {
		return frame.SubHeader{}, false
	}
	// Levinson's recursion estimates the size of every order, so only one is tried.
	p := s.predictor(n)
	if p.order == 0 {
		return frame.SubHeader{}, false
	}
	s.predict(n, &p)
	bits := s.partition(n, p.order)
	s.coeffs = p.coeffs
	return frame.SubHeader{
		Pred: frame.PredFIR, Order: p.order,
		CoeffPrec: flacPrecision, CoeffShift: int32(p.shift), Coeffs: s.coeffs[:p.order],
		ResidualCodingMethod: frame.ResidualCodingMethodRice1, RiceSubframe: &s.rice,
	}, bits+p.order*(16+flacPrecision)+4+5 < 16*n
}

// predict stores in residual what p does not predict of n samples, folded to unsigned
// numbers: 0, -1, 1, -2 and so on become 0, 1, 2, 3 (RFC 9639, section 9.2.7).
func (s *flacScratch) predict(n int, p *predictor) {
	out := s.residual[p.order:n]
	in := s.samples[p.order : flacTaps+n]
	c := p.coeffs
	for i := range out {
		// The array pointer removes all bounds checks from the sum.
		x := (*[flacTaps + 1]int32)(in[i:])
		sum := c[7]*x[0] + c[6]*x[1] + c[5]*x[2] + c[4]*x[3] + c[3]*x[4] + c[2]*x[5] + c[1]*x[6] + c[0]*x[7]
		r := x[8] - sum>>p.shift
		out[i] = uint32(r<<1 ^ r>>31)
	}
}

// predictor returns the predictor of the first n samples that is expected to give the
// shortest frame, or one of order 0 if there is none.
//
// It uses floating-point arithmetic, so different processors may make different files of the
// same samples. All of them decode to the same samples.
func (s *flacScratch) predictor(n int) predictor {
	ac := s.autocorrelation(n)
	var a, best [flacTaps]float64
	order, least := 0, math.Inf(1)
	left := ac[0] // energy of the residual so far
	// Levinson-Durbin recursion (J. Durbin, 1960): each step adds one coefficient.
	for i := range flacTaps {
		// r becomes the reflection coefficient of this order.
		r := ac[i+1]
		for j, c := range a[:i] {
			r -= c * ac[i-j]
		}
		r /= left
		// Numerically nothing is left to predict; also true for NaN.
		if left *= 1 - r*r; !(left > 0) {
			break
		}
		previous := a
		for j := range i {
			a[j] -= r * previous[i-1-j]
		}
		a[i] = r
		// Each sample of a residual with variance v takes about log2(v)/2 bits plus a constant.
		size := float64(n)*max(0, math.Log2(left/float64(n))/2) + float64((i+1)*(16+flacPrecision))
		if size < least {
			order, least, best = i+1, size, a
		}
	}
	return quantized(best, order)
}

// autocorrelation returns the autocorrelation of the first n samples under a Welch window,
// at lags 0 to flacTaps.
func (s *flacScratch) autocorrelation(n int) [flacTaps + 1]float64 {
	windowed := s.windowed[:flacTaps+n]
	step := 2 / float64(n+1)
	t := -1.0
	for i, v := range s.samples[flacTaps : flacTaps+n] {
		t += step
		windowed[flacTaps+i] = (1 - t*t) * float64(v)
	}
	var a0, a1, a2, a3, a4, a5, a6, a7, a8 float64 // separate variables stay in registers
	for i := range n {
		x := (*[flacTaps + 1]float64)(windowed[i:])
		v := x[8]
		a0 += v * v
		a1 += v * x[7]
		a2 += v * x[6]
		a3 += v * x[5]
		a4 += v * x[4]
		a5 += v * x[3]
		a6 += v * x[2]
		a7 += v * x[1]
		a8 += v * x[0]
	}
	return [...]float64{a0, a1, a2, a3, a4, a5, a6, a7, a8}
}

// quantized rounds the coefficients. Each takes over the rounding error of those before it, so
// that the errors do not add up.
func quantized(coeffs [flacTaps]float64, order int) predictor {
	const most = 1<<(flacPrecision-1) - 1
	largest := 0.0
	for _, c := range coeffs[:order] {
		largest = max(largest, math.Abs(c))
		// Scale so that the largest coefficient uses all bits.
	}
	_, exponent := math.Frexp(largest)
	shift := min(max(flacPrecision-1-exponent, 0), flacMaxShift)
	p := predictor{order: order, shift: uint(shift)}
	rest := 0.0
	for i, c := range coeffs[:order] {
		rest += math.Ldexp(c, shift)
		q := min(max(math.RoundToEven(rest), -most), most)
		rest -= q
		p.coeffs[i] = int32(q)
	}
	return p
}
