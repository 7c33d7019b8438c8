package level

import "math"

// loudness measures integrated loudness (BS.1770-4) and loudness range (EBU Tech 3342) of one
// channel. Both use windows that advance by 100 ms.
type loudness struct {
	rate      int
	weighting weighting

	position int     // samples so far
	end      int     // position at which the current step ends
	step     int     // number of the current step
	energy   float64 // of the current step so far

	energies [shortSteps]float64 // of the last steps, as a ring indexed by step number
	lengths  [shortSteps]int     // their lengths in samples

	momentary, short histogram
}

// A step is 100 ms. It need not be a whole number of samples: step n ends at sample
// (n+1)*rate/10, rounded down.
const (
	stepsPerSecond = 10
	momentarySteps = 4  // 400 ms, with 75 % overlap
	shortSteps     = 30 // 3 s
)

// The gates in LUFS, and in LU relative to the loudness of what passes the absolute gate.
const (
	absoluteGate = -70
	relativeGate = -10 // for integrated loudness
	rangeGate    = -20 // for loudness range
)

func newLoudness(rate int) *loudness {
	return &loudness{
		rate: rate, weighting: newWeighting(rate), end: rate / stepsPerSecond,
		momentary: newHistogram(), short: newHistogram(),
	}
}

// add measures the next samples.
func (l *loudness) add(x []float64) {
	for len(x) > 0 {
		n := min(len(x), l.end-l.position)
		l.energy += l.weighting.energy(x[:n])
		x, l.position = x[n:], l.position+n
		if l.position == l.end {
			l.endStep()
		}
	}
	l.weighting.settle()
}

// endStep ends the current step and counts the windows that end with it.
func (l *loudness) endStep() {
	slot := l.step % shortSteps
	l.energies[slot] = l.energy
	// Before l.step is increased: the step began at sample l.step*rate/10.
	l.lengths[slot] = l.end - l.step*l.rate/stepsPerSecond
	l.step++
	l.energy = 0
	l.end = (l.step + 1) * l.rate / stepsPerSecond
	if l.step >= momentarySteps {
		l.momentary.count(l.last(momentarySteps))
	}
	if l.step >= shortSteps {
		l.short.count(l.last(shortSteps))
	}
}

// last returns the mean square over the last n steps.
func (l *loudness) last(n int) float64 {
	var energy float64
	length := 0
	for i := l.step - n; i < l.step; i++ {
		energy += l.energies[i%shortSteps]
		length += l.lengths[i%shortSteps]
	}
	return energy / float64(length)
}

// integrated returns the integrated loudness in LUFS, or nil if nothing lasts for 400 ms above
// the absolute gate.
func (l *loudness) integrated() *float64 {
	gate, ok := l.momentary.mean(0)
	if !ok {
		return nil
	}
	// The second gate is relative to the mean of what passes the first one.
	mean, ok := l.momentary.mean(l.momentary.bin(gate + relativeGate))
	if !ok {
		return nil
	}
	return &mean
}

// spread returns the loudness range in LU, or nil if nothing lasts for 3 s above the absolute
// gate.
func (l *loudness) spread() *float64 {
	gate, ok := l.short.mean(0)
	if !ok {
		return nil
	}
	from := l.short.bin(gate + rangeGate)
	// Tech 3342: from the 10th to the 95th percentile of what passes the gates.
	return new(l.short.quantile(from, 0.95) - l.short.quantile(from, 0.10))
}

// histogram counts windows by loudness, in bins of 0.01 LU from the absolute gate up. A window
// counts with the loudness of the middle of its bin. So a mean or a quantile is at most
// 0.005 LU off, and a window that is this close to a gate may be on its other side.
type histogram []uint32

const (
	binsPerLU = 100
	highestLU = 40 // above the loudest that samples within the bounds can be
)

func newHistogram() histogram {
	return make(histogram, (highestLU-absoluteGate)*binsPerLU)
}

// count counts a window by its mean square.
func (h histogram) count(meanSquare float64) {
	if meanSquare <= 0 {
		return
	}
	if l := lufs(meanSquare); l >= absoluteGate {
		h[h.bin(l)]++
	}
}

// lufs returns the loudness of a weighted mean square. The offset cancels the gain of the
// weighting at 997 Hz (BS.1770-4).
func lufs(meanSquare float64) float64 { return -0.691 + 10*math.Log10(meanSquare) }

// bin returns the bin of a loudness; the first or last one if it is outside.
func (h histogram) bin(l float64) int {
	return min(max(int((l-absoluteGate)*binsPerLU), 0), len(h)-1)
}

// middle returns the loudness in the middle of a bin.
func (h histogram) middle(bin int) float64 {
	return absoluteGate + (float64(bin)+0.5)/binsPerLU
}

// mean returns the loudness of the mean energy of the windows from a bin up, and false if
// there are none.
func (h histogram) mean(from int) (float64, bool) {
	var energy, windows float64
	for i := from; i < len(h); i++ {
		if h[i] > 0 {
			energy += float64(h[i]) * math.Pow(10, (h.middle(i)+0.691)/10)
			windows += float64(h[i])
		}
	}
	if windows == 0 {
		return 0, false
	}
	return lufs(energy / windows), true
}

// quantile returns the loudness that a share q of the windows from a bin up is below, by the
// nearest rank.
func (h histogram) quantile(from int, q float64) float64 {
	var windows uint64
	for _, n := range h[from:] {
		windows += uint64(n)
	}
	rank := uint64(math.Round(float64(windows-1) * q))
	for i := from; i < len(h); i++ {
		if n := uint64(h[i]); rank < n {
			return h.middle(i)
		} else {
			rank -= n
		}
	}
	return h.middle(len(h) - 1)
}
