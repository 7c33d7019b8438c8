package talk

// run is a range of frames, from the first to before the last.
type run struct{ from, to int }

// voice is one channel on which somebody may speak.
type voice struct {
	calibration
	levels []int16
	tones  []tone
	edge   int // how far the mean of edgeMean frames of noise reaches above the floor
	top    int // how far a single frame of noise reaches above it
	speech []run
}

func newVoice(m *meter) *voice {
	return &voice{calibration: calibrate(m.levels, nil), levels: m.levels, tones: m.tones}
}

// span returns how far speech rises above the noise.
func (v *voice) span() int { return v.peak - v.floor }

// detect finds speech. What does not exceed the gate is leakage from another channel and not
// speech; a nil gate lets everything through. The steps depend on each other: noise is
// measured between the speech found so far, and edges are moved by that noise.
func (v *voice) detect(g *gate) {
	v.speech = nil
	rises, ok := v.risen(g)
	if !ok {
		return
	}
	// With noise, the peak is that of what exceeds it: silence would pull the quantile down.
	if v.known {
		v.peak = rises
	}
	if v.span() < spanLeast {
		return
	}
	// Joined before short runs are dropped, so that a word with a closure inside counts whole.
	v.speech = dropShort(join(v.active(g), hangFrames), dropFrames, burstFrames, nearFrames)
	v.measureNoise(g)
	v.reach(g)
	v.speech = v.bridge(g)
	v.widen(g)
}

// detectAgain finds speech once the leakage is known, which is neither speech nor noise.
func (v *voice) detectAgain(g *gate) {
	if g != nil {
		v.calibration = calibrate(v.levels, g)
	}
	v.detect(g)
}

// risen returns the peak of the levels that rise above the floor for long enough to be
// speech, and false if there are none.
func (v *voice) risen(g *gate) (int, bool) {
	var h histogram
	from := 0
	for i := 0; i <= len(v.levels); i++ {
		// i == len(v.levels) ends the last stretch.
		if i < len(v.levels) && int(v.levels[i]) > max(v.at(i)+upLeast, g.at(i)) {
			continue
		}
		if i-from >= dropFrames {
			for _, l := range v.levels[from:i] {
				h.add(int(l))
			}
		}
		from = i + 1
	}
	return h.quantile(peakQuantile), h.n > 0
}

// active returns the runs that begin above the higher threshold and last until the level is
// under the lower one.
func (v *voice) active(g *gate) []run {
	var runs []run
	on := false
	for i, l := range v.levels {
		floor := v.at(i)
		// The floor drifts, and so does the span above it: thresholds are made for each frame.
		span := float64(v.peak - floor)
		bound := floor + max(upLeast, int(upShare*span))
		if on {
			bound = floor + max(downLeast, int(downShare*span))
		}
		is := int(l) > max(bound, g.at(i))
		switch {
		case is && !on:
			runs = append(runs, run{i, i + 1})
		case is:
			runs[len(runs)-1].to = i + 1
		}
		on = is
	}
	return runs
}

// join joins runs that have up to gap frames between them.
func join(runs []run, gap int) []run {
	var out []run
	for _, r := range runs {
		if n := len(out); n > 0 && r.from-out[n-1].to <= gap {
			out[n-1].to = max(out[n-1].to, r.to)
			continue
		}
		out = append(out, r)
	}
	return out
}

// dropShort returns the runs of at least least frames, and the shorter ones of at least few
// frames that are up to near frames from such a run: the release of a stop consonant, after
// its closure, is too short to be speech by itself.
func dropShort(runs []run, least, few, near int) []run {
	var out []run
	long := func(r run) bool { return r.to-r.from >= least }
	for i, r := range runs {
		before := i > 0 && long(runs[i-1]) && r.from-runs[i-1].to <= near
		after := i+1 < len(runs) && long(runs[i+1]) && runs[i+1].from-r.to <= near
		if long(r) || r.to-r.from >= few && (before || after) {
			out = append(out, r)
		}
	}
	return out
}

// measureNoise measures how far noise reaches above the floor: in a single frame (top), and in
// the mean of edgeMean frames (edge).
func (v *voice) measureNoise(g *gate) {
	var one, many histogram
	v.pauses(func(i int) {
		// Leakage more than leakHidden below the noise adds less than 1 dB to it.
		if g.at(i) > v.at(i)-leakHidden {
			return // the other speaker is heard here
		}
		one.add(int(v.levels[i]) - v.at(i))
		if mean, ok := v.mean(i, 1); ok {
			many.add(mean - v.at(i))
		}
	})
	// With too few pauses to measure the noise, the lower threshold stands in for it.
	v.edge, v.top = downLeast, downLeast
	if many.n >= steadyLeast {
		v.edge = many.quantile(edgeQuantile) + edgeOver
		v.top = one.quantile(edgeQuantile) + edgeOver
	}
}

