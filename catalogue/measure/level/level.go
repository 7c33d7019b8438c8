// Package level measures how one channel sounds: loudness, peaks, clipping, silence, bandwidth,
// and the traces of telephone lines and coders.
//
// A channel is read once, as a stream; memory does not grow with its length. Samples are
// processed in blocks of one size, so the figures do not depend on how the stream was
// divided into writes. A figure that has no value is nil: silence has no loudness, and 0.2 s
// of sound has no gated loudness.
//
// Sources: ITU-R BS.1770-4 (loudness, true peak), EBU Tech 3341 and 3342 (loudness range,
// compliance), P. D. Welch 1967 (spectrum).
package level

import (
	"math"

	"vaak/catalogue"
)

const (
	// chunk is how many samples are judged together: whether any of them can be clipped,
	// silent or a new peak. Most chunks need no closer look.
	chunk = 32
	// block is how many samples go through all stages at a time: few enough to stay in the
	// first-level cache.
	block = 32 * chunk
	// before is how many samples are kept in front of a block: two chunks, because the
	// interpolator of the true peak looks back.
	before = 2 * chunk
	// loudest bounds magnitudes: 36 dB over full scale. Only a broken or hostile file in
	// floating point has more.
	loudest = 64
)

// Result is how a channel sounds.
type Result struct {
	// Channel has the figures that do not depend on where speech is. Its loudness is that
	// of the channel played alone, in mono.
	Channel catalogue.Channel
	// Peaks are the highest magnitudes (0 to 1) of 200 equal parts, in order. With fewer
	// than 200 samples they are the magnitudes of the samples.
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
	pending [block]float32 // the first filled samples of the next block
	filled  int
	result  *Result

	samples   [before + block + 2*chunk]float64 // the block, after the samples before it
	magnitude [2 + block/chunk + 2]float64      // highest magnitude of each chunk of samples

	amplitude amplitude
	waveform  waveform
	flat      flat
	grid      grid
	loudness  *loudness // nil if the rate is outside the bounds below
	truePeak  truePeak
	spectrum  *spectrum // nil like loudness
}

// Bounds of sample rates in Hz. The weighting of loudness acts at 1.7 kHz, which lower rates
// cannot represent.
const (
	lowestRate  = 4000
	highestRate = 768000
)

// NewMeter returns a meter for a sample rate in Hz. Loudness and bandwidth are measured at
// rates from 4,000 to 768,000 Hz and are nil at others.
func NewMeter(sampleRate int) *Meter {
	m := &Meter{rate: sampleRate, truePeak: newTruePeak(sampleRate)}
	m.amplitude.silence = max(sampleRate/100, 1)
	if sampleRate >= lowestRate && sampleRate <= highestRate {
		m.loudness = newLoudness(sampleRate)
		m.spectrum = newSpectrum(sampleRate)
	}
	return m
}

// Write measures the next samples, with full scale at -1 and 1. NaN counts as 0, and
// magnitudes above 64 count as 64. After Result, Write does nothing.
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

// Result ends the measurement and returns its figures. Further calls return the same.
func (m *Meter) Result() Result {
	if m.result == nil {
		m.finish()
		m.result = &Result{Channel: m.channel(), Peaks: m.waveform.parts()}
	}
	return *m.result
}

// process sends x through all stages. ready is how many samples the true peak gets, a multiple
// of chunk: at the end of the recording it is more than len(x), and silence follows x.
func (m *Meter) process(x []float32, ready int) {
	fresh := m.samples[before : before+len(x)]
	magnitude := m.magnitude[2 : 2+(len(x)+chunk-1)/chunk]
	m.amplitude.measure(fresh, magnitude, x)
	m.waveform.add(fresh, magnitude)
	m.flat.add(fresh, magnitude)
	m.grid.add(fresh)
	if m.loudness != nil {
		m.loudness.add(fresh)
		m.spectrum.add(fresh)
	}
	m.truePeak.scan(m.samples[:before+ready], m.magnitude[:2+ready/chunk])
	// The last two chunks stay in front of the next block.
	copy(m.samples[:before], m.samples[ready:])
	copy(m.magnitude[:2], m.magnitude[ready/chunk:])
}

// finish measures the pending samples, and silence after them, so that the interpolation of
// the true peak reaches the last sample.
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

// channel returns all figures.
func (m *Meter) channel() catalogue.Channel {
	a := &m.amplitude
	c := catalogue.Channel{
		TruePeakDBTP:        decibels(m.truePeak.highest * m.truePeak.highest),
		RMSDBFS:             decibels(a.meanSquare()),
		ClippingRatio:       a.share(a.clipped),
		DCOffset:            a.mean(),
		DigitalSilenceRatio: a.share(a.silent),
	}
	c.Companding, c.UsedBits, c.Dead = m.grid.companding(), m.grid.usedBits(), m.grid.dead()
	step := 0.0
	if c.UsedBits > 0 {
		step = math.Ldexp(1, 1-c.UsedBits)
	}
	c.FlattenedRatio, c.FlattenedDBFS = m.flat.result(a.count, m.rate, step, c.Companding != "")
	if m.loudness != nil {
		c.LoudnessLUFS = m.loudness.integrated()
		c.LoudnessRangeLU = m.loudness.spread()
		b := m.spectrum.band()
		c.EffectiveBandwidthHz, c.Upsampled = b.hz, b.upsampled
		c.LowCutHz, c.CutoffHz, c.Band = b.lowCut, b.cutoff, b.name
	}
	return c
}

// decibels returns 10 lg of a power, or nil for 0.
func decibels(power float64) *float64 {
	if power <= 0 {
		return nil
	}
	return new(10 * math.Log10(power))
}
