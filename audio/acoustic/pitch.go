package acoustic

import (
	"cmp"
	"math"
	"slices"
)

// The range of fundamental frequencies, in Hz.
const (
	lowestF0  = 60
	highestF0 = 400
)

// YIN looks for the lag at which a frame differs least from itself.
const (
	// pitchRate is about the sample rate at which it does, in Hz. Higher harmonics add work
	// and no information.
	pitchRate = 7350
	// maxVoicedDepth is how small the difference must be for a lag to be the period, relative to
	// its mean over all shorter lags.
	maxVoicedDepth = 0.15
	// depthTolerance is how much larger than the smallest difference that of the chosen lag may
	// be. The shortest such lag is chosen, because every multiple of the period repeats the
	// signal too.
	depthTolerance = 0.03
	// maxDepth is the same limit for lags that other frames may confirm.
	maxDepth = 0.3
	// octaveCost is what a distance of an octave from the median costs, in the same unit: a lag
	// of half or twice the period must be better by that much.
	octaveCost = 0.2
)

// pitch finds the possible periods of frames.
type pitch struct {
	factor   int     // of the decimation
	rate     float64 // in Hz, after the decimation
	taps     []float64
	shortest int // range of lags, in samples at rate
	longest  int
	window   int

	difference []float64
}

// dip is a local minimum of the difference.
type dip struct {
	f0    float64 // Hz
	depth float64 // 0 is a perfect repeat
}

func newPitch(rate int) *pitch {
	p := &pitch{factor: max(rate/pitchRate, 1)}
	p.rate = float64(rate) / float64(p.factor)
	p.shortest = int(p.rate / highestF0)
	p.longest = int(math.Ceil(p.rate/lowestF0)) + 1
	p.window = int(p.rate / 40) // 25 ms: one and a half times the longest period
	p.difference = make([]float64, p.longest+1)
	// A windowed sinc, which passes frequencies below a third of the new rate.
	half := 8 * p.factor
	for i := -half; i <= half; i++ {
		x := 2 * float64(i) / (3 * float64(p.factor))
		taper := 0.5 + 0.5*math.Cos(math.Pi*float64(i)/float64(half+1))
		p.taps = append(p.taps, taper*sinc(x)*2/(3*float64(p.factor)))
	}
	return p
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// decimate returns the samples at the lower rate.
func (p *pitch) decimate(x []float64) []float64 {
	half := len(p.taps) / 2
	out := make([]float64, 0, len(x)/p.factor+1)
	for center := 0; center < len(x); center += p.factor {
		sum := 0.0
		for i := max(0, center-half); i <= min(len(x)-1, center+half); i++ {
			sum += x[i] * p.taps[i-center+half]
		}
		out = append(out, sum)
	}
	return out
}

// dips returns the lags that may be the period around a sample of the full rate, the shortest
// first. The result is empty for an unvoiced frame.
func (p *pitch) dips(low []float64, center int) []dip {
	span := p.window + p.longest
	// The window and its longest shift are centred on the middle of the spectrum's frame.
	from := center/p.factor - span/2
	if from < 0 || from+span > len(low) {
		return nil
	}
	p.normalize(low[from : from+span])
	var found []dip
	for lag := p.shortest; lag < p.longest; lag++ {
		d := p.difference[lag]
		// Of a flat bottom the last lag counts, since one side may be equal. lag+1 is at
		// most longest, the last element.
		if d > maxDepth || d > p.difference[lag-1] || d >= p.difference[lag+1] {
			continue
		}
		offset, depth := vertex(p.difference[lag-1], d, p.difference[lag+1])
		if f0 := p.rate / (float64(lag) + offset); f0 >= lowestF0 && f0 <= highestF0 {
			found = append(found, dip{f0: f0, depth: depth})
		}
	}
	return found
}

// normalize computes the difference of x with itself at each lag, relative to its mean over all
// shorter lags (cumulative mean normalized difference, equation 8 of the YIN paper).
func (p *pitch) normalize(x []float64) {
	sum := 0.0
	p.difference[0] = 1
	for lag := 1; lag <= p.longest; lag++ {
		d := 0.0
		a, b := x[:p.window], x[lag:lag+p.window]
		for i, v := range a {
			e := v - b[i]
			d += e * e
		}
		// Digital silence: the difference is 0 at every lag, and no lag may look like a
		// period.
		if sum += d; sum == 0 {
			p.difference[lag] = 1
			continue
		}
		p.difference[lag] = d * float64(lag) / sum
	}
}

// vertex returns where the parabola through three points at -1, 0 and 1 has its minimum, -0.5 to
// 0.5, and its value there, at least 0. Without it a period that lies between two samples would
// look worse than its double, which may lie on one.
func vertex(before, at, after float64) (offset, depth float64) {
	curve := before - 2*at + after
	if curve <= 0 {
		return 0, at
	}
	slope := before - after
	return slope / (2 * curve), max(at-slope*slope/(8*curve), 0)
}

// voiced is a frame with its fundamental frequency.
type voiced struct {
	f0      float64 // Hz
	spectra int
}

// track decides the fundamental frequency of each frame. YIN alone is sometimes wrong by an
// octave, where a formant lies on a harmonic or the vocal folds vibrate irregularly. So a second
// pass prefers lags near the median of the first.
func (m *Meter) track() []voiced {
	var first []float64
	for _, f := range m.frames {
		if d := shortest(f.dips); d.depth < maxVoicedDepth {
			first = append(first, d.f0)
		}
	}
	if len(first) < minVoicedFrames {
		return nil
	}
	slices.Sort(first)
	median := percentile(first, 50)
	var track []voiced
	for _, f := range m.frames {
		best := slices.MinFunc(f.dips, func(a, b dip) int {
			return cmp.Compare(a.cost(median), b.cost(median))
		})
		if best.depth < maxVoicedDepth {
			track = append(track, voiced{f0: best.f0, spectra: f.spectra})
		}
	}
	return track
}

// shortest returns the first dip that is about as deep as the deepest.
func shortest(dips []dip) dip {
	deepest := slices.MinFunc(dips, func(a, b dip) int { return cmp.Compare(a.depth, b.depth) })
	i := slices.IndexFunc(dips, func(d dip) bool { return d.depth <= deepest.depth+depthTolerance })
	return dips[i]
}

// cost returns the depth of a dip plus the cost of its distance from the median.
func (d dip) cost(median float64) float64 {
	return d.depth + octaveCost*math.Abs(math.Log2(d.f0/median))
}
