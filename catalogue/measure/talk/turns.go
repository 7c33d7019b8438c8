package talk

import (
	"cmp"
	"math"
	"slices"

	"vaak/catalogue"
)

// unit is an inter-pausal unit of one of two speakers.
type unit struct {
	Interval
	who int // the speaker, 0 or 1
}

// Turns returns how two speakers take turns, from the inter-pausal units of each on a
// recording of durationS seconds. The units of a speaker must be in order and not overlap.
//
// A turn is a series of units of one speaker that hold the floor. Two kinds of units do not
// hold it. A unit that lies wholly within one of the other speaker is a backchannel if it
// lasts up to 1 s, and only overlap if it is longer, because the other speaks on. An isolated
// unit of up to 1 s is a backchannel: its speaker is silent for 1 s before and after it, and
// the other speaks in both of these seconds.
//
// Of units that start together the shorter goes first. Of equal ones, that of the speaker
// whose list of units is the lesser goes first, so that the result does not depend on which
// speaker is a and which is b.
func Turns(a, b []Interval, durationS float64) *catalogue.TurnTaking {
	lists := [2][]Interval{a, b}
	t := &catalogue.TurnTaking{Method: "audio-vad", Turns: []catalogue.Turn{}}
	held, back := floor(lists)
	t.BackchannelCount = back
	for _, u := range held {
		if n := len(t.Turns); n > 0 && t.Turns[n-1].Channel == u.who+1 {
			t.Turns[n-1].EndS = u.End
			continue
		}
		t.Turns = append(t.Turns, catalogue.Turn{Channel: u.who + 1, StartS: u.Start, EndS: u.End})
	}
	t.TurnCount = len(t.Turns)
	t.TurnLengthS = lengths(t.Turns)
	t.IPULengthS = quantiles(append(durations(a), durations(b)...))
	overlap(t, a, b)
	pauses := append(silences(a, b), silences(b, a)...)
	t.PauseMs = quantiles(pauses)
	offsets(t)
	if minutes := durationS / 60; minutes > 0 {
		t.TurnsPerMin = float64(t.TurnCount) / minutes
		t.PausesPerMin = float64(len(pauses)) / minutes
		t.BackchannelsPerMin = float64(back) / minutes
		t.OverlappedStartsPerMin = float64(overlappedStarts(t.Turns)) / minutes
	}
	return t
}

// floor returns the units that hold the floor, in order, and the number of backchannels.
func floor(lists [2][]Interval) (held []unit, back int) {
	// Which list is the lesser decides between units with equal times.
	order := slices.CompareFunc(lists[0], lists[1], compareIntervals)
	for who, own := range lists {
		other := lists[1-who]
		for i, u := range own {
			short := u.End-u.Start <= backchannelS
			switch {
			// A longer unit inside one of the other speaker is neither a turn nor a backchannel.
			case within(u, other):
				if short {
					back++
				}
			case short && isolated(own, i, other):
				back++
			default:
				held = append(held, unit{u, who})
			}
		}
	}
	slices.SortFunc(held, func(x, y unit) int {
		tie := x.who - y.who
		if order > 0 {
			tie = -tie
		}
		return cmp.Or(compareIntervals(x.Interval, y.Interval), tie)
	})
	return held, back
}

// within reports whether u lies wholly within one of the other speaker's units and is shorter
// than it.
func within(u Interval, other []Interval) bool {
	// The last unit that starts no later. All units before it end before it starts.
	i, _ := slices.BinarySearchFunc(other, u.Start, func(o Interval, at float64) int {
		if o.Start <= at {
			return -1
		}
		return 1
	})
	return i > 0 && other[i-1].End >= u.End && other[i-1] != u
}

// isolated reports whether the speaker of own[i] is silent for isolationS before and after
// it, while the other speaks within both.
func isolated(own []Interval, i int, other []Interval) bool {
	u := own[i]
	if i > 0 && u.Start-own[i-1].End < isolationS || i+1 < len(own) && own[i+1].Start-u.End < isolationS {
		return false
	}
	return speaks(other, u.Start-isolationS, u.Start) && speaks(other, u.End, u.End+isolationS)
}

// speaks reports whether any of the units has time in common with from to to.
func speaks(units []Interval, from, to float64) bool {
	i, _ := slices.BinarySearchFunc(units, from, func(o Interval, at float64) int {
		if o.End <= at {
			return -1
		}
		return 1
	})
	return i < len(units) && units[i].Start < to
}

// offsets sets the figures of the floor-transfer offsets.
func offsets(t *catalogue.TurnTaking) {
	var all, gaps, overlaps []float64
	var by [2][]float64
	for i := 1; i < len(t.Turns); i++ {
		o := Offset(t.Turns[i-1], t.Turns[i])
		all = append(all, o)
		who := t.Turns[i].Channel - 1
		by[who] = append(by[who], o)
		switch {
		case o > 0:
			gaps = append(gaps, o)
		case o < 0:
			overlaps = append(overlaps, -o)
		}
	}
	t.FTO = FloorTransfers(all)
	t.GapMs, t.OverlapMs = median(gaps), median(overlaps)
	if len(by[0]) > 0 && len(by[1]) > 0 {
		t.ResponseMs = []float64{*median(by[0]), *median(by[1])}
	}
}

// Offset returns the floor-transfer offset between two turns in milliseconds, rounded to
// microseconds. A negative offset is an overlap.
func Offset(before, after catalogue.Turn) float64 { return round((after.StartS - before.EndS) * 1000) }

// overlappedStarts counts the turns that begin well before the turn before them ends.
func overlappedStarts(turns []catalogue.Turn) int {
	n := 0
	for i := 1; i < len(turns); i++ {
		if Offset(turns[i-1], turns[i]) < interruptMs {
			n++
		}
	}
	return n
}

// FloorTransfers summarizes floor-transfer offsets in milliseconds, from any source. Quantiles
// are interpolated between the two nearest values. An offset of exactly 200 ms counts in the
// share from 200 to 700, and so does one of exactly 700.
func FloorTransfers(offsets []float64) catalogue.FTO {
	f := catalogue.FTO{Count: len(offsets)}
	if len(offsets) == 0 {
		return f
	}
	sorted := slices.Sorted(slices.Values(offsets))
	f.Median, f.P10, f.P90 = new(quantile(sorted, 0.5)), new(quantile(sorted, 0.1)), new(quantile(sorted, 0.9))
	f.Histogram = &catalogue.Histogram{From: histogramFrom, Width: histogramBin, Bins: make([]int, histogramBins)}
	f.Shares = &catalogue.FTOShares{}
	var sum float64
	one := 1 / float64(len(offsets))
	for _, o := range sorted {
		sum += o
		// Offsets outside the histogram count in its first and last bin.
		bin := math.Floor((o - histogramFrom) / histogramBin)
		f.Histogram.Bins[int(min(max(bin, 0), histogramBins-1))]++
		switch {
		case o < 0:
			f.Shares.Under0 += one
		case o < 200:
			f.Shares.To200 += one
		case o <= 700:
			f.Shares.To700 += one
		default:
			f.Shares.Over700 += one
		}
	}
	f.Mean = new(round(sum * one))
	return f
}
