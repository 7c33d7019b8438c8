// Package sonogram makes the spectra of a channel over time, for measures that follow pitch and
// timbre: up to 2 kHz, in bins of about 4 Hz, 16 times a second. A high pass takes away the offset and
// the rumble first: 3 dB at 124 Hz, 11 dB at 50 Hz.
//
// The band ends below the edge of a telephone line, so a recording and its copy over a telephone
// have the same spectra. A channel is read once, as a stream; memory does not grow with its
// length. The spectra do not depend on how the stream was divided into writes.
package sonogram

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

const (
	// PerSecond is how many frames a second of sound has.
	PerSecond = 16
	// TopHz is where the band ends, in Hz.
	TopHz = 2000

	// lowestRate is the lowest sample rate in Hz that has frames.
	lowestRate = 4000
	// A frame counts as silence if its mean square is under silence (-70 dBFS), or under softest of
	// that of the loudest frame (-32 dB), which is forgotten by 0.05 dB a frame. More than half of a
	// channel is pauses, and their transforms, which are most of the work, would tell nothing.
	silence = 1e-7
	softest = 6.3e-4
	forget  = 0.989

	// passHz is where each half of the high pass ends.
	passHz = 80

	// shortest is the shortest length of a frame in seconds. Frames have a power of two of
	// samples, so they are at most twice as long.
	shortest = 0.18
	// middle is when the middle of the first frame is, in seconds: half of the longest frame.
	// Frames of one sound at different sample rates have the same middles.
	middle = 0.18
)

// Frame is a spectrum of about a quarter of a second. A frame that counts as silence has no power:
// it is under -70 dBFS, or 32 dB softer than the sound of the last seconds.
type Frame struct {
	// Power is the power of each bin, from 0 Hz to [TopHz], relative to the mean square of a
	// full-scale signal. It is valid only until the function that got the frame returns.
	Power []float64
	// BinHz is the width of a bin: 3.9 Hz at the usual sample rates, at most 5.6.
	BinHz float64
	// Sum is the sum of Power.
	Sum float64
	// Level is the mean square of the samples, also of a frame that counts as silence.
	Level float64
}

// Meter makes the frames of one channel. It is not safe for concurrent use.
type Meter struct {
	each   func(Frame)
	halver halver
	rate   float64   // of low in Hz; 0 if the sample rate is too low
	low    []float64 // samples that are not behind the next frame
	from   int64     // number of the first sample in low
	next   int64     // number of the next frame

	window []float64
	scale  float64      // from a power of the transform to one relative to full scale
	pair   []complex128 // two frames, as the real and the imaginary part of one transform
	held   int          // frames in pair: 0 or 1
	levels [2]float64   // of the frames in pair
	pass   float64      // of the high pass, see [Meter.highPass]
	past   [2][2]float64
	peak   float64 // mean square of the loudest frame, as far as it is remembered
	frame  Frame
}

// New returns a meter for a sample rate in Hz. It calls each with every frame, in order. Rates
// under 4,000 Hz have no frames.
func New(sampleRate int, each func(Frame)) *Meter {
	m := &Meter{each: each}
	if sampleRate < lowestRate {
		return m
	}
	m.halver, m.rate = newHalver(sampleRate)
	m.pass = math.Exp(-2 * math.Pi * passHz / m.rate)
	n := 1
	for float64(n) < shortest*m.rate {
		n *= 2
	}
	m.window = make([]float64, n)
	var squares float64
	for i := range m.window {
		m.window[i] = 0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/float64(n))
		squares += m.window[i] * m.window[i]
	}
	// Positive and negative frequencies add up to the mean square.
	m.scale = 2 / (float64(n) * squares)
	m.pair = make([]complex128, n)
	m.frame = Frame{Power: make([]float64, min(int(TopHz*float64(n)/m.rate), n/2)+1), BinHz: m.rate / float64(n)}
	return m
}

