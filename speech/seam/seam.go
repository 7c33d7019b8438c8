// Package seam joins pieces of one sentence that were synthesized separately, so that
// neither a click nor a gap is heard between them.
//
// Each piece was synthesized with its sentence around it, so it comes with some sound
// beyond its body: the lead is the end of the text before, the trail the beginning of the
// text after. Where two pieces meet, the trail of the first and the start of the second's
// body are the same words, spoken twice. The second is moved to where the two match best,
// and the first is faded into it. This is the overlap and add of WSOLA (Verhelst and
// Roelands, ICASSP 1993), used once per seam.
package seam

import "slices"

// Lengths in milliseconds. A period of the lowest voices lasts 12 ms, so within that
// distance there is a place where two pieces are in phase. The fade is so short that the
// two are not heard as two voices.
const (
	reachMs  = 12 // how far a piece is moved at most, in either direction
	fadeMs   = 10
	beforeMs = 8  // sound before the seam that is compared
	afterMs  = 12 // sound after the seam that is compared
)

// Joiner makes one stream of pieces. For each piece call Begin, then Lead, Body and Trail
// with its samples as they come, in any portions, then End. It copies what it keeps. It is
// not safe for concurrent use.
type Joiner struct {
	reach, fade, before, after int // in samples

	out      int     // samples of the stream so far
	past     []int16 // the last of them, at most before
	expected []int16 // the trail of the piece before: how the stream would go on
	trail    []int16 // the trail of this piece

	lead   []int16
	body   []int16 // samples held until the piece is joined
	joined bool    // the place of the piece is decided
	start  int     // the sample of the stream at which the body begins
}

// New returns a Joiner of mono samples at a rate in Hz.
func New(rate int) *Joiner {
	samples := func(ms int) int { return (rate*ms + 999) / 1000 }
	return &Joiner{reach: samples(reachMs), fade: samples(fadeMs), before: samples(beforeMs), after: samples(afterMs)}
}

// Edge returns how many samples of lead and trail are used. A piece with fewer is joined
// too, but less smoothly.
func (j *Joiner) Edge() int { return max(j.reach+j.before, j.after, j.fade) }

// delay returns how many samples of the body must be there before the piece is joined.
func (j *Joiner) delay() int { return j.reach + max(j.after, j.fade) }

// Begin begins a piece. continues reports whether it belongs to the same sentence as the
// piece before. If not, the trail of that is dropped and nothing is joined.
func (j *Joiner) Begin(continues bool) {
	if !continues {
		j.expected = j.expected[:0]
	}
	j.lead, j.body, j.trail = j.lead[:0], j.body[:0], j.trail[:0]
	j.start, j.joined = j.out, len(j.expected) == 0
}

// Lead receives samples before the body.
func (j *Joiner) Lead(pcm []int16) { j.lead = last(j.lead, pcm, j.Edge()) }

// Body receives samples of the body and returns the samples of the stream that are final.
// They are valid until the next call and may be pcm itself.
func (j *Joiner) Body(pcm []int16) (out []int16) {
	if j.joined {
		return j.emit(pcm)
	}
	j.body = append(j.body, pcm...)
	if len(j.body) < j.delay() {
		return nil
	}
	return j.join()
}

// Trail receives samples after the body. All but the first Edge are ignored.
func (j *Joiner) Trail(pcm []int16) {
	j.trail = append(j.trail, pcm[:min(len(pcm), j.Edge()-len(j.trail))]...)
}

// End ends a piece and returns the remaining samples of it, which are valid until the next
// call.
func (j *Joiner) End() (out []int16) {
	if !j.joined {
		out = j.join()
	}
	j.expected, j.trail = j.trail, j.expected[:0]
	return out
}

// Start returns the sample of the stream at which the body of the piece begins. known is
// false until that is decided. Sample s of the body is sample start+s of the stream. A
// short piece may begin at a sample that the piece before has already filled.
func (j *Joiner) Start() (sample int, known bool) { return j.start, j.joined }

// emit counts samples of the stream and remembers the last of them.
func (j *Joiner) emit(pcm []int16) []int16 {
	j.out += len(pcm)
	j.past = last(j.past, pcm, j.before)
	return pcm
}

// join places the piece where it fits best, fades into it, and returns it up to the end of
// its body. What follows the body, its trail, is how the stream is expected to go on.
func (j *Joiner) join() []int16 {
	// In a short piece the trail takes part in the comparison and in the fade.
	body := len(j.body)
	j.body = append(j.body, j.trail...)
	at := j.bestOffset()
	pcm := slices.Concat(j.lead[len(j.lead)-max(0, -at):], j.body[max(0, at):])
	crossfade(j.expected, pcm, j.fade)
	n := max(0, body-at) // at may be beyond a very short body, which was heard already then
	j.joined, j.start = true, j.out-at
	j.trail = append(j.trail[:0], pcm[n:]...)
	return j.emit(pcm[:n])
}

// last returns the last n samples of kept followed by pcm, using the memory of kept.
func last(kept, pcm []int16, n int) []int16 {
	if len(pcm) >= n {
		return append(kept[:0], pcm[len(pcm)-n:]...)
	}
	if over := len(kept) + len(pcm) - n; over > 0 {
		kept = kept[:copy(kept, kept[over:])]
	}
	return append(kept, pcm...)
}
