// Package acoustic measures who seems to speak in a recording: the timbre, the
// pitch and its range, apart from what is said and how loud.
//
// A [Print] is what remains of some seconds of speech of one speaker, and
// [Print.Distance] says how far two of them are apart. Only frames in which the
// vocal folds swing count, since hiss and silence say little about a speaker.
// The longer the recording, the less a print depends on its words: at ten
// seconds most of that is gone.
//
// Sources: Davis and Mermelstein 1980 (cepstrum on the mel scale), de Cheveigné
// and Kawahara 2002 (YIN, the pitch), Nolan 2003 (semitones as the scale of
// intonation).
package acoustic

import (
	"fmt"
	"math"
	"slices"
)

// Coefficients is the length of a timbre.
const Coefficients = 16

// Print is what one speaker sounds like.
type Print struct {
	// Timbre is the mean spectrum of the voiced frames: coefficients 1 to 16 of
	// the discrete cosine transform of 32 mel bands from 100 to 7,600 Hz, in dB.
	// The level is coefficient 0 and left out. It is scaled so that the length of
	// the difference between two timbres is the root mean square over the bands
	// of the difference between their smoothed spectra.
	Timbre [Coefficients]float64
	// F0 is the median fundamental frequency in Hz, 60 to 400.
	F0 float64
	// Range is how far the 10th percentile of the fundamental frequency lies
	// below the 90th, in semitones.
	Range float64
	// Voiced is the share of the frames with sound that are voiced, 0..1.
	Voiced float64
}

// What a semitone between two prints counts, in dB of spectral difference.
//
// Timbre comes first: two speakers of one pitch are told apart by it, and one
// speaker raises the voice by several semitones without turning into another.
// So an octave of pitch is worth 6 dB, about what lies between the timbres of a
// man and a woman, and the range, which moves with the sentence, half as much.
const (
	PitchWeight = 0.5
	RangeWeight = 0.25
)

// Distance returns how far two prints are apart, in dB: the root of the sum of
// the squares of the distance in timbre (see [Print.TimbreDistance]), of
// [PitchWeight] times the interval between the medians of F0 in semitones, and
// of [RangeWeight] times the difference of the ranges in semitones. It is
// symmetric, zero between a print and itself, and obeys the triangle inequality.
func (p Print) Distance(q Print) float64 {
	pitch := PitchWeight * Semitones(p.F0, q.F0)
	spread := RangeWeight * (p.Range - q.Range)
	return math.Sqrt(square(p.TimbreDistance(q)) + square(pitch) + square(spread))
}

// TimbreDistance returns the root mean square, in dB, of the difference of the
// smoothed mean spectra, each at the same level.
func (p Print) TimbreDistance(q Print) float64 {
	sum := 0.0
	for i := range p.Timbre {
		sum += square(p.Timbre[i] - q.Timbre[i])
	}
	return math.Sqrt(sum)
}

// Semitones returns the interval from one frequency up to another.
func Semitones(from, to float64) float64 { return 12 * math.Log2(to/from) }

func square(x float64) float64 { return x * x }

// Rates of the PCM, in Hz: the bands reach to 7.6 kHz.
const (
	lowestRate  = 16000
	highestRate = 192000
)

// framesPerSecond is how often pitch and spectrum are looked at.
const framesPerSecond = 50

// Meter gathers the speech of one speaker. It is not safe for concurrent use.
type Meter struct {
	rate     int
	spectrum *spectrum
	pitch    *pitch

	frames   []frame
	spectra  [][bands]float64 // of the frames, in dB
	sounding int              // frames that are not silent
}

// frame is one look at the fundamental frequency.
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

// silence is how far below the loudest frame of an utterance a frame counts as
// silent, in dB.
const silence = 35

// Write measures one utterance: a whole one, since frames end with it.
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
		m.frames = append(m.frames, frame{dips: dips, spectra: len(m.spectra)})
		m.spectra = append(m.spectra, m.spectrum.measure(x[at:at+m.spectrum.window]))
	}
}

// Join adds what another meter gathered of the same speaker at the same rate.
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

// fewest is how many voiced frames a print needs.
const fewest = framesPerSecond / 5

// Print returns the print of all that was written, and false when less than
// 0.2 s of it was voiced.
func (m *Meter) Print() (Print, bool) {
	track := m.track()
	if len(track) < fewest {
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

// percentile returns the value below which q percent of sorted values lie,
// between two of them in proportion.
func percentile(sorted []float64, q float64) float64 {
	at := q / 100 * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-2)
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// Measure returns the print of one utterance; see [Meter]. The error says that
// the rate is out of range, or that too little of it is voiced.
func Measure(pcm []int16, rate int) (Print, error) {
	m, err := NewMeter(rate)
	if err != nil {
		return Print{}, err
	}
	m.Write(pcm)
	p, ok := m.Print()
	if !ok {
		return Print{}, fmt.Errorf("%d frames of %d are voiced, want %d", len(m.frames), m.sounding, fewest)
	}
	return p, nil
}
