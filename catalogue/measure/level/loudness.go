package level

import "math"

// loudness measures integrated loudness (BS.1770-4) and loudness range (EBU Tech
// 3342) of a channel. Both look at windows that move on by 100 ms.
type loudness struct {
	rate      int
	weighting weighting

	position int     // samples of all steps so far
	end      int     // position at which the step ends
	step     int     // number of the step
	energy   float64 // of the step so far

	energies [shortSteps]float64 // of the last steps, by number
	lengths  [shortSteps]int     // of them, in samples

	momentary, short histogram
}

// Steps of 100 ms, which need not be whole numbers of samples: the n-th ends at
// sample n*rate/10, rounded down.
const (
	stepsPerSecond = 10
	momentarySteps = 4  // 400 ms, overlapping by 75 %
	shortSteps     = 30 // 3 s
)

// Gates in LUFS, or in LU below the loudness of what passes the first gate.
const (
	absoluteGate = -70
	relativeGate = -10 // of integrated loudness
	rangeGate    = -20 // of loudness range
)

func newLoudness(rate int) *loudness {
	return &loudness{
		rate: rate, weighting: newWeighting(rate), end: rate / stepsPerSecond,
		momentary: newHistogram(), short: newHistogram(),
	}
}

// add measures the samples that follow.
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

// endStep ends a step and counts the windows that end with it.
func (l *loudness) endStep() {
	slot := l.step % shortSteps
	l.energies[slot] = l.energy
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

// last is the mean square of the last n steps.
func (l *loudness) last(n int) float64 {
	var energy float64
	length := 0
	for i := l.step - n; i < l.step; i++ {
		energy += l.energies[i%shortSteps]
		length += l.lengths[i%shortSteps]
	}
	return energy / float64(length)
}

// integrated is the loudness of the whole in LUFS; nil where nothing lasts for
// 400 ms above the gate.
func (l *loudness) integrated() *float64 {
	gate, ok := l.momentary.mean(0)
	if !ok {
		return nil
	}
	mean, ok := l.momentary.mean(l.momentary.bin(gate + relativeGate))
	if !ok {
		return nil
	}
	return &mean
}

// spread is the loudness range in LU; nil where nothing lasts for 3 s above the
// gate.
func (l *loudness) spread() *float64 {
	gate, ok := l.short.mean(0)
	if !ok {
		return nil
	}
	from := l.short.bin(gate + rangeGate)
	return new(l.short.quantile(from, 0.95) - l.short.quantile(from, 0.10))
}

// histogram counts windows by loudness in bins of 0.01 LU from the absolute gate
// up. A window counts as loud as the middle of its bin, so a mean or a quantile is
// at most 0.005 LU off, and a window that close to a gate may fall on its other
// side.
type histogram []uint32

const (
	binsPerLU = 100
	highestLU = 40 // above the loudest that bounded samples can be
)

func newHistogram() histogram {
	return make(histogram, (highestLU-absoluteGate)*binsPerLU)
}

// count counts a window with a mean square.
func (h histogram) count(meanSquare float64) {
	if meanSquare <= 0 {
		return
	}
	if l := lufs(meanSquare); l >= absoluteGate {
		h[h.bin(l)]++
	}
}

// lufs is the loudness of a weighted mean square; the offset makes up for what
// the weighting gains at 997 Hz.
func lufs(meanSquare float64) float64 { return -0.691 + 10*math.Log10(meanSquare) }

// bin is the bin of a loudness, the first or last for what is outside.
func (h histogram) bin(l float64) int {
	return min(max(int((l-absoluteGate)*binsPerLU), 0), len(h)-1)
}

// middle is the loudness of a bin.
func (h histogram) middle(bin int) float64 {
	return absoluteGate + (float64(bin)+0.5)/binsPerLU
}

// mean is the loudness of the mean energy of the windows from a bin up; false
// without any.
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

// quantile is the loudness that a share q of the windows from a bin up stays
// below, by the nearest rank.
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
