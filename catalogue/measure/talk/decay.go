package talk

import (
	"math"
	"slices"
)

// How reverberation is measured.
const (
	// A decay begins at a level that the next ones do not exceed, and lasts until the level is
	// decayRise above its lowest, has not fallen for decayStall frames, or is decayAbove above
	// the noise.
	decayRise  = db
	decayStall = 4
	decayAbove = 6 * db
	// Its first decaySkip do not count: they are the direct sound. What remains must fall by
	// decayLeast, in at least decayFrames.
	decaySkip   = 5 * db
	decayLeast  = 10 * db
	decayFrames = 4
	// decaysLeast is from how many decays on their median is the figure.
	decaysLeast = 8
)

// reverberation returns in how many seconds sound falls by 60 dB after it ends, as the median of
// all decays, or nil if there are too few.
//
// As for the reverberation time of ISO 3382, which is measured with an impulse or with noise that
// stops, a line is put through each decay from -5 dB on. But speech does not stop at once: without a
// room its decays give about 0.25 s.
// Blind estimates from speech take the distribution of such slopes: R. Ratnam and others, Blind
// estimation of reverberation time, JASA 114, 2003; J. Wen, E. Habets and P. Naylor, Blind
// estimation of reverberation time based on the distribution of signal decay rates, ICASSP 2008.
func (v *voice) reverberation() *float64 {
	var times []float64
	for i := 0; i+1 < len(v.levels); {
		from, low := v.decay(i)
		if from == low {
			i++
			continue
		}
		times = append(times, fall(v.levels[from:low+1]))
		i = low
	}
	if len(times) < decaysLeast {
		return nil
	}
	slices.Sort(times)
	return new(math.Round(100*times[len(times)/2]) / 100)
}

// decay returns the frames of a decay that begins at a frame, without what is skipped; twice the
// same if there is none.
func (v *voice) decay(at int) (from, low int) {
	if v.levels[at] == silent {
		return at, at
	}
	low = at
	for i := at + 1; i < len(v.levels) && i-low <= decayStall; i++ {
		l := int(v.levels[i])
		if v.levels[i] == silent || l > int(v.levels[low])+decayRise || l <= v.at(i)+decayAbove {
			break
		}
		if l < int(v.levels[low]) {
			low = i
		}
	}
	from = at
	for from < low && int(v.levels[at])-int(v.levels[from]) < decaySkip {
		from++
	}
	if low-from < decayFrames || int(v.levels[from])-int(v.levels[low]) < decayLeast {
		return at, at
	}
	return from, low
}

// fall returns in how many seconds levels fall by 60 dB, by the line through them.
func fall(levels []int16) float64 {
	n := float64(len(levels))
	var x, y, xx, xy float64
	for i, l := range levels {
		t := float64(i)
		x += t
		y += float64(l)
		xx += t * t
		xy += t * float64(l)
	}
	slope := (n*xy - x*y) / (n*xx - x*x) // a frame
	return -60 * db / slope * hopS
}
