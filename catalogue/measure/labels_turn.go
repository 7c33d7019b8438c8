package measure

import (
	"cmp"
	"slices"
)

// unit is a stretch in which a speaker makes no pause.
type unit struct {
	Interval
	speaker int
}

// labelTurns returns the turns. The intervals of each speaker must be in order and not
// overlap.
func labelTurns(spoken [][]Interval) []unit {
	units := make([][]unit, len(spoken))
	for i, own := range spoken {
		units[i] = joinedUnits(own, i)
	}
	all := slices.Concat(units...)
	slices.SortStableFunc(all, func(a, b unit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.speaker, b.speaker))
	})
	floor := newFloor(all)
	next := make([]int, len(units)) // index of the next unit of each speaker
	var turns []unit
	for _, u := range all {
		at := next[u.speaker]
		next[u.speaker]++
		if backchannel(units[u.speaker], at, floor) {
			continue
		}
		// The same speaker goes on, perhaps after a backchannel of somebody else.
		if last := len(turns) - 1; last >= 0 && turns[last].speaker == u.speaker {
			turns[last].End = max(turns[last].End, u.End)
			continue
		}
		turns = append(turns, u)
	}
	return turns
}

// joinedUnits returns the units of one speaker: intervals with hardly a pause are joined.
func joinedUnits(own []Interval, speaker int) []unit {
	var units []unit
	for _, v := range own {
		// 1e-9 s allows for the error of a difference of decimals: a pause of exactly 200
		// ms parts units.
		if last := len(units) - 1; last >= 0 && v.Start-units[last].End < joinUnder-1e-9 {
			units[last].End = v.End
			continue
		}
		units = append(units, unit{v, speaker})
	}
	return units
}

// backchannel reports whether own[at] is a backchannel.
func backchannel(own []unit, at int, floor floor) bool {
	u := own[at]
	if u.End-u.Start > shortUnit+1e-9 {
		return false
	}
	// Somebody who started earlier speaks on beyond its end.
	if end, any := floor.others(u.Start, u.speaker); any && end >= u.End {
		return true
	}
	if at > 0 && u.Start-own[at-1].End < aloneFor || at+1 < len(own) && own[at+1].Start-u.End < aloneFor {
		return false
	}
	before, any := floor.others(u.Start, u.speaker)
	if !any || before < u.Start-answeredUnder {
		return false
	}
	// Among those who start up to a second later, one must still speak after its end.
	after, _ := floor.others(u.End+answeredUnder, u.speaker)
	return after > u.End
}

// floor answers how long speakers other than a given one have spoken, among the units that
// start up to some time. A query takes as long for many speakers as for two.
type floor struct {
	units []unit
	// latest has, for the units up to each index, the one that ends last, and the one of
	// another speaker that ends last.
	latest [][2]unit
}

// newFloor takes the units of all speakers in order of their start.
func newFloor(units []unit) floor {
	f := floor{units: units, latest: make([][2]unit, len(units))}
	best := [2]unit{{speaker: -1}, {speaker: -1}}
	for i, u := range units {
		switch {
		case u.speaker == best[0].speaker:
			if u.End > best[0].End {
				best[0] = u
			}
		// best has two different speakers. When a new one takes the first place, the old
		// first becomes the second, which ends later than the old second.
		case best[0].speaker < 0 || u.End > best[0].End:
			best[0], best[1] = u, best[0]
		case best[1].speaker < 0 || u.End > best[1].End:
			best[1] = u
		}
		f.latest[i] = best
	}
	return f
}

// others returns the latest end of the units of other speakers that start at or before a time,
// and false if there are none.
func (f floor) others(start float64, speaker int) (end float64, any bool) {
	n, _ := slices.BinarySearchFunc(f.units, start, func(u unit, t float64) int {
		if u.Start <= t {
			return -1
		}
		return 1
	})
	if n == 0 {
		return 0, false
	}
	for _, u := range f.latest[n-1] {
		if u.speaker >= 0 && u.speaker != speaker {
			return u.End, true
		}
	}
	return 0, false
}
