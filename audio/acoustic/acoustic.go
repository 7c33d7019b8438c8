// Package acoustic measures how a speaker sounds in a recording: the timbre, the pitch and its
// range, independent of what is said and how loud.
//
// A [Print] summarises some seconds of speech of one speaker. [Print.Distance] tells how far two
// speakers are apart. Only voiced frames count, in which the vocal folds vibrate, since noise and
// silence tell little about a speaker. The longer the recording, the less a print depends on the
// words spoken; with ten seconds that influence is nearly gone.
//
// Sources: Davis and Mermelstein 1980 (mel cepstrum), de Cheveigné and Kawahara 2002 (YIN, for
// the pitch), Nolan 2003 (semitones as the scale of intonation).
package acoustic

import (
	"fmt"
	"math"
	"slices"
)

// Coefficients is the length of Print.Timbre.
const Coefficients = 16

// Print describes how one speaker sounds.
type Print struct {
	// Timbre is the mean spectrum of the voiced frames: coefficients 1 to 16 of the discrete
	// cosine transform of 32 mel bands from 100 to 7,600 Hz, in dB. Coefficient 0, the level,
	// is left out. It is scaled so that the Euclidean distance of two timbres is the root
	// mean square difference of their smoothed spectra over the bands.
	Timbre [Coefficients]float64
	// F0 is the median fundamental frequency in Hz, 60 to 400.
	F0 float64
	// Range is the interval between the 10th and the 90th percentile of the fundamental
	// frequency, in semitones.
	Range float64
	// Voiced is the share of voiced frames among those with sound, 0 to 1.
	Voiced float64
}

// These weights convert semitones to dB of spectral difference.
//
// Timbre matters most: it tells two speakers of the same pitch apart, and a speaker can raise the
// voice by several semitones and still be recognized. So an octave of pitch counts 6 dB, about
// the distance between the timbres of a man and a woman. The range, which varies from sentence
// to sentence, counts half as much.
const (
	pitchWeight = 0.5
	rangeWeight = 0.25
)

// Distance returns how far two prints are apart, in dB. It is the root of the sum of three
// squares: the distance in timbre (see [Print.TimbreDistance]); 0.5 times the interval between
// the medians of F0, in semitones; and 0.25 times the difference of the ranges, in semitones.
// It is a metric: symmetric, zero for equal prints, and it obeys the triangle inequality.
func (p Print) Distance(q Print) float64 {
	pitch := pitchWeight * Semitones(p.F0, q.F0)
	spread := rangeWeight * (p.Range - q.Range)
	return math.Sqrt(square(p.TimbreDistance(q)) + square(pitch) + square(spread))
}

// TimbreDistance returns the root mean square difference of the smoothed mean spectra, in dB,
// both at the same level.
func (p Print) TimbreDistance(q Print) float64 {
	sum := 0.0
	for i := range p.Timbre {
		sum += square(p.Timbre[i] - q.Timbre[i])
	}
	return math.Sqrt(sum)
}

// Semitones returns the interval from one frequency up to another, in semitones.
func Semitones(from, to float64) float64 { return 12 * math.Log2(to/from) }

func square(x float64) float64 { return x * x }

// The allowed sample rates, in Hz. The bands reach up to 7.6 kHz.
const (
	lowestRate  = 16000
	highestRate = 192000
)

// framesPerSecond is how many frames are measured per second.
const framesPerSecond = 50

// Meter collects the speech of one speaker. It is not safe for concurrent use.
type Meter struct {
	rate     int
	spectrum *spectrum
	pitch    *pitch

	frames   []frame
	spectra  [][bands]float64 // of the frames, in dB
	sounding int              // frames that are not silent
}

// frame is a frame with its possible fundamental frequencies.
type frame struct {
	dips    []dip
	spectra int // index into spectra
}

// NewMeter returns a meter of mono PCM at a rate of 16,000 to 192,000 Hz.
func NewMeter(rate int) (*Meter, error) {
	if rate < lowestRate || rate > highestRate {
		return nil, fmt.Errorf("a rate of %d Hz is outside %d to %d", rate, lowestRate, highestRate)
	}
	return &Meter{rate: rate, spectrum: newSpectrum(rate), pitch: newPitch(rate)}, nil
}

// silence is how far below the loudest frame of an utterance a frame must be to count as silent,
// in dB.
const silence = 35

// Write adds one utterance. It must be complete, since silence is judged by its loudest frame.
func (m *Meter) Write(pcm []int16) {
	x := make([]float64, len(pcm))
	for i, s := range pcm {
		x[i] = float64(s) / 32768
	}
	low := m.pitch.decimate(x)
	hop := float64(m.rate) / framesPerSecond
	var starts []int
	var powers []float64
	loudest := 0.0
	// The start is computed from the number of the frame. Adding a rounded hop would drift
	// where the rate is no multiple of 50.
	for at := 0; at+m.spectrum.window <= len(x); at = int(hop * float64(len(starts))) {
		power := meanSquare(x[at : at+m.spectrum.window])
		starts, powers = append(starts, at), append(powers, power)
		loudest = max(loudest, power)
	}
	floor := loudest * math.Pow(10, -silence/10.0)
	for i, at := range starts {
		if powers[i] <= floor {
			continue
		}
		m.sounding++
		dips := m.pitch.dips(low, at+m.spectrum.window/2)
		if len(dips) == 0 {
			continue
		}
		// Which dip is the pitch is decided in Print, when all of the speaker is known.
		m.frames = append(m.frames, frame{dips: dips, spectra: len(m.spectra)})
		m.spectra = append(m.spectra, m.spectrum.measure(x[at:at+m.spectrum.window]))
	}
}

// Join adds what another meter collected of the same speaker at the same rate.
func (m *Meter) Join(other *Meter) {
	for _, f := range other.frames {
		f.spectra += len(m.spectra)
		m.frames = append(m.frames, f)
	}
	m.spectra = append(m.spectra, other.spectra...)
	m.sounding += other.sounding
}

func meanSquare(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return sum / float64(len(x))
}

// minVoicedFrames is how many voiced frames a print needs.
const minVoicedFrames = framesPerSecond / 5

// Print returns the print of everything that was written. ok is false if less than 0.2 s of it
// was voiced.
func (m *Meter) Print() (Print, bool) {
	track := m.track()
	if len(track) < minVoicedFrames {
		return Print{}, false
	}
	var p Print
	var mean [bands]float64
	f0 := make([]float64, len(track))
	for i, t := range track {
		f0[i] = t.f0
		for b, v := range m.spectra[t.spectra] {
			mean[b] += v / float64(len(track))
		}
	}
	slices.Sort(f0)
	p.Timbre = cepstrum(mean)
	p.F0 = percentile(f0, 50)
	p.Range = Semitones(percentile(f0, 10), percentile(f0, 90))
	p.Voiced = float64(len(track)) / float64(m.sounding)
	return p, true
}

// percentile returns the value below which q percent of sorted values lie, interpolated between
// two of them.
func percentile(sorted []float64, q float64) float64 {
	at := q / 100 * float64(len(sorted)-1)
	// Callers give at least two values; minVoicedFrames sees to it.
	i := min(int(at), len(sorted)-2)
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
