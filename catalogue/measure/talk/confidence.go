package talk

import (
	"math"
	"slices"
)

// Thresholds of what speech is like. Where what was found is not like that, its confidence
// is low. The values come from synthetic speech with known times, over noise of known level.
const (
	// spanSure is how far speech must rise above the noise. Below it the edges of words
	// are lost: at a span of 21 dB a tenth of the speech.
	spanSure = 25 * db
	// levelSure is how loud speech must be. People who speak into a microphone are louder:
	// telephone lines carry -15 to -35 dBFS. Below it the room is heard as much as people.
	levelSure = -45 * db
	// unlikeMost is the share of the frames found that may sound unlike speech.
	unlikeMost = 0.06
	// unlikeLeast is how many such frames there must be at least, because one word without
	// a vowel is a large share of a short recording.
	unlikeLeast = 80 // frames

	// Speech rises and falls within a second: the distance from the 10th to the 90th
	// percentile of its levels is more than depthLeast. In synthetic speech over noise of
	// -60 dBFS it is never under 10 dB.
	partFrames   = 1 * framesPerS
	depthLeast   = 8 * db
	depthQuarter = 0.1
	// Some of speech has a pitch: at least voicedLeast of the tones in a second. Synthetic
	// speech has 0.2 and more, except for short words with hardly a vowel.
	voicedLeast = 0.15
	// Shorter parts are not judged by their levels and by their pitch.
	depthFrames, voicedFrames = 20, 50
	// No voice holds a pitch for heldTones (400 ms), or for stillTones (320 ms) with levels
	// that differ by at most stillMost. Music and dial tones do.
	heldTones, stillTones = 10, 8
	stillMost             = 3 * db
	// Nobody speaks for unbrokenFrames without a pause that is long enough to end a unit.
	unbrokenFrames = 15 * framesPerS
	joinFrames     = joinS * framesPerS
)

// evidence says how far the speech found on a channel can be believed.
type evidence struct {
	level       int // mean level of the speech
	all, unlike int // frames of speech, and those of them that sound unlike it
}

// share returns which share of the speech sounds unlike it.
func (e evidence) share() float64 { return float64(e.unlike) / float64(max(e.all, 1)) }

// low reports whether confidence in what was found on a channel is low. Where no speech was
// found, it is low if the noise is as loud as speech: somebody may speak under it.
func (v *voice) low(e evidence) bool {
	if len(v.speech) == 0 {
		return v.known && v.sound > 0 && v.floor > levelSure
	}
	return v.span() < spanSure || e.level < levelSure ||
		e.share() > unlikeMost && e.unlike >= unlikeLeast
}

// weigh gathers the evidence about the speech of a channel, which must have some.
func (v *voice) weigh() evidence {
	e := evidence{level: int(math.Round(10 * db * math.Log10(v.speechPower())))}
	for i := 0; i < len(v.speech); {
		// Short pauses do not break a sound: music has them too.
		n := i + 1 // the runs from i to n form one inter-pausal unit
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

// unlike counts the frames of a run that sound unlike speech.
func (v *voice) unlike(r run) int {
	odd := make([]bool, r.to-r.from)
	mark := func(from, to int) {
		for i := max(from, r.from); i < min(to, r.to); i++ {
			odd[i-r.from] = true
		}
	}
	// Parts of about a second, of equal length, so that no short part is left at the end.
	parts := max(1, int(math.Round(float64(r.to-r.from)/partFrames)))
	for p := range parts {
		from, to := r.from+len(odd)*p/parts, r.from+len(odd)*(p+1)/parts
		// Noise and tones are even in level; noise, clicks and breath have no pitch.
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

// depth returns the distance from the 10th to the 90th percentile of the levels. A level
// under the noise floor counts as the floor.
func (v *voice) depth(from, to int) int {
	levels := slices.Clone(v.levels[from:to])
	for i, l := range levels {
		levels[i] = max(l, int16(v.at(from+i)))
	}
	slices.Sort(levels)
	end := int(depthQuarter * float64(len(levels)-1))
	return int(levels[len(levels)-1-end]) - int(levels[end])
}

// voiced returns the share of tones that have a pitch; 1 if there are no whole tones.
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

// held marks the frames of a run over which the pitch does not change.
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