// Write hears the next samples, with full scale at -1 and 1. NaN and magnitudes above 256 count
// as 0.
func (m *Meter) Write(x []float32) {
	const block = 4096 // so that low stays short however long x is
	for m.rate > 0 && len(x) > 0 {
		n := min(len(x), block)
		from := len(m.low)
		m.low = m.halver.run(m.low, x[:n])
		m.highPass(m.low[from:])
		x = x[n:]
		m.frames()
	}
}

// highPass takes the offset and what is under speech away: twice a filter of one pole.
func (m *Meter) highPass(x []float64) {
	for i, v := range x {
		for k := range m.past {
			p := &m.past[k]
			p[1] = m.pass*p[1] + (1+m.pass)/2*(v-p[0])
			p[0], v = v, p[1]
		}
		x[i] = v
	}
}

// Finish hands over the last frame, if there is one. Nothing may be written after it.
func (m *Meter) Finish() {
	if m.held > 0 {
		m.transform()
	}
}

// begin returns the number of the sample with which a frame begins. It is computed anew for each
// frame, so that rates that are no multiple of PerSecond do not drift.
func (m *Meter) begin(frame int64) int64 {
	return int64(m.rate*(middle+float64(frame)/PerSecond) - float64(len(m.window))/2)
}

// At returns when the middle of a frame is, in seconds from the start, less half of the distance
// between frames: so a run of frames lasts from that of the first to that of the next.
func At(frame int) float64 { return max(0, middle+(float64(frame)-0.5)/PerSecond) }

// frames takes all frames that are whole.
func (m *Meter) frames() {
	at := int(m.begin(m.next) - m.from)
	for at+len(m.window) <= len(m.low) {
		m.take(m.low[at:][:len(m.window)])
		m.next++
		at = int(m.begin(m.next) - m.from)
	}
	if at > len(m.window) {
		m.low = append(m.low[:0], m.low[min(at, len(m.low)):]...)
		m.from += int64(at)
	}
}

// take puts a frame into the pair, and transforms the pair when it is full.
func (m *Meter) take(x []float64) {
	w, pair := m.window[:len(x)], m.pair[:len(x)]
	level, still := m.quiet(x)
	if still && m.held == 0 {
		clear(m.frame.Power)
		m.frame.Sum, m.frame.Level = 0, level
		m.each(m.frame)
		return
	}
	if m.held == 0 {
		for i, v := range x {
			pair[i] = complex(v*w[i], 0)
		}
		m.held, m.levels[0] = 1, level
		return
	}
	for i, v := range x {
		if still {
			v = 0
		}
		pair[i] = complex(real(pair[i]), v*w[i])
	}
	m.held, m.levels[1] = 2, level
	m.transform()
}

// quiet returns the mean square of x and whether it counts as silence.
func (m *Meter) quiet(x []float64) (level float64, still bool) {
	var a, b float64
	for i := 0; i+1 < len(x); i += 2 {
		a += x[i] * x[i]
		b += x[i+1] * x[i+1]
	}
	power := (a + b) / float64(len(x))
	m.peak = max(power, m.peak*forget)
	return power, power < max(silence, m.peak*softest)
}

// transform hands over the frames in the pair.
func (m *Meter) transform() {
	z, held := m.pair, m.held
	m.held = 0
	// The transform of a power of four is faster, but both are the same.
	transform(z)
	for k := range held {
		m.frame.Sum, m.frame.Level = 0, m.levels[k]
		for i := range m.frame.Power {
			// The real signal has the even part of the transform, and the imaginary one the odd
			// part: (z[i] ± conj(z[-i])) / 2.
			a, b := z[i], z[(len(z)-i)&(len(z)-1)]
			re, im := real(a)+real(b), imag(a)-imag(b)
			if k == 1 {
				re, im = imag(a)+imag(b), real(b)-real(a)
			}
			p := (re*re + im*im) * 0.25 * m.scale
			m.frame.Power[i] = p
			m.frame.Sum += p
		}
		m.each(m.frame)
	}
}

// transform is the Fourier transform in place.
func transform(z []complex128) {
	// A power of four has every second bit only.
	if len(z)&0x55555555 != 0 {
		fourier.CoefficientsRadix4(z)
		return
	}
	fourier.CoefficientsRadix2(z)
}
