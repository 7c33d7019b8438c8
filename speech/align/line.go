package align

import (
	"math"
	"sort"

	"vaak/text"
)

// Line follows a stream of audio and the two texts heard in it, as written and as read. It
// reports the times of their characters as the audio is cut into frames.
//
// Text comes in stretches. Each is opened, marked where words begin, and closed. Text
// between two words, such as white space, signs, emoji and markup, gets its time from the
// word before it. Text before the first word of a stretch lasts until that word begins.
// Two words count as one if they come from the same part of a text, if the second comes
// from an earlier part, or if they begin in the same millisecond.
//
// A Line is not safe for concurrent use. Its work is linear in the text and the marks.
type Line struct {
	perMillisecond  float64 // samples in a millisecond as heard
	written, spoken track
	open            bool // a stretch is open
	cut             int  // the sample at which the last frame ended
}

// NewLine returns a line over a stream with rate samples per second, which is then played
// speed times as fast. Both must be greater than 0.
func NewLine(rate int, speed float64) *Line {
	return &Line{perMillisecond: float64(rate) * speed / 1000}
}

// milliseconds returns the time of a sample. Times are rounded nowhere else, so durations
// add up without error.
func (l *Line) milliseconds(sample int) int {
	return int(math.Round(float64(sample) / l.perMillisecond))
}

// Open begins a stretch of text at a sample of the stream. If a stretch is still open, it
// ends there. The spans of the marks that follow are bytes of these two texts, which must
// be valid UTF-8.
func (l *Line) Open(written, spoken string, at int) {
	l.Close(at)
	// Time never goes back, even if the caller's samples do.
	at = max(at, l.written.known, l.cut)
	l.written.open(written, at)
	l.spoken.open(spoken, at)
	l.open = true
}

// Mark says where the next word of the stretch begins. Words must come in the order in
// which they are spoken. A word that begins before the word before it, or in a frame that
// was cut already, is moved to the earliest sample that is allowed. A mark outside a
// stretch is ignored.
func (l *Line) Mark(m Mark) {
	if !l.open {
		return
	}
	l.mark(&l.written, m.Written, m.Sample)
	l.mark(&l.spoken, m.Spoken, m.Sample)
}

func (l *Line) mark(t *track, s text.Span, sample int) {
	sample = max(sample, t.word.placedTo, l.cut)
	apart := l.milliseconds(sample) > l.milliseconds(t.word.start)
	t.mark(s, sample, apart)
}

// Close ends the stretch at a sample of the stream. Its last word lasts until there.
func (l *Line) Close(end int) {
	if !l.open {
		return
	}
	l.open = false
	end = max(end, l.cut, l.written.word.placedTo, l.spoken.word.placedTo)
	l.written.close(end)
	l.spoken.close(end)
}

// Bound returns the last sample, at most limit, at which the stream can be cut so that the
// times of all words of both texts are exact. That is where a word begins in both texts or
// a stretch ends.
//
// One word may be longer than limit. Then Bound returns a place inside it: where a word of
// the other text begins, as in numbers, else where a character of the written text begins,
// else limit. The first characters of the frame that begins there get the frame's start as
// their time. A frame that begins inside the last character of a word ends where the next
// word begins.
//
// Bound returns the last cut if nothing after it is known yet. The end of a word is known
// when the next one is marked or the stretch is closed. A caller who cannot wait may cut
// anywhere; see [Line.Cut].
func (l *Line) Bound(limit int) (cut int) {
	known := min(l.written.known, l.spoken.known)
	upTo := min(known, limit)
	if upTo <= l.cut {
		return l.cut
	}
	// The frame would begin in the middle of a character; let it end with the word.
	if next := min(l.written.nextWord(l.cut), l.spoken.nextWord(l.cut)); next <= upTo {
		return next
	}
	// The usual case: a sample at which both texts have a boundary.
	if b := lastCommon(l.written.bounds, l.spoken.bounds, upTo); b > l.cut {
		return b
	}
	// No boundary up to here, and it is not known yet whether one follows before limit.
	if known < limit {
		return l.cut
	}
	return l.insideWord(limit)
}

// insideWord returns where to cut a word that is longer than limit, if possible so that
// characters begin before and after the cut.
func (l *Line) insideWord(limit int) int {
	// Cut after the first character of the word has begun, or the frame would have none.
	first := max(l.cut, l.written.firstSample())
	if b := lastUpTo(l.spoken.bounds, limit); b > first {
		return b
	}
	if b := l.written.lastCharacterUpTo(limit); b > first {
		return b
	}
	return limit
}

// lastCommon returns the largest number up to limit that is in both of two ascending lists,
// or -1.
func lastCommon(a, b []int, limit int) int {
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

// Cut ends a frame at a sample. It returns the characters that begin in the frame, and
// those of earlier frames that were not known then. Begin of the result is the end of the
// frame before. A frame in which no character begins, as in a long pause, has no
// characters. When all stretches are closed, a frame up to the end of the last one returns
// all remaining characters, even if the frame has no length.
//
// Any sample may be cut at, but only those that [Line.Bound] returns keep the times exact.
// Elsewhere a word may be reported to begin with the next frame, and a word whose end is
// not known yet gets one character per frame.
func (l *Line) Cut(to int) (written, spoken Alignment) {
	// A frame cannot end before it begins.
	to = max(to, l.cut)
	if l.open {
		l.written.placeInFrame(l.cut, to)
		l.spoken.placeInFrame(l.cut, to)
	}
	written, spoken = l.frame(&l.written, to), l.frame(&l.spoken, to)
	l.cut = to
	return written, spoken
}

// frame returns the characters of a text that begin before a sample.
func (l *Line) frame(t *track, to int) Alignment {
	chars := t.pop(to)
	a := Alignment{Begin: l.milliseconds(l.cut), End: l.milliseconds(to)}
	if len(chars) == 0 {
		return a
	}
	a.Characters, a.Starts = make([]string, len(chars)), make([]int, len(chars))
	for i, c := range chars {
		a.Characters[i] = c.text
		a.Starts[i] = min(max(l.milliseconds(c.sample), a.Begin), a.End)
	}
	a.Starts[0] = a.Begin // the frame's own start belongs to its first character
	return a
}
