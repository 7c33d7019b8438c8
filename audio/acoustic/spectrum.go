package acoustic

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

// The bands of the spectrum are triangles that overlap by half. Their distance is constant on the
// mel scale.
const (
	bands      = 32
	lowestBand = 100.0 // Hz, where the first begins
	topBand    = 7600.0
	// deepest is how far below the loudest band of a frame a band can be, in dB. Anything lower
	// is rounding noise of the samples.
	deepest = 70
)

// spectrum measures the bands of a frame.
type spectrum struct {
	window  int // samples: 25 ms
	taper   []float64
	fft     *fourier.FFT
	padded  []float64
	bins    []complex128
	filters [bands][]weight
}

// weight is the share of a bin that belongs to a band.
type weight struct {
	bin   int
	share float64
}

func newSpectrum(rate int) *spectrum {
	s := &spectrum{window: rate / 40}
	size := 1
	// The transform works on a power of two. Zeros fill the frame up to it.
	for size < s.window {
		size *= 2
	}
	s.fft = fourier.NewFFT(size)
	s.padded = make([]float64, size)
	s.bins = make([]complex128, size/2+1)
	s.taper = make([]float64, s.window)
	for i := range s.taper {
		s.taper[i] = 0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/float64(s.window))
	}
	step := (mel(topBand) - mel(lowestBand)) / (bands + 1)
	for b := range bands {
		center := mel(lowestBand) + step*float64(b+1)
		for bin := range s.bins {
			hz := float64(bin) * float64(rate) / float64(size)
			if share := 1 - math.Abs(mel(hz)-center)/step; share > 0 {
				s.filters[b] = append(s.filters[b], weight{bin, share})
			}
		}
	}
	return s
}

// mel converts a frequency to the mel scale (O'Shaughnessy 1987).
func mel(hz float64) float64 { return 2595 * math.Log10(1+hz/700) }

// measure returns the power of each band of a frame, in dB.
func (s *spectrum) measure(x []float64) [bands]float64 {
	clear(s.padded)
	for i, v := range x {
		s.padded[i] = v * s.taper[i]
	}
	s.fft.Coefficients(s.bins, s.padded)
	var out [bands]float64
	loudest := 0.0
	for b, filter := range s.filters {
		for _, w := range filter {
			c := s.bins[w.bin]
			out[b] += w.share * (square(real(c)) + square(imag(c)))
		}
		loudest = max(loudest, out[b])
	}
	floor := loudest * math.Pow(10, -deepest/10.0)
	for b := range out {
		// The last bound is for a frame of zeros, whose logarithm is infinite.
		out[b] = 10 * math.Log10(max(out[b], floor, math.SmallestNonzeroFloat64))
	}
	return out
}

// cepstrum returns coefficients 1 to 16 of the cosine transform of a spectrum in dB. It is scaled
// so that the sum of their squares is the mean square deviation of the bands from their mean, as
// far as 16 coefficients can represent it. They leave out the single harmonics of high voices,
// which are separate in the lowest bands.
func cepstrum(db [bands]float64) (c [Coefficients]float64) {
	for k := range c {
		for b, v := range db {
			c[k] += v * math.Cos(math.Pi*float64(k+1)*(float64(b)+0.5)/bands)
		}
		c[k] *= math.Sqrt2 / bands
	}
	return c
}
