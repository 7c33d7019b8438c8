// Package seam joins pieces of one sentence that were synthesized one after
// another, so that neither a click nor a gap is heard between them.
//
// Each piece was spoken with its sentence around it, and so is known a little
// beyond its ends: its lead is the end of what came before, as this piece has
// it, and its trail the beginning of what follows. Where two pieces meet, the
// trail of the first and the second are the same words twice. They are laid over
// each other where they match best and the one is faded into the other.
package seam

import "slices"

// Lengths in milliseconds. A period of the lowest voices lasts 12 ms, so there
// is a place to match within that; the fade is short enough for the two not to be
// heard as two voices.
const (
	reachMs  = 12 // how far a piece is moved at most, either way
	fadeMs   = 10
	beforeMs = 8  // of the sound before the seam that is compared
	afterMs  = 12 // and of that after it
)

// Joiner makes one stream of pieces. For each piece, call Begin, then Lead, Body
// and Trail with its samples as they come, cut in any way, then End. It copies
// what it keeps. Not safe for concurrent use.
type Joiner struct {
	reach, fade, before, after int // in samples

	out   int     // samples of the stream so far
	past  []int16 // the last of them, at most before
	next  []int16 // what the piece before says comes next
	trail []int16 // what this piece says comes next

	lead  []int16
	held  []int16 // the body until it is joined
	open  bool    // whether the piece was joined
	start int     // the sample of the stream at which its body begins
	shift int
}

// New returns a Joiner of mono samples at a rate in Hz.
func New(rate int) *Joiner {
	samples := func(ms int) int { return (rate*ms + 999) / 1000 }
	return &Joiner{reach: samples(reachMs), fade: samples(fadeMs), before: samples(beforeMs), after: samples(afterMs)}
}

// Edge returns how many samples of the lead and of the trail are used. A piece
// with less of them is joined too, only less smoothly.
func (j *Joiner) Edge() int { return max(j.reach+j.before, j.after, j.fade) }

// Delay returns how many samples of the body of a piece that continues another
// are held at most.
func (j *Joiner) Delay() int { return j.reach + max(j.after, j.fade) }

// Begin begins a piece. Continues says that it is spoken in one breath with the
// piece before; else that one's trail is dropped and there is nothing to join.
func (j *Joiner) Begin(continues bool) {
	if !continues {
		j.next = j.next[:0]
	}
	j.lead, j.held, j.trail = j.lead[:0], j.held[:0], j.trail[:0]
	j.shift, j.start, j.open = 0, j.out, len(j.next) == 0
}

// Lead takes samples of what lies before the body.
func (j *Joiner) Lead(pcm []int16) { j.lead = last(j.lead, pcm, j.Edge()) }

// Body takes samples of the piece and returns those of the stream that are known
// by that. They are valid until the next call and may be pcm itself.
func (j *Joiner) Body(pcm []int16) (out []int16) {
	if j.open {
		return j.emit(pcm)
	}
	j.held = append(j.held, pcm...)
	if len(j.held) < j.Delay() {
		return nil
	}
	return j.join()
}

// Trail takes samples of what lies behind the body.
func (j *Joiner) Trail(pcm []int16) {
	j.trail = append(j.trail, pcm[:min(len(pcm), j.Edge()-len(j.trail))]...)
}

// End ends a piece and returns the rest of its samples, which are valid until
// the next call.
func (j *Joiner) End() (out []int16) {
	if !j.open {
		out = j.join()
	}
	j.next, j.trail = j.trail, j.next[:0]
	return out
}

// Start returns the sample of the stream at which the body of the piece begins,
// and false while that is not known. Sample s of the body is sample start+s of
// the stream; in a short piece that was joined closely it may be one that the
// piece before has taken.
func (j *Joiner) Start() (sample int, known bool) { return j.start, j.open }

// Shift returns how many samples the seam before the piece has added to the
// stream; less than 0 are samples that it has removed.
func (j *Joiner) Shift() int { return j.shift }

// emit counts and remembers samples of the stream.
func (j *Joiner) emit(pcm []int16) []int16 {
	j.out += len(pcm)
	j.past = last(j.past, pcm, j.before)
	return pcm
}

// join lays the piece, as far as it is there, over what was to come next, and
// returns it up to the end of its body. What is behind that comes next.
func (j *Joiner) join() []int16 {
	body := len(j.held)
	j.held = append(j.held, j.trail...)
	at := j.place()
	pcm := slices.Concat(j.lead[len(j.lead)-max(0, -at):], j.held[max(0, at):])
	crossfade(j.next, pcm, j.fade)
	n := max(0, body-at) // a shorter body was said already
	j.open, j.start, j.shift = true, j.out-at, n-body
	j.trail = append(j.trail[:0], pcm[n:]...)
	return j.emit(pcm[:n])
}

// last returns the last n samples of kept and pcm, in kept.
func last(kept, pcm []int16, n int) []int16 {
	if len(pcm) >= n {
		return append(kept[:0], pcm[len(pcm)-n:]...)
	}
	if over := len(kept) + len(pcm) - n; over > 0 {
		kept = kept[:copy(kept, kept[over:])]
	}
	return append(kept, pcm...)
}
