package acoustic

import (
	"cmp"
	"math"
	"slices"
)

// The fundamental frequencies that are looked for, in Hz.
const (
	lowestF0  = 60
	highestF0 = 400
)

// The YIN method looks for the lag at which a frame differs least from itself.
const (
	// pitchRate is about the rate at which that is done: harmonics above half of
	// it add work and no knowledge.
	pitchRate = 7350
	// certain is how small the difference must be, in parts of its mean over the
	// shorter lags, for a lag to be the period.
	certain = 0.15
	// near is how much larger than the smallest it may be for the shortest such lag
	// to be preferred: every multiple of the period repeats the signal as well, and
	// half of it almost does where a formant lies on the second harmonic.
	near = 0.03
	// possible is the same for lags that may be chosen in view of other frames.
	possible = 0.3
	// perOctave is what an octave away from the median costs, in the same parts: a
	// lag of half or twice the period has to be that much better.
	perOctave = 0.2
)

// pitch finds the lags of frames.
type pitch struct {
	factor   int     // of the decimation
	rate     float64 // after it
	taps     []float64
	shortest int // lags in samples at rate
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
	p.window = int(p.rate / 40) // 25 ms: one and a half of the longest periods
	p.difference = make([]float64, p.longest+1)
	// A windowed sinc that passes what is below a third of the new rate.
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

// dips returns the lags that may be the period around a sample of the full
// rate, the shortest first; none where it is not voiced.
func (p *pitch) dips(low []float64, center int) []dip {
	span := p.window + p.longest
	from := center/p.factor - span/2
	if from < 0 || from+span > len(low) {
		return nil
	}
	p.normalize(low[from : from+span])
	var found []dip
	for lag := p.shortest; lag < p.longest; lag++ {
		d := p.difference[lag]
		if d > possible || d > p.difference[lag-1] || d >= p.difference[lag+1] {
			continue
		}
		offset, depth := vertex(p.difference[lag-1], d, p.difference[lag+1])
		if f0 := p.rate / (float64(lag) + offset); f0 >= lowestF0 && f0 <= highestF0 {
			found = append(found, dip{f0: f0, depth: depth})
		}
	}
	return found
}

// normalize fills difference: of x with itself at each lag, in parts of the
// mean over all shorter lags (equation 8 of the paper).
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
		if sum += d; sum == 0 {
			p.difference[lag] = 1
			continue
		}
		p.difference[lag] = d * float64(lag) / sum
	}
}

// vertex returns where the parabola through three points at -1, 0 and 1 has its
// lowest, -0.5..0.5, and how low that is, at least 0. Without it a period that
// falls between two samples would seem less deep than its double, which may not.
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

// track decides the fundamental frequency of each frame. YIN alone errs by an
// octave now and then, where a formant lies on a harmonic or the folds swing
// unevenly; a second pass looks at the median of the first, and prefers lags
// that are near it.
func (m *Meter) track() []voiced {
	var first []float64
	for _, f := range m.frames {
		if d := shortest(f.dips); d.depth < certain {
			first = append(first, d.f0)
		}
	}
	if len(first) < fewest {
		return nil
	}
	slices.Sort(first)
	median := percentile(first, 50)
	var track []voiced
	for _, f := range m.frames {
		best := slices.MinFunc(f.dips, func(a, b dip) int {
			return cmp.Compare(a.cost(median), b.cost(median))
		})
		if best.depth < certain {
			track = append(track, voiced{f0: best.f0, spectra: f.spectra})
		}
	}
	return track
}

// shortest returns the first dip that is about as deep as the deepest.
func shortest(dips []dip) dip {
	deepest := slices.MinFunc(dips, func(a, b dip) int { return cmp.Compare(a.depth, b.depth) })
	i := slices.IndexFunc(dips, func(d dip) bool { return d.depth <= deepest.depth+near })
	return dips[i]
}

// cost is the depth of a dip and how far it is off the median.
func (d dip) cost(median float64) float64 {
	return d.depth + perOctave*math.Abs(math.Log2(d.f0/median))
}
