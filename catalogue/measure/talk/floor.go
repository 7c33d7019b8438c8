package talk

// ground is what a channel's levels say of its noise and its speech.
//
// The tenth percentile of the levels is the noise only where a tenth of the
// recording is noise, and the 95th is speech only where somebody speaks for more
// than a twentieth of it. So the floor is the lowest level at which the channel
// rests: at which it holds still, within 5 dB for 100 ms, often enough to stand
// out from the levels beside it. The percentile is taken where there is no such
// level. Where there is none and silence is digital, there is no noise. The peak
// is the 95th percentile of what rises above the floor for long enough to be
// speech.
type ground struct {
	floor, peak int
	// known is false when the channel has no noise: the floor is then assumed.
	known bool
	sound int // frames that are not digital silence
	// drift is the floor by block of driftFrames.
	drift []int16
}

// survey tells the floor from all levels that are not leakage.
func survey(levels []int16, leaks *gate) ground {
	var all, rest histogram
	silence := 0
	for i, l := range levels {
		if l == silent {
			silence++
			continue
		}
		if int(l) <= leaks.at(i) {
			continue
		}
		all.add(int(l))
		if mean, ok := atRest(levels, i); ok {
			rest.add(mean)
		}
	}
	g := ground{sound: all.n, peak: all.quantile(peakQuantile), known: true}
	least := max(restLeast, int(restShare*float64(all.n)))
	l, ok := rest.lowestPeak(least, restSharp)
	switch {
	case ok && l <= g.peak-restBelow:
		g.floor = l
	case silence > 0 && float64(silence) >= silenceShare*float64(len(levels)) && noiseless(&all, &rest, g.peak):
		g.floor, g.known = g.peak-assumedSpan, false
	default:
		g.floor = all.quantile(floorQuantile)
	}
	g.drift = g.drifting(levels, leaks)
	return g
}

// noiseless reports whether no level is that of noise, where some of the silence is
// digital: levels are wide apart, and few of the low ones hold still.
func noiseless(all, rest *histogram, peak int) bool {
	quiet := rest.within(binFrom, peak-restUnder)
	return peak-all.quantile(floorQuantile) >= restBelow &&
		float64(quiet) <= restNone*float64(all.n)
}

// atRest returns the mean of the levels up to i over which the channel holds
// still; false when it does not.
func atRest(levels []int16, i int) (int, bool) {
	if i+1 < restFrames {
		return 0, false
	}
	least, most, sum := levels[i], levels[i], 0
	for _, l := range levels[i+1-restFrames : i+1] {
		least, most = min(least, l), max(most, l)
		sum += int(l)
	}
	return sum / restFrames, least != silent && int(most)-int(least) <= restRange
}

// drifting tells the floor of each block from the levels at rest around it.
func (g *ground) drifting(levels []int16, leaks *gate) []int16 {
	blocks := (len(levels) + driftFrames - 1) / driftFrames
	drift := make([]int16, blocks)
	top := max(g.floor, min(g.floor+driftMost, g.peak-driftSpan))
	last := g.floor
	for b := range drift {
		var rest histogram
		from := max(0, (b-driftBlocks)*driftFrames)
		to := min(len(levels), (b+driftBlocks+1)*driftFrames)
		for i := from; i < to; i++ {
			if mean, ok := atRest(levels, i); ok && int(levels[i]) > leaks.at(i) {
				rest.add(mean)
			}
		}
		if rest.n >= restLeast && g.known {
			last = min(max(rest.quantile(driftQuantile), g.floor), top)
		}
		drift[b] = int16(last)
	}
	return drift
}

// at is the floor at a frame.
func (g *ground) at(frame int) int { return int(g.drift[frame/driftFrames]) }
