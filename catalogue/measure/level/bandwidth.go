package level

import (
	"math"
	"slices"
)

// How the effective bandwidth is found.
const (
	lowestHz   = 100 // below this are hum and offset
	floorFrom  = 300 // Hz; below it a high pass may leave less than the noise floor
	underPeak  = 60  // dB; the band ends where the level is this far under the peak
	overFloor  = 6   // dB; or where it is less than this above the floor
	floorShare = 0.05
	smoothHz   = 100 // Hz on either side
)

// How upsampling is recognised: the sound uses little of the band that the rate allows, and
// the band ends at a cliff, as a resampler or a telephone line leaves it. Voices fade
// instead: a low one may be lost in the noise at 4 kHz, but falls by less than 17 dB over
// half an octave.
const (
	upsampledShare = 0.6
	cliffDB        = 20
	insideFrom     = 0.7  // of the bandwidth: from here
	insideTo       = 0.85 // to here the level inside the cliff is taken
	outside        = 1.15 // of the bandwidth: from here on everything is outside
)

// bandwidth returns the highest frequency in Hz whose level is within 60 dB of the peak and
// more than 6 dB above the floor, and whether the recording was upsampled. The floor is the
// level that 5 % of the spectrum is below. hz is nil for silence, and for noise in which
// nothing rises above the floor.
func (s *spectrum) bandwidth() (hz *float64, upsampled bool) {
	if s.frames == 0 {
		return nil, false
	}
	l := s.levels()
	// From the top down, so that a gap in the middle of the band does not count as its end.
	least := max(l.peak-underPeak, l.floor()+overFloor)
	for i := len(l.db) - 1; i >= l.bin(lowestHz); i-- {
		if l.db[i] > least {
			edge := float64(i) * l.width
			return &edge, edge < upsampledShare*float64(s.rate)/2 && l.cliff(edge) >= cliffDB
		}
	}
	return nil, false
}

// levels is a smoothed spectrum in dB, from 0 Hz to half the sample rate.
type levels struct {
	db    []float64
	width float64
	peak  float64 // the highest level before smoothing, which would lower that of a tone
}

// levels returns the spectrum so far, smoothed by the mean of its values in dB. A mean of
// powers would spread what is loud over what is soft beside it.
func (s *spectrum) levels() levels {
	n := len(s.power)
	l := levels{db: make([]float64, n/2+1), width: float64(s.rate) / float64(n), peak: math.Inf(-1)}
	sums := make([]float64, n/2+2) // sums[i] is the sum of the raw levels below bin i
	for i := range l.db {
		const nothing = 1e-30 // keeps the logarithm of no power finite
		// A bin and its mirror, because power holds positive and negative frequencies.
		raw := 10 * math.Log10(s.power[i]+s.power[(n-i)%n]+nothing)
		sums[i+1] = sums[i] + raw
		if i >= l.bin(lowestHz) {
			l.peak = max(l.peak, raw)
		}
	}
	around := int(smoothHz / l.width)
	for i := range l.db {
		from, to := max(i-around, 0), min(i+around+1, len(l.db))
		l.db[i] = (sums[to] - sums[from]) / float64(to-from)
	}
	return l
}

// bin returns the bin of a frequency.
func (l levels) bin(hz float64) int { return min(int(math.Ceil(hz/l.width)), len(l.db)-1) }

// floor returns the level that floorShare of the bins is below.
func (l levels) floor() float64 {
	sorted := slices.Sorted(slices.Values(l.db[l.bin(floorFrom):]))
	return sorted[int(floorShare*float64(len(sorted)))]
}

// cliff returns by how many dB the level just inside an edge exceeds the highest level outside
// it.
func (l levels) cliff(edge float64) float64 {
	inside := l.db[l.bin(insideFrom*edge) : l.bin(insideTo*edge)+1]
	var sum float64
	for _, v := range inside {
		sum += v
	}
	return sum/float64(len(inside)) - slices.Max(l.db[l.bin(outside*edge):])
}
