package resample

import (
	"math"
	"slices"
	"sync"

	"vaak/audio"
)

// The design of the filter. Measured, its response falls from -0.45 dB at 0.9 of the lower
// Nyquist frequency to -92 dB just below that frequency.
const (
	halfWidth = 48    // zero crossings on each side, in samples of the slower rate
	beta      = 9.2   // of the Kaiser window
	cutoff    = 0.932 // the -6 dB point, relative to the lower Nyquist frequency
)

// minPeriod is how many outputs the kernel should at least make per call, to be fast.
const minPeriod = 32

// table holds the coefficients for a pair of rates, in the order in which the outputs use
// them, so that memory is read sequentially.
type table struct {
	up, down int // output and input rate in lowest terms
	half     int // input samples on each side; a multiple of four
	taps     int // 2*half
	period   int // outputs after which the coefficients repeat, a multiple of up
	advance  int // input samples in a period

	coef    []float32 // period rows of taps coefficients
	offsets []int32   // first input sample of each output, relative to the period's first
}

type pair struct{ from, to int }

// tables has a table for every pair of audio.SampleRates, made when first used.
var tables = func() map[pair]func() *table {
	m := map[pair]func() *table{}
	for _, from := range audio.SampleRates {
		for _, to := range audio.SampleRates {
			m[pair{from, to}] = sync.OnceValue(func() *table { return newTable(from, to) })
		}
	}
	return m
}()

func tableFor(from, to int) *table {
	if cached, ok := tables[pair{from, to}]; ok {
		return cached()
	}
	return newTable(from, to)
}

func newTable(from, to int) *table {
	g := gcd(from, to)
	t := &table{up: to / g, down: from / g}
	width := halfWidth * max(1, float64(from)/float64(to)) // in input samples
	t.half = (int(math.Ceil(width)) + 3) &^ 3
	t.taps = 2 * t.half
	repeat := (minPeriod + t.up - 1) / t.up
	t.period, t.advance = t.up*repeat, t.down*repeat

	rows := make([]float32, 0, t.up*t.taps)
	// Output k lies at input k*down/up: a whole number of samples and a phase.
	for k := range t.up {
		phase := float64(k*t.down%t.up) / float64(t.up)
		rows = append(rows, t.row(phase, width)...)
	}
	t.coef = slices.Repeat(rows, repeat)
	t.offsets = make([]int32, t.period)
	for k := range t.offsets {
		t.offsets[k] = int32(k * t.down / t.up)
	}
	return t
}

// row returns the coefficients of an output that lies phase input samples after the middle
// sample of its window. They add up to one, so a constant input gives a constant output.
func (t *table) row(phase, width float64) []float32 {
	fc := cutoff * halfWidth / width
	exact := make([]float64, t.taps)
	sum := 0.0
	for i := range exact {
		x := float64(i-t.half+1) - phase
		exact[i] = sinc(fc*x) * kaiser(x/width)
		sum += exact[i]
	}
	row := make([]float32, t.taps)
	for i, c := range exact {
		row[i] = float32(c / sum)
	}
	return row
}

// sinc is the impulse response of an ideal low-pass filter.
func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// kaiser is the Kaiser window on -1 to 1, up to a factor, and zero outside.
func kaiser(x float64) float64 {
	if x <= -1 || x >= 1 {
		return 0
	}
	return bessel0(beta * math.Sqrt(1-x*x))
}

// bessel0 is the modified Bessel function of the first kind and order zero, computed by its
// power series.
func bessel0(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > 1e-17*sum; k++ {
		term *= x * x / (4 * k * k)
		sum += term
	}
	return sum
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
