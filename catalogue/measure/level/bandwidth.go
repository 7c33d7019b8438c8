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

// How the bands of telephony are told: by where the sound ends at the top, with a tolerance, and,
// if it is cut off there, by whether there is little below 300 Hz. Names as in ITU-T G.100: telephone and
// narrow band end at 4 kHz, wideband at 8 (7 for many coders), super-wideband at 16 (14).
const (
	narrowMost    = 4300 // Hz
	wideMost      = 8500
	superWideMost = 16500
	// cutoffShare is up to which share of half the rate an edge is said to be cut off. The
	// filters of converters and resamplers begin above it.
	cutoffShare = 0.9
	// Sound is cut below if, between cutFrom and cutTo, it is somewhere cutUnder below the mean of
	// that between insideLeast and insideMost. Lines of hum are narrower than that range.
	cutFrom, cutTo          = 150, 220 // Hz
	insideLeast, insideMost = 300, 450
	cutUnder                = 10  // dB
	lowCutLeast             = 180 // Hz; men may have less sound below that, too
	// The edge of a telephone line is a cliff from telephoneFrom to telephoneMost.
	telephoneFrom, telephoneMost = 3000, 3700 // Hz
)

// band is what a spectrum tells of the ways that a recording took.
type band struct {
	hz        *float64 // effective bandwidth
	upsampled bool
	lowCut    *float64 // Hz
	cutoff    *float64 // Hz
	name      string
}

// band returns the band that the sound fills.
func (s *spectrum) band() (b band) {
	b.hz, b.upsampled = s.bandwidth()
	if b.hz == nil {
		return b
	}
	l, edge, half := s.levels(), *b.hz, float64(s.rate)/2
	cut := edge < cutoffShare*half && l.cliff(edge) >= cliffDB
	if cut {
		b.cutoff = &edge
	}
	if hz := s.lowCut(); hz >= lowCutLeast {
		b.lowCut = &hz
	}
	switch {
	// High voices have nothing at the bottom either, but are not cut off at the top.
	case edge >= telephoneFrom && edge <= telephoneMost && l.cliff(edge) >= cliffDB && b.lowCut != nil:
		b.name = "telephone"
	case edge <= narrowMost:
		b.name = "narrow"
	case edge <= wideMost:
		b.name = "wide"
	case edge <= superWideMost:
		b.name = "super-wide"
	default:
		b.name = "full"
	}
	return b
}

// lowCut returns the frequency in Hz under which there is hardly any sound: 0 if there is some, or if
// the spectrum is too coarse.
func (s *spectrum) lowCut() float64 {
	n := len(s.power)
	width := float64(s.rate) / float64(n)
	at := func(hz float64) int { return min(int(math.Ceil(hz/width)), n/2) }
	if width > cutFrom/4 {
		return 0
	}
	inside := 0.0
	for _, p := range s.power[at(insideLeast) : at(insideMost)+1] {
		inside += p / float64(at(insideMost)+1-at(insideLeast))
	}
	least := inside / math.Pow(10, cutUnder/10.0)
	if inside == 0 || slices.Min(s.power[at(cutFrom):at(cutTo)+1]) > least {
		return 0
	}
	i := at(insideLeast)
	for i > at(cutFrom) && s.power[i] > least {
		i--
	}
	return float64(i) * width
}

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
