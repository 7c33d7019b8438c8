package level

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/dsp/fourier"
)

// spectrum averages the power of a channel by frequency, over all frames that are not digital
// silence (P. D. Welch, 1967).
type spectrum struct {
	rate   int
	window []float64    // Hann window
	frame  []float64    // samples of the frame that is being filled
	pair   []complex128 // two real frames, as the real and the imaginary part of one transform
	half   bool         // pair holds one frame so far
	power  []float64    // sum by bin, of positive and negative frequencies
	frames int
}

// shortestFrame is the shortest length of a frame in seconds. Frames are rounded up to a power
// of two, so they are at most twice as long.
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

// add takes the next samples.
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

// endFrame adds the frame to the pair, and transforms the pair when it is full.
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

// silent reports whether x has only zeros.
func silent(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// transform adds the power of the pair. The two frames do not mix in the sum of the powers at
// a frequency and at its negative, which is all that levels uses.
func (s *spectrum) transform() {
	s.half = false
	// Radix 4 is faster and needs a power of 4.
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

// finish adds what remains: a frame without a partner and, if the recording is shorter than a
// frame, its samples followed by silence.
func (s *spectrum) finish() {
	if s.frames == 0 && len(s.frame) > 0 {
		s.frame = append(s.frame, make([]float64, cap(s.frame)-len(s.frame))...)
		s.endFrame()
	}
	if s.half {
		s.transform()
	}
}
