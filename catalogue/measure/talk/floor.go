package talk

// calibration is the noise floor and the speech peak of a channel, from all of its levels.
//
// The 10th percentile of the levels is the noise only if a tenth of the recording is noise,
// and the 95th is speech only if somebody speaks for more than a twentieth of it. So the
// floor is the lowest level at which the channel is steady, within 5 dB for 100 ms, often
// enough to stand out from the levels around it. If there is no such level, the floor is the
// percentile; if moreover silence is digital, there is no noise. The peak is the 95th
// percentile of what rises above the floor for long enough to be speech.
type calibration struct {
	floor, peak int
	// known is false if the channel has no noise; then the floor is an assumption.
	known bool
	sound int // frames that are not digital silence
	// drift is the floor of each block of driftFrames: noise may change over a recording.
	drift []int16
}

// calibrate finds the floor from all levels that are not leakage.
func calibrate(levels []int16, leaks *gate) calibration {
	var all, quiet histogram
	silence := 0
	for i, l := range levels {
		// Digital silence says nothing about the noise while there is sound.
		if l == silent {
			silence++
			continue
		}
		if int(l) <= leaks.at(i) {
			continue
		}
		all.add(int(l))
		if mean, ok := steady(levels, i); ok {
			quiet.add(mean)
		}
	}
	g := calibration{sound: all.n, peak: all.quantile(peakQuantile), known: true}
	// A short recording has few steady frames, a long one many by chance.
	least := max(steadyLeast, int(steadyShare*float64(all.n)))
	l, ok := quiet.lowestPeak(least, steadySharp)
	switch {
	case ok && l <= g.peak-steadyBelow:
		g.floor = l
	case silence > 0 && float64(silence) >= silenceShare*float64(len(levels)) && noiseless(&all, &quiet, g.peak):
		g.floor, g.known = g.peak-assumedSpan, false
	default:
		g.floor = all.quantile(floorQuantile)
	}
	g.drift = g.drifting(levels, leaks)
	return g
}

// noiseless reports whether no level is that of noise, in a recording that has digital
// silence: the levels are far apart, and few of the low ones are steady.
func noiseless(all, steady *histogram, peak int) bool {
	quiet := steady.within(binFrom, peak-steadyUnder)
	return peak-all.quantile(floorQuantile) >= steadyBelow &&
		float64(quiet) <= steadyNone*float64(all.n)
}

// steady returns the mean of the steadyFrames levels that end at i, and whether they are
// close enough to each other to be noise.
func steady(levels []int16, i int) (int, bool) {
	if i+1 < steadyFrames {
		return 0, false
	}
	least, most, sum := levels[i], levels[i], 0
	for _, l := range levels[i+1-steadyFrames : i+1] {
		least, most = min(least, l), max(most, l)
		sum += int(l)
	}
	return sum / steadyFrames, least != silent && int(most)-int(least) <= steadyRange
}

// drifting returns the floor of each block, from the steady levels around it.
func (g *calibration) drifting(levels []int16, leaks *gate) []int16 {
	blocks := (len(levels) + driftFrames - 1) / driftFrames
	drift := make([]int16, blocks)
	// The drifting floor may never come near the speech.
	top := max(g.floor, min(g.floor+driftMost, g.peak-driftSpan))
	last := g.floor
	for b := range drift {
		var quiet histogram
		from := max(0, (b-driftBlocks)*driftFrames)
		to := min(len(levels), (b+driftBlocks+1)*driftFrames)
		for i := from; i < to; i++ {
			if mean, ok := steady(levels, i); ok && int(levels[i]) > leaks.at(i) {
				quiet.add(mean)
			}
		}
		// A block without enough noise keeps the floor of the block before it.
		if quiet.n >= steadyLeast && g.known {
			last = min(max(quiet.quantile(driftQuantile), g.floor), top)
		}
		drift[b] = int16(last)
	}
	return drift
}

// at returns the floor at a frame.
func (g *calibration) at(frame int) int { return int(g.drift[frame/driftFrames]) }
