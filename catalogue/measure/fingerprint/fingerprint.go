// Package fingerprint recognises a recording in another file: cut, louder, in another format, or
// with a little noise. It tells which recordings of a dataset, or of several, hold the same
// sound.
//
// A print is 16 bits for an eighth of a second of a channel. A bit says whether the energy of a
// band rises or falls from one print to the next, compared with the band above (J. Haitsma and
// T. Kalker, A Highly Robust Audio Fingerprinting System, ISMIR 2002). So the level does not
// matter, nor a filter that changes slowly over frequency. No speech can be made from prints.
//
// Limits: a copy that is played faster or slower is not found, nor one whose added noise is as
// loud as the sound. Sound under -70 dBFS, or 32 dB under what was heard before, has no prints. Only the first hour of a channel is
// compared.
package fingerprint

import (
	"encoding/binary"
	"math"

	"vaak/catalogue/measure/sonogram"
)

const (
	// perSecond is how many prints a second has.
	perSecond = sonogram.PerSecond / every

	every  = 2  // frames from one print to the next
	window = 4  // frames that are summed for a print
	bands  = 16 // bits of a print
	lowHz  = 300
	highHz = 1900

	// dense is up to which length, in frames, a channel has a print for every frame: a short
	// recording has too few prints to be found if they lie half an interval beside those of its
	// copy.
	dense = 60 * sonogram.PerSecond
	// longest is how many frames of a channel are compared: an hour.
	longest = 3600 * sonogram.PerSecond
)

// none is the print of silence.
const none = 0

// Print is the fingerprint of one channel. Its text form is for a cache.
type Print struct {
	// Dense says that there is a print for every frame, else for every second one.
	Dense bool `json:"dense,omitempty"`
	// Bits has two bytes for each print, the lower one first.
	Bits []byte `json:"bits"`
}

// phase returns the prints that are an eighth of a second apart, from the first or, of a dense
// print, from the second on.
func (p Print) phase(n int) []uint16 {
	step := 1
	if p.Dense {
		step = every
	} else if n > 0 {
		return nil
	}
	var out []uint16
	for i := n; 2*i+1 < len(p.Bits); i += step {
		out = append(out, binary.LittleEndian.Uint16(p.Bits[2*i:]))
	}
	return out
}

// Seconds returns how much of the channel is compared: what sounds in its first hour.
func (p Print) Seconds() float64 { return float64(sounding(p.phase(0))) / perSecond }

// Indexed returns for how many seconds of prints an [Index] needs room: twice those of the channel for
// a dense print.
func (p Print) Indexed() float64 { return float64(len(p.Bits)/2) / perSecond }

// Maker makes the print of one channel from its spectra. It is not safe for concurrent use.
type Maker struct {
	edges  [bands + 2]int // the bins between bands
	recent [window][bands + 1]float64
	before [every][bands + 1]float64 // sums of the last prints, by frame
	frames int
	bits   []byte
}

// Add hears the next frame.
func (m *Maker) Add(f sonogram.Frame) {
	if m.frames >= longest {
		return
	}
	if m.frames == 0 {
		for i := range m.edges {
			hz := lowHz * math.Pow(highHz/lowHz, float64(i)/(bands+1))
			m.edges[i] = min(int(math.Round(hz/f.BinHz)), len(f.Power))
		}
	}
	now := &m.recent[m.frames%window]
	for b := range now {
		now[b] = 0
		for _, p := range f.Power[m.edges[b]:m.edges[b+1]] {
			now[b] += p
		}
	}
	m.print()
	m.frames++
	if m.frames == dense+1 {
		m.thin()
	}
}

// print adds the print of the last frames.
func (m *Maker) print() {
	var sum [bands + 1]float64
	for _, r := range m.recent {
		for b, p := range r {
			sum[b] += p
		}
	}
	before := &m.before[m.frames%every]
	print := uint16(none)
	for b := range bands {
		if sum[b]-sum[b+1] > before[b]-before[b+1] {
			print |= 1 << b
		}
	}
	*before = sum
	if m.frames > dense && m.frames%every != 0 {
		return
	}
	m.bits = binary.LittleEndian.AppendUint16(m.bits, print)
}

// thin keeps every second print.
func (m *Maker) thin() {
	kept := m.bits[:0]
	for i := 0; i+1 < len(m.bits); i += 2 * every {
		kept = append(kept, m.bits[i], m.bits[i+1])
	}
	m.bits = kept
}

// Print returns the print of what was heard so far.
func (m *Maker) Print() Print { return Print{Dense: m.frames <= dense, Bits: m.bits} }
