// Package level measures how one channel sounds: loudness, peaks, clipping,
// silence and bandwidth.
//
// Samples are read once, in a stream, and memory does not grow with its length.
// They are gathered in blocks of one size, so the figures do not depend on how
// the stream was cut. A figure that cannot be told is nil: silence has no
// loudness, and 0.2 s of sound has no gated one.
//
// Sources: ITU-R BS.1770-4 (loudness, true peak), EBU Tech 3341 and 3342
// (loudness range, compliance), Welch 1967 (spectrum).
package level

import (
	"math"

	"vaak/catalogue"
)

const (
	// chunk is how many samples share one look at what they hold: whether there is
	// anything to clip, to be silent or to peak in them.
	chunk = 32
	// block is how many samples go through the stages at a time: few enough to stay
	// in the first cache.
	block = 32 * chunk
	// before is how many samples stay in front of a block: two chunks, which the
	// interpolator of the true peak looks back on.
	before = 2 * chunk
	// loudest bounds magnitudes: 36 dB over full scale. Only a broken or hostile
	// file of floating-point samples holds more.
	loudest = 64
)

// Result is how a channel sounds.
type Result struct {
	// Channel has the figures that need no voice activity detection. Its loudness is
	// that of the channel played alone, as mono.
	Channel catalogue.Channel
	// Peaks are the highest magnitudes (0..1) of 200 equal parts, in order; of fewer
	// samples than 200, the magnitudes themselves.
	Peaks []float64
}

// Meter measures one channel. It is not safe for concurrent use. Make one with
// [NewMeter] for each channel:
//
//	m := level.NewMeter(8000)
//	for {
//		n, err := stream.Read(planes)
//		m.Write(planes[0][:n])
//		...
//	}
//	fmt.Println(*m.Result().Channel.LoudnessLUFS)
type Meter struct {
	rate    int
	pending [block]float32 // samples that do not fill a block yet
	filled  int
	result  *Result

	samples   [before + block + 2*chunk]float64 // of the block, after those before it
	magnitude [2 + block/chunk + 2]float64      // highest of each chunk of samples

	amplitude amplitude
	waveform  waveform
	loudness  *loudness // nil where the rate is too low for the filters
	truePeak  truePeak
	spectrum  *spectrum // nil as loudness
}

// Bounds of rates in Hz. The weighting of loudness acts at 1.7 kHz, which a rate
// below the lowest cannot hold.
const (
	lowestRate  = 4000
	highestRate = 768000
)

// NewMeter returns a meter of samples at a rate in Hz. Loudness and bandwidth are
// measured from 4,000 to 768,000 Hz, and left out of the results at other rates.
func NewMeter(sampleRate int) *Meter {
	m := &Meter{rate: sampleRate, truePeak: newTruePeak(sampleRate)}
	m.amplitude.silence = max(sampleRate/100, 1)
	if sampleRate >= lowestRate && sampleRate <= highestRate {
		m.loudness = newLoudness(sampleRate)
		m.spectrum = newSpectrum(sampleRate)
	}
	return m
}

// Write measures the samples that follow, full scale at -1 and 1. What is not a
// number counts as 0, and what is over 64 as 64. After Result it does nothing.
func (m *Meter) Write(x []float32) {
	if m.result != nil {
		return
	}
	for len(x) > 0 {
		if m.filled == 0 && len(x) >= block {
			m.process(x[:block], block)
			x = x[block:]
			continue
		}
		n := copy(m.pending[m.filled:], x)
		x, m.filled = x[n:], m.filled+n
		if m.filled == block {
			m.filled = 0
			m.process(m.pending[:], block)
		}
	}
}

// Result ends the measurement and returns what came of it, the same each time.
func (m *Meter) Result() Result {
	if m.result == nil {
		m.finish()
		m.result = &Result{Channel: m.channel(), Peaks: m.waveform.parts()}
	}
	return *m.result
}

// process sends x through all stages. Ready is how many samples the true peak
// gets, a multiple of chunk: more than x holds when silence follows at the end.
func (m *Meter) process(x []float32, ready int) {
	fresh := m.samples[before : before+len(x)]
	magnitude := m.magnitude[2 : 2+(len(x)+chunk-1)/chunk]
	m.amplitude.measure(fresh, magnitude, x)
	m.waveform.add(fresh, magnitude)
	if m.loudness != nil {
		m.loudness.add(fresh)
		m.spectrum.add(fresh)
	}
	m.truePeak.scan(m.samples[:before+ready], m.magnitude[:2+ready/chunk])
	copy(m.samples[:before], m.samples[ready:])
	copy(m.magnitude[:2], m.magnitude[ready/chunk:])
}

// finish measures what is pending, and the silence after it in which the
// interpolation of the true peak rings out.
func (m *Meter) finish() {
	clear(m.samples[before:])
	clear(m.magnitude[2:])
	n := m.filled
	m.process(m.pending[:n], (n+chunk-1)/chunk*chunk+2*chunk)
	m.amplitude.finish()
	m.waveform.finish()
	if m.spectrum != nil {
		m.spectrum.finish()
	}
}

// channel puts the figures together.
func (m *Meter) channel() catalogue.Channel {
	a := &m.amplitude
	c := catalogue.Channel{
		TruePeakDBTP:        decibels(m.truePeak.highest * m.truePeak.highest),
		RMSDBFS:             decibels(a.meanSquare()),
		ClippingRatio:       a.share(a.clipped),
		DCOffset:            a.mean(),
		DigitalSilenceRatio: a.share(a.silent),
	}
	if m.loudness != nil {
		c.LoudnessLUFS = m.loudness.integrated()
		c.LoudnessRangeLU = m.loudness.spread()
		c.EffectiveBandwidthHz, c.Upsampled = m.spectrum.bandwidth()
	}
	return c
}

// decibels is 10 lg of a power; nil of none.
func decibels(power float64) *float64 {
	if power <= 0 {
		return nil
	}
	return new(10 * math.Log10(power))
}
