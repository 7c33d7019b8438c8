package seam

import (
	"math"
	"slices"
)

// similarity holds the sums from which the correlation of two stretches of sound follows.
// They are integers, hence exact: the same place is found on every machine.
type similarity struct{ ab, aa, bb int64 }

// compare compares a with the first samples of b.
func compare(a, b []int16) (f similarity) {
	b = b[:len(a)]
	for i, s := range a {
		x, y := int64(s), int64(b[i])
		f.ab += x * y
		f.aa += x * x
		f.bb += y * y
	}
	return f
}

// correlation returns the normalized cross-correlation, -1 to 1; 0 if one of them is zero.
func (f similarity) correlation() float64 {
	if f.aa == 0 || f.bb == 0 {
		return 0
	}
	return float64(f.ab) / (math.Sqrt(float64(f.aa)) * math.Sqrt(float64(f.bb)))
}

// silent reports whether one of the two stretches, of n samples, is silent.
func (f similarity) silent(n int) bool { return f.aa <= int64(quiet*n) || f.bb <= int64(quiet*n) }

const (
	// quiet is the mean square below which there is nothing to match: 40 dB below the
	// level of speech.
	quiet = 40 * 40
	// distancePenalty is how much better the farthest place must correlate than the
	// nearest. The pieces are of the same text, so a far match is less likely to be right,
	// and it moves the words.
	distancePenalty = 0.1
)

// bestOffset returns by how many samples the stream should skip into the body to continue
// it best; a negative offset begins in the lead.
func (j *Joiner) bestOffset() int {
	// The offsets are limited by reach and by the samples at hand. before and after limit
	// the comparison likewise, so that every offset compares the same stretch of the stream.
	lowest, highest := -min(j.reach, len(j.lead)), min(j.reach, len(j.body))
	after := min(j.after, len(j.expected), max(0, len(j.body)-highest))
	before := max(0, min(j.before, len(j.past), len(j.lead)-j.reach))
	stream := slices.Concat(j.past[len(j.past)-before:], j.expected[:after])
	piece := slices.Concat(j.lead, j.body)
	nearest := len(j.lead) - before
	here, at := compare(stream, piece[nearest:]), 0
	if here.silent(len(stream)) {
		return 0 // a fade in silence is inaudible anywhere
	}
	most := here.correlation()
	// Search outwards, so that of two equal places the nearer one is taken.
	for d := 1; d <= max(highest, -lowest); d++ {
		far := distancePenalty * float64(d) / float64(j.reach)
		if most >= 1-far {
			break // even a correlation of 1 would not make up for the distance
		}
		for _, d := range []int{-d, d} {
			if d < lowest || d > highest {
				continue
			}
			if c := compare(stream, piece[nearest+d:]).correlation() - far; c > most {
				most, at = c, d
			}
		}
	}
	return at
}

// crossfade fades from one sound into another, in place, over at most n samples and as long
// as both last. The gains add up to one (not their squares), because the two sounds are
// nearly the same and in phase.
func crossfade(from, into []int16, n int) {
	n = min(n, len(from), len(into))
	for i := range n {
		// A raised cosine, sampled at the middle of each step.
		gain := 0.5 - 0.5*math.Cos(math.Pi*(float64(i)+0.5)/float64(n))
		into[i] = int16(math.Round((1-gain)*float64(from[i]) + gain*float64(into[i])))
	}
}
