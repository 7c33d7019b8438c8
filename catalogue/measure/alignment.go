package measure

import (
	"math"
	"math/bits"
	"slices"
	"unicode"

	"vaak/catalogue/measure/talk"
	"vaak/catalogue/transcript"
)

// How it is judged whether the times of a transcript can be right.
const (
	// lagStep is in which steps, in seconds, the transcript is moved against the speech, and
	// lagMost how far.
	lagStep = 0.02
	lagMost = 5.0
	// lagGain is how much more of the speech a lag must cover than none, and lagLeast how much it
	// must cover, before it is believed.
	lagGain  = 0.03
	lagLeast = 0.5
	// lagPause is the share of the recording without speech below which any lag fits.
	lagPause = 0.05

	// rateLetters is from how many letters on the rate of a segment is judged. It is not
	// plausible over rateMost letters a second in any script, or if it is rateTimes over or
	// under the median of the transcript, of at least rateSegments.
	rateLetters  = 10
	rateMost     = 40
	rateTimes    = 4
	rateSegments = 5

	// silentShare is the share of a segment with text that must hold measured speech.
	silentShare = 0.1
)

// implausible counts the segments in which so many letters cannot be spoken in that time, or so
// few.
func implausible(segments []transcript.Segment) (n int) {
	var rates, all []float64
	for _, s := range segments {
		v, ok := stretch(s)
		letters := 0
		for _, r := range untagged(s.Text) {
			if unicode.IsLetter(r) {
				letters++
			}
		}
		if ok && letters >= rateLetters {
			rates = append(rates, float64(letters)/(v.End-v.Start))
		}
	}
	all = slices.Clone(rates)
	slices.Sort(all)
	for _, r := range rates {
		off := false
		if len(all) >= rateSegments {
			median := all[len(all)/2]
			off = r > rateTimes*median || r < median/rateTimes
		}
		if off || r > rateMost {
			n++
		}
	}
	return n
}

// unheard counts the segments with words in which hardly any speech was measured.
func unheard(segments []transcript.Segment, rec Recording) (n int) {
	perChannel := separate(segments, rec)
	joined := talk.Union(rec.Speech...)
	for _, s := range segments {
		v, ok := stretch(s)
		if !ok || !hasWords(s.Text) {
			continue
		}
		speech := joined
		if perChannel {
			speech = rec.Speech[s.Channel-1]
		}
		if heard(v, speech) < silentShare*(v.End-v.Start) {
			n++
		}
	}
	return n
}

// hasWords reports whether a text has a word.
func hasWords(text string) bool {
	for range spokenWords(text) {
		return true
	}
	return false
}

// heard returns how much of v is in the intervals, which are in order and do not overlap.
func heard(v Interval, speech []Interval) (sum float64) {
	at, _ := slices.BinarySearchFunc(speech, v.Start, func(s Interval, t float64) int {
		if s.End <= t {
			return -1
		}
		return 1
	})
	for _, s := range speech[at:] {
		if s.Start >= v.End {
			break
		}
		sum += min(s.End, v.End) - max(s.Start, v.Start)
	}
	return sum
}

// lag returns by how many milliseconds the segments are late compared with the speech that was
// measured; nil if that cannot be told.
func lag(segments []transcript.Segment, rec Recording) *float64 {
	transcribed, speech := tracks(segments, rec)
	steps := int(rec.DurationS/lagStep) + 1
	var a, b []bitmap
	said, spoke := 0, 0
	for i := range speech {
		a, b = append(a, newBitmap(transcribed[i], steps)), append(b, newBitmap(speech[i], steps))
		said, spoke = said+a[i].count(), spoke+b[i].count()
	}
	if spoke == 0 || said == 0 || float64(spoke) > (1-lagPause)*float64(steps*len(speech)) {
		return nil
	}
	// overlaps[k] is how much speech the segments hold when they are moved k - most steps earlier.
	const most = int(lagMost / lagStep)
	var overlaps [2*most + 1]int
	for k := range overlaps {
		for i := range a {
			overlaps[k] += a[i].overlap(b[i], k-most)
		}
	}
	best := slices.Max(overlaps[:])
	// Segments that hold the speech at every lag tell none.
	if float64(best-slices.Min(overlaps[:])) < lagGain*float64(spoke) {
		return nil
	}
	if float64(best) < lagLeast*float64(spoke) || float64(best-overlaps[most]) < lagGain*float64(spoke) {
		if float64(best) < lagLeast*float64(spoke) {
			return nil
		}
		return new(0.0)
	}
	// Segments that are longer than the speech fit at many lags: the middle of those counts.
	from := slices.Index(overlaps[:], best)
	to := from
	for to+1 < len(overlaps) && float64(overlaps[to+1]) >= float64(best)-0.002*float64(spoke) {
		to++
	}
	for from > 0 && float64(overlaps[from-1]) >= float64(best)-0.002*float64(spoke) {
		from--
	}
	return new(math.Round(1000 * lagStep * (float64(from+to)/2 - float64(most))))
}

// bitmap has a bit for each step of time.
type bitmap []uint64

func newBitmap(intervals []Interval, steps int) bitmap {
	b := make(bitmap, steps/64+1)
	for _, v := range talk.Union(intervals) {
		for i := max(int(v.Start/lagStep+0.5), 0); i < min(int(v.End/lagStep+0.5), steps); i++ {
			b[i/64] |= 1 << (i % 64)
		}
	}
	return b
}

func (b bitmap) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// overlap counts the bits of b that are in c so many steps earlier.
func (b bitmap) overlap(c bitmap, steps int) (n int) {
	words, shift := steps>>6, uint(steps&63) // towards minus infinity
	for i, w := range c {
		if w == 0 {
			continue
		}
		var v uint64
		if j := i + words; j >= 0 && j < len(b) {
			v = b[j] >> shift
		}
		if j := i + words + 1; shift > 0 && j >= 0 && j < len(b) {
			v |= b[j] << (64 - shift)
		}
		n += bits.OnesCount64(v & w)
	}
	return n
}
