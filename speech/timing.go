package speech

import (
	"io"
	"time"

	"vaak/engine"
	"vaak/speech/align"
	"vaak/text"
)

// Follower is implemented by the writers that want to know what is said when:
// Follow is called before each Write that brings new text, with the timing of
// that text as the caller wrote it and as it is read. Both are of the same
// stretch of audio. Of a part of a recital that makes no bytes it is called
// without.
type Follower interface {
	Follow(written, spoken align.Alignment)
}

// timing tells a Follower what is said when. The methods of a nil one do nothing.
type timing struct {
	to   Follower
	line *align.Line
	held []int16 // audio of which it is not known yet what is heard in it
	most int     // samples that wait for the end of a word; a number may take minutes

	// What is heard in the bytes that were made and not sent.
	written, spoken align.Alignment
	due             bool // there are some

	part utterance // that is being said
}

// longestWord is how much audio of a word waits until it is known where the word ends.
const longestWord = 10 * time.Second

// newTiming returns a timing for what a chain sends to w; nil if w does not
// follow it.
func newTiming(w io.Writer, chain *meter) *timing {
	to, ok := w.(Follower)
	if !ok {
		return nil
	}
	return &timing{to: to, line: align.NewLine(chain.rate, chain.speed), most: samples(longestWord, chain.rate)}
}

// open begins an utterance at a sample; text is the one that it is a part of.
func (t *timing) open(u utterance, text string, at int) {
	if t == nil {
		return
	}
	t.part = u
	t.line.Open(u.written.In(text), u.Text, at)
}

// words notes where words of the utterance begin that began at a sample.
func (t *timing) words(words []engine.Word, start int) {
	if t == nil {
		return
	}
	for _, w := range words {
		spoken := text.Span{Start: w.Start, End: w.End}
		written := t.part.back.Back(spoken).Shift(-t.part.written.Start)
		n := t.part.written.Len()
		written.Start, written.End = min(max(written.Start, 0), n), min(max(written.End, 0), n)
		t.line.Mark(align.Mark{Sample: start + w.Sample, Written: written, Spoken: spoken})
	}
}

// close ends the utterance at a sample.
func (t *timing) close(at int) {
	if t != nil {
		t.line.Close(at)
	}
}

// piece returns held audio, of which the first is sample at, up to the last word
// of which it is known what is heard in it; nothing if that is none. So each piece
// is some words, and exact in both texts.
func (t *timing) piece(at int) []int16 {
	n := max(0, t.line.Bound(at+len(t.held))-at)
	if n == 0 && len(t.held) > t.most {
		n = len(t.held) // its characters are told less exactly
	}
	return t.held[:n]
}

// passed forgets the first n samples that were held.
func (t *timing) passed(n int) { t.held = append(t.held[:0], t.held[n:]...) }

// slim gives back the memory of what was passed on.
func (t *timing) slim() {
	if t != nil && len(t.held) == 0 {
		t.held = nil
	}
}

// reach notes up to which sample bytes were made.
func (t *timing) reach(sample int) {
	if t == nil {
		return
	}
	written, spoken := t.line.Cut(sample)
	if written.End == written.Begin && len(written.Characters)+len(spoken.Characters) == 0 {
		return
	}
	if !t.due {
		t.written, t.spoken, t.due = written, spoken, true
		return
	}
	t.written.Append(written)
	t.spoken.Append(spoken)
}

// follow tells what is said in the bytes that are about to be sent.
func (t *timing) follow() {
	if t == nil || !t.due {
		return
	}
	t.due = false
	t.to.Follow(t.written, t.spoken)
}