// mean returns the mean level of edgeMean frames, beginning with from, forwards or backwards
// by step. It returns false if the recording ends before, or if all is digital silence.
func (v *voice) mean(from, step int) (int, bool) {
	if to := from + step*(edgeMean-1); to < 0 || to >= len(v.levels) {
		return 0, false
	}
	sum, sounds := 0, false
	for k := range edgeMean {
		l := v.levels[from+k*step]
		sounds = sounds || l != silent
		// A frame of digital silence would dominate the mean, so levels are limited from below.
		sum += max(int(l), v.floor-downLeast)
	}
	return sum / edgeMean, sounds
}

// pauses calls visit with each frame that is not speech, nor close to it, nor digital
// silence.
func (v *voice) pauses(visit func(i int)) {
	i := 0
	for k := 0; k <= len(v.speech); k++ {
		to, next := len(v.levels), len(v.levels)
		if k < len(v.speech) {
			// Near speech, breath and reverberation are not noise.
			to, next = v.speech[k].from-guardFrames, v.speech[k].to+guardFrames
		}
		for ; i < to; i++ {
			if v.levels[i] != silent {
				visit(i)
			}
		}
		i = max(i, next)
	}
}

// reach moves the edges of speech outwards to where it meets the noise.
func (v *voice) reach(g *gate) {
	goes := func(i, step int) bool {
		if i < 0 || i >= len(v.levels) {
			return false
		}
		if int(v.levels[i]) <= g.at(i) {
			return false
		}
		// One frame above all single frames of noise, or a mean above all means: weak sounds show
		// only in the mean.
		if int(v.levels[i]) > v.at(i)+v.top {
			return true
		}
		mean, ok := v.mean(i, step)
		return ok && mean > v.at(i)+v.edge
	}
	for k := range v.speech {
		r := &v.speech[k]
		for n := 0; n < edgeFrames && goes(r.from-1, -1); n++ {
			r.from--
		}
		for n := 0; n < edgeFrames && goes(r.to, 1); n++ {
			r.to++
		}
	}
	v.speech = join(v.speech, 0)
}

// bridge joins runs if a gate hides whether somebody speaks between them: the other speaker is
// so loud there that leakage alone explains the level.
func (v *voice) bridge(g *gate) []run {
	if g == nil {
		return v.speech
	}
	var out []run
	for _, r := range v.speech {
		n := len(out)
		if n > 0 && r.from-out[n-1].to <= maskFrames && v.masked(g, out[n-1].to, r.from) {
			out[n-1].to = r.to
			continue
		}
		out = append(out, r)
	}
	return out
}

// widen moves edges outwards that a gate hides: the weak beginnings and ends of words are lost
// under leakage.
func (v *voice) widen(g *gate) {
	if g == nil {
		return
	}
	for k := range v.speech {
		r := &v.speech[k]
		for n := 0; n < widenFrames && r.from > 0 && v.masked(g, r.from-1, r.from); n++ {
			r.from--
		}
		for n := 0; n < widenFrames && r.to < len(v.levels) && v.masked(g, r.to, r.to+1); n++ {
			r.to++
		}
	}
	v.speech = join(v.speech, 0)
}

// masked reports whether most frames are above the noise, but not above the leakage.
func (v *voice) masked(g *gate, from, to int) bool {
	n := 0
	for i := from; i < to; i++ {
		if l := int(v.levels[i]); l > v.at(i)+v.top && l <= g.at(i) {
			n++
		}
	}
	return float64(n) >= maskShare*float64(to-from)
}

// hidden returns for how long speech is assumed to go on under the noise at the edges of a
// run, in seconds. The higher the noise, the longer.
func (v *voice) hidden(r run) float64 {
	hidden := v.at(r.from) + v.edge - (v.peak - speechRange)
	return lostByLevel * float64(min(max(hidden, 0), lostMost))
}

// units returns the inter-pausal units, in seconds.
func (v *voice) units(durationS float64) []Interval {
	out := []Interval{}
	for _, r := range v.speech {
		hidden := v.hidden(r)
		// r.to is after the last frame, which begins at r.to-1.
		i := Interval{onsetS - hidden + float64(r.from)*hopS, offsetS + hidden + float64(r.to-1)*hopS}
		// Where the recording begins or ends in speech there is no edge to correct.
		if r.from == 0 {
			i.Start = 0
		}
		if r.to == len(v.levels) {
			i.End = durationS
		}
		// 1e-9 allows for the error of sums: a pause of exactly joinS ends a unit.
		if n := len(out); n > 0 && i.Start-out[n-1].End < joinS-1e-9 {
			out[n-1].End = i.End
			continue
		}
		out = append(out, i)
	}
	kept := out[:0]
	for _, i := range out {
		i.Start, i.End = round(i.Start), min(round(i.End), durationS)
		if i.End-i.Start >= unitS-1e-9 {
			kept = append(kept, i)
		}
	}
	return kept
}
