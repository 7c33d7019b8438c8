package seam

import (
	"math"
	"slices"
)

// fit says how one stretch of sound follows another: how alike they are where
// they overlap. Sums are exact, so that a place is the same on every machine.
type fit struct{ ab, aa, bb int64 }

// compare compares a with as much of b.
func compare(a, b []int16) (f fit) {
	b = b[:len(a)]
	for i, s := range a {
		x, y := int64(s), int64(b[i])
		f.ab += x * y
		f.aa += x * x
		f.bb += y * y
	}
	return f
}

func (f fit) correlation() float64 {
	if f.aa == 0 || f.bb == 0 {
		return 0
	}
	return float64(f.ab) / (math.Sqrt(float64(f.aa)) * math.Sqrt(float64(f.bb)))
}

// silent says that the one or the other of n samples is.
func (f fit) silent(n int) bool { return f.aa <= int64(quiet*n) || f.bb <= int64(quiet*n) }

const (
	// quiet is the mean square under which there is nothing to match: 40 dB
	// under the level of speech.
	quiet = 40 * 40
	// tether is what the farthest place must correlate better by than the
	// nearest: pieces are of the same text, so what is far is less likely, and
	// moves the words.
	tether = 0.1
)

// place returns the sample of the body, or of the lead if less than 0, that
// comes right behind the stream so far.
func (j *Joiner) place() int {
	lowest, highest := -min(j.reach, len(j.lead)), min(j.reach, len(j.held))
	after := min(j.after, len(j.next), max(0, len(j.held)-highest))
	before := max(0, min(j.before, len(j.past), len(j.lead)-j.reach))
	stream := slices.Concat(j.past[len(j.past)-before:], j.next[:after])
	piece := slices.Concat(j.lead, j.held)
	nearest := len(j.lead) - before
	here, at := compare(stream, piece[nearest:]), 0
	if here.silent(len(stream)) {
		return 0
	}
	most := here.correlation()
	for d := 1; d <= max(highest, -lowest); d++ {
		far := tether * float64(d) / float64(j.reach)
		if most >= 1-far {
			break // nothing correlates better than 1
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

// crossfade fades from one sound into another, in place, over at most n samples
// and as long as there are both. The two are nearly the same, so their gains
// add up to one.
func crossfade(from, into []int16, n int) {
	n = min(n, len(from), len(into))
	for i := range n {
		gain := 0.5 - 0.5*math.Cos(math.Pi*(float64(i)+0.5)/float64(n))
		into[i] = int16(math.Round((1-gain)*float64(from[i]) + gain*float64(into[i])))
	}
}
