package level

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/dsp/fourier"
)

// spectrum averages the power of a channel by frequency over all frames that are
// not digitally silent (P. D. Welch, 1967).
type spectrum struct {
	rate   int
	window []float64    // Hann
	frame  []float64    // samples that do not make a frame yet
	pair   []complex128 // two frames: the power of both is in one transform
	half   bool         // pair holds one frame
	power  []float64    // summed, of positive and negative frequencies
	frames int
}

// shortestFrame is the length in seconds that frames have at least; they are
// rounded up to a power of two, so at most twice as long.
const shortestFrame = 0.03

func newSpectrum(rate int) *spectrum {
	n := 1
	for float64(n) < shortestFrame*float64(rate) {
		n *= 2
	}
	s := &spectrum{
		rate:   rate,
		window: make([]float64, n),
		frame:  make([]float64, 0, n),
		pair:   make([]complex128, n),
		power:  make([]float64, n),
	}
	for i := range s.window {
		s.window[i] = 0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/float64(n))
	}
	return s
}

// add takes the samples that follow.
func (s *spectrum) add(x []float64) {
	for len(x) > 0 {
		n := min(len(x), cap(s.frame)-len(s.frame))
		s.frame = append(s.frame, x[:n]...)
		x = x[n:]
		if len(s.frame) == cap(s.frame) {
			s.endFrame()
		}
	}
}

// endFrame adds the frame to the pair, and the pair to the sum when it is full.
func (s *spectrum) endFrame() {
	x := s.frame
	s.frame = s.frame[:0]
	if silent(x) {
		return
	}
	s.frames++
	w, pair := s.window[:len(x)], s.pair[:len(x)]
	if !s.half {
		for i, v := range x {
			pair[i] = complex(v*w[i], 0)
		}
		s.half = true
		return
	}
	for i, v := range x {
		pair[i] = complex(real(pair[i]), v*w[i])
	}
	s.transform()
}

// silent reports whether x is nothing but zeros.
func silent(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// transform adds the power of the pair. In the sum of a frequency and its
// negative the two frames do not mix.
func (s *spectrum) transform() {
	s.half = false
	if bits.TrailingZeros(uint(len(s.pair)))%2 == 0 {
		fourier.CoefficientsRadix4(s.pair)
	} else {
		fourier.CoefficientsRadix2(s.pair)
	}
	power := s.power[:len(s.pair)]
	for i, c := range s.pair {
		power[i] += real(c)*real(c) + imag(c)*imag(c)
	}
}

// finish adds what is left: a frame without another, and, of a recording that
// has no whole frame, its samples with silence after them.
func (s *spectrum) finish() {
	if s.frames == 0 && len(s.frame) > 0 {
		s.frame = append(s.frame, make([]float64, cap(s.frame)-len(s.frame))...)
		s.endFrame()
	}
	if s.half {
		s.transform()
	}
}
