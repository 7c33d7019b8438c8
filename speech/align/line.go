package align

import (
	"math"
	"sort"

	"vaak/text"
)

// Line follows a stream of audio and the texts that are heard in it, the one
// that was written and the one that is read, and times their characters as the
// audio is cut into frames.
//
// Text comes in stretches, which are opened, marked where words begin, and
// closed. What lies between two words, white space, signs, emoji and markup, has
// the time of the word before it; what lies before the first word of a stretch
// has the time until that begins. Words that come from the same part of a text,
// or from a part before the last, are one word of that text, and so are words
// less than a millisecond apart.
//
// Not safe for concurrent use. The work is linear in text and marks.
type Line struct {
	perMillisecond  float64 // samples
	written, spoken track
	open            bool // a stretch is
	cut             int  // where the last frame ended
}

// NewLine returns a line over a stream of which rate samples are a second, before
// it is spoken speed times as fast. Both are above 0.
func NewLine(rate int, speed float64) *Line {
	return &Line{perMillisecond: float64(rate) * speed / 1000}
}

// milliseconds returns the time of a sample. Rounding it here alone makes all
// sums over frames exact.
func (l *Line) milliseconds(sample int) int {
	return int(math.Round(float64(sample) / l.perMillisecond))
}

// Open begins a stretch of text at a sample of the stream; a stretch that is
// open still ends there. The spans of its marks are bytes of these two texts,
// which are valid UTF-8.
func (l *Line) Open(written, spoken string, at int) {
	l.Close(at)
	at = max(at, l.written.known, l.cut)
	l.written.open(written, at)
	l.spoken.open(spoken, at)
	l.open = true
}

// Mark says where the next word of the stretch begins. Words come in the order
// in which they are spoken; one that begins before the word before it, or in a
// frame that was cut already, is taken to begin as early as it can. Where no
// stretch is open a mark says nothing.
func (l *Line) Mark(m Mark) {
	if !l.open {
		return
	}
	l.mark(&l.written, m.Written, m.Sample)
	l.mark(&l.spoken, m.Spoken, m.Sample)
}

func (l *Line) mark(t *track, s text.Span, sample int) {
	sample = max(sample, t.word.rest, l.cut)
	apart := l.milliseconds(sample) > l.milliseconds(t.word.start)
	t.mark(s, sample, apart)
}

// Close ends the stretch at a sample of the stream, up to which its last word
// lasts.
func (l *Line) Close(end int) {
	if !l.open {
		return
	}
	l.open = false
	end = max(end, l.cut, l.written.word.rest, l.spoken.word.rest)
	l.written.close(end)
	l.spoken.close(end)
}

// Bound returns the last sample, at most limit, at which the stream may be cut
// so that all words of both texts begin exactly where they are told to: where a
// word begins or a stretch ends. If there is none because one word is longer, it
// is inside that: where a word of the other text begins, as in numbers, or a
// character of the written one, or else limit; the first characters of the frame
// that begins there are told to begin with it. Where a frame begins inside the
// last character of a word it ends where the next word begins.
//
// Bound returns the last cut when nothing behind it is known yet: the end of a
// word is known when the next is marked or the stretch is closed. Who cannot wait
// for it cuts without.
func (l *Line) Bound(limit int) (cut int) {
	known := min(l.written.known, l.spoken.known)
	upTo := min(known, limit)
	if upTo <= l.cut {
		return l.cut
	}
	if next := min(l.written.resumes(l.cut), l.spoken.resumes(l.cut)); next <= upTo {
		return next
	}
	if b := common(l.written.bounds, l.spoken.bounds, upTo); b > l.cut {
		return b
	}
	if known < limit {
		return l.cut
	}
	return l.inside(limit)
}

// inside returns where to cut a word, so that characters begin before and behind
// the cut if it has several.
func (l *Line) inside(limit int) int {
	first := max(l.cut, l.written.first())
	if b := last(l.spoken.bounds, limit); b > first {
		return b
	}
	if b := l.written.between(limit); b > first {
		return b
	}
	return limit
}

// common returns the largest number up to limit that two ascending lists share,
// or -1.
func common(a, b []int, limit int) int {
	i := sort.SearchInts(a, limit+1) - 1
	j := sort.SearchInts(b, limit+1) - 1
	for i >= 0 && j >= 0 {
		switch {
		case a[i] == b[j]:
			return a[i]
		case a[i] > b[j]:
			i--
		default:
			j--
		}
	}
	return -1
}

// Cut ends a frame at a sample and returns the characters that begin in it, or
// before it if it was not known when the frames before were cut. Begin is where
// the frame before ended. A frame in which no character of a text begins, such as
// a part of a long pause, has none. When all stretches are closed, a frame up to
// the end of the last has all that is left, also one of no length.
//
// Any sample may be cut at. One that [Line.Bound] would not return costs
// exactness: a word may be told to begin with the next frame that does not, and
// of a word whose end is not known yet one character is told with each frame.
func (l *Line) Cut(to int) (written, spoken Alignment) {
	to = max(to, l.cut)
	if l.open {
		l.written.advance(l.cut, to)
		l.spoken.advance(l.cut, to)
	}
	written, spoken = l.frame(&l.written, to), l.frame(&l.spoken, to)
	l.cut = to
	return written, spoken
}

// frame returns the characters of a text that begin before a sample.
func (l *Line) frame(t *track, to int) Alignment {
	chars := t.take(to)
	a := Alignment{Begin: l.milliseconds(l.cut), End: l.milliseconds(to)}
	if len(chars) == 0 {
		return a
	}
	a.Characters, a.Starts = make([]string, len(chars)), make([]int, len(chars))
	for i, c := range chars {
		a.Characters[i] = c.text
		a.Starts[i] = min(max(l.milliseconds(c.sample), a.Begin), a.End)
	}
	a.Starts[0] = a.Begin
	return a
}
