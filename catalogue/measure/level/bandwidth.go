package level

import (
	"math"
	"slices"
)

// Rules of effective bandwidth.
const (
	lowestHz   = 100 // what is below is hum and offset
	floorFrom  = 300 // Hz; below it a high-pass may leave less than the floor
	underPeak  = 60  // dB
	overFloor  = 6   // dB
	floorShare = 0.05
	smoothHz   = 100 // to each side
)

// Rules of what was upsampled: little of the band that the rate allows is used,
// and it ends at a cliff, as a resampler or a telephone line cuts it. Voices fade:
// a low one may sink into the noise at 4 kHz, but by less than 17 dB over half an octave.
const (
	upsampledShare = 0.6
	cliffDB        = 20
	insideFrom     = 0.7 // of the bandwidth: where a cliff is looked down from
	insideTo       = 0.85
	outside        = 1.15 // of the bandwidth: from where everything is below it
)

// bandwidth returns the highest frequency in Hz whose level is within 60 dB of the
// highest and more than 6 dB above the floor, and whether more must have been lost
// by upsampling. The floor is the level that a twentieth of the spectrum stays
// below. Nil is of silence and of noise that is all floor.
func (s *spectrum) bandwidth() (hz *float64, upsampled bool) {
	if s.frames == 0 {
		return nil, false
	}
	l := s.levels()
	least := max(l.peak-underPeak, l.floor()+overFloor)
	for i := len(l.db) - 1; i >= l.bin(lowestHz); i-- {
		if l.db[i] > least {
			edge := float64(i) * l.width
			return &edge, edge < upsampledShare*float64(s.rate)/2 && l.cliff(edge) >= cliffDB
		}
	}
	return nil, false
}

// levels is a smoothed spectrum in dB, in bins of a width in Hz from 0 to half the
// rate.
type levels struct {
	db    []float64
	width float64
	peak  float64 // the highest, which smoothing would lower where it is a tone
}

// levels returns the spectrum so far. It is smoothed by means of dB, so that what
// is loud does not spread over what is soft beside it.
func (s *spectrum) levels() levels {
	n := len(s.power)
	l := levels{db: make([]float64, n/2+1), width: float64(s.rate) / float64(n), peak: math.Inf(-1)}
	sums := make([]float64, n/2+2) // sums[i] is that of the raw levels below i
	for i := range l.db {
		const nothing = 1e-30 // keeps the logarithm of no power finite
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

// bin is the bin of a frequency.
func (l levels) bin(hz float64) int { return min(int(math.Ceil(hz/l.width)), len(l.db)-1) }

// floor is the level that a twentieth of the bins stays below.
func (l levels) floor() float64 {
	sorted := slices.Sorted(slices.Values(l.db[l.bin(floorFrom):]))
	return sorted[int(floorShare*float64(len(sorted)))]
}

// cliff is how many dB the band just inside an edge lies above the highest level
// outside it.
func (l levels) cliff(edge float64) float64 {
	inside := l.db[l.bin(insideFrom*edge) : l.bin(insideTo*edge)+1]
	var sum float64
	for _, v := range inside {
		sum += v
	}
	return sum/float64(len(inside)) - slices.Max(l.db[l.bin(outside*edge):])
}
