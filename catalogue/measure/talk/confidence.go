package talk

import (
	"math"
	"slices"
)

// What speech is like, by which it is told whether what was found may be believed.
const (
	// spanSure is how far speech rises above the noise. Under it edges of words are
	// lost: at a span of 21 dB a tenth of the speech.
	spanSure = 25 * db
	// levelSure is the level of speech. Who speaks into a microphone is louder: lines
	// carry -15 to -35 dBFS. Under it the room moves as much as the people.
	levelSure = -45 * db
	// unlikeMost is the share of what was found that need not sound like speech.
	unlikeMost = 0.06
	// unlikeLeast is how much of it there must be at least: a word without a vowel is
	// a large share of a short recording.
	unlikeLeast = 80 // frames

	// Speech rises and falls within a second: its levels lie further apart (from
	// their 10th to their 90th percentile) than depthLeast. Of synthetic speech over
	// noise of -60 dBFS they never are under 10 dB.
	partFrames   = 1 * framesPerS
	depthLeast   = 8 * db
	depthQuarter = 0.1
	// Some of it has a pitch: voicedLeast of the tones in a second, at least. Synthetic
	// speech has 0.2 and more but for short words without a vowel to speak of.
	voicedLeast = 0.15
	// How long a part must be for its levels and its pitch to be judged.
	depthFrames, voicedFrames = 20, 50
	// No voice holds a pitch still for heldTones, 400 ms, or for stillTones, 320 ms,
	// with levels that span at most stillMost.
	heldTones, stillTones = 10, 8
	stillMost             = 3 * db
	// Nobody speaks for unbrokenFrames without a pause that ends a unit.
	unbrokenFrames = 15 * framesPerS
	joinFrames     = joinS * framesPerS
)

// evidence is what tells whether the speech of a channel may be believed.
type evidence struct {
	level       int // of the speech
	all, unlike int // frames of speech, and those that do not sound like it
}

// share is how much of the speech does not sound like it.
func (e evidence) share() float64 { return float64(e.unlike) / float64(max(e.all, 1)) }

// low reports whether a channel's speech is hard to tell. Where none was found it is
// when the noise is as loud as speech is: somebody may speak under it.
func (v *voice) low(e evidence) bool {
	if len(v.speech) == 0 {
		return v.known && v.sound > 0 && v.floor > levelSure
	}
	return v.span() < spanSure || e.level < levelSure ||
		e.share() > unlikeMost && e.unlike >= unlikeLeast
}

// weigh gathers the evidence on the speech of a channel, which must have some.
func (v *voice) weigh() evidence {
	e := evidence{level: int(math.Round(10 * db * math.Log10(v.speechPower())))}
	for i := 0; i < len(v.speech); {
		n := i + 1 // the runs of one unit
		for n < len(v.speech) && v.speech[n].from-v.speech[n-1].to < joinFrames {
			n++
		}
		unbroken := v.speech[n-1].to-v.speech[i].from > unbrokenFrames
		for _, r := range v.speech[i:n] {
			e.all += r.to - r.from
			if unbroken {
				e.unlike += r.to - r.from
			} else {
				e.unlike += v.unlike(r)
			}
		}
		i = n
	}
	return e
}

// unlike counts the frames of a run that do not sound like speech.
func (v *voice) unlike(r run) int {
	odd := make([]bool, r.to-r.from)
	mark := func(from, to int) {
		for i := max(from, r.from); i < min(to, r.to); i++ {
			odd[i-r.from] = true
		}
	}
	parts := max(1, int(math.Round(float64(r.to-r.from)/partFrames)))
	for p := range parts {
		from, to := r.from+len(odd)*p/parts, r.from+len(odd)*(p+1)/parts
		still := to-from >= depthFrames && v.depth(from, to) < depthLeast
		if still || to-from >= voicedFrames && v.voiced(from, to) < voicedLeast {
			mark(from, to)
		}
	}
	v.held(r, mark)
	n := 0
	for _, is := range odd {
		if is {
			n++
		}
	}
	return n
}

// depth is how far levels lie apart, as far as they are above the noise.
func (v *voice) depth(from, to int) int {
	levels := slices.Clone(v.levels[from:to])
	for i, l := range levels {
		levels[i] = max(l, int16(v.at(from+i)))
	}
	slices.Sort(levels)
	end := int(depthQuarter * float64(len(levels)-1))
	return int(levels[len(levels)-1-end]) - int(levels[end])
}

// voiced is the share of tones that have a pitch; 1 where there are none to tell.
func (v *voice) voiced(from, to int) float64 {
	tones := v.tones[min((from+toneFrames-1)/toneFrames, len(v.tones)):]
	tones = tones[:min(max(to/toneFrames-(from+toneFrames-1)/toneFrames, 0), len(tones))]
	if len(tones) == 0 {
		return 1
	}
	n := 0
	for _, t := range tones {
		if t.voiced() {
			n++
		}
	}
	return float64(n) / float64(len(tones))
}

// held marks the frames of a run over which a pitch stands still.
func (v *voice) held(r run, mark func(from, to int)) {
	since, end := r.from/toneFrames, min(r.to/toneFrames, len(v.tones))
	for k := since; k <= end; k++ {
		if k < end && k > since && v.tones[k].holds(v.tones[since]) {
			continue
		}
		begin, stop := max(since*toneFrames, r.from), min(k*toneFrames, r.to)
		if n := k - since; n >= heldTones || n >= stillTones && v.depth(begin, stop) <= stillMost {
			mark(begin, stop)
		}
		since = k
	}
}
