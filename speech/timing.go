package speech

import (
	"io"
	"time"

	"vaak/engine"
	"vaak/speech/align"
	"vaak/text"
)

// Follower is implemented by writers that want to know what is said when. Follow is called
// before each Write that brings new text. It receives the times of the text as the caller
// wrote it and as it is read; both are for the same stretch of audio. In a recital, a part
// that makes no audio causes a call without a Write after it.
type Follower interface {
	Follow(written, spoken align.Alignment)
}

// timing tells a Follower what is said when. The methods of a nil timing do nothing.
type timing struct {
	to   Follower
	line *align.Line
	held []int16 // audio whose text is not known yet
	most int     // samples that held may have while a word lasts

	// The timings of bytes that were encoded and not sent yet.
	written, spoken align.Alignment
	pending         bool // written and spoken hold something

	part      utterance // the utterance being said
	estimated bool      // the engine estimates the times of its words
}

// longestWord is how much audio of one word is held until the end of the word is known.
// Some numbers take minutes to read.
const longestWord = 10 * time.Second

// newTiming returns a timing for what a chain sends to w, or nil if w is no [Follower].
func newTiming(w io.Writer, chain *meter) *timing {
	to, ok := w.(Follower)
	if !ok {
		return nil
	}
	return &timing{to: to, line: align.NewLine(chain.rate, chain.speed), most: samples(longestWord, chain.rate)}
}

// open begins an utterance at sample at; text is the caller's text, which holds it.
func (t *timing) open(u utterance, text string, at int) {
	if t == nil {
		return
	}
	t.part, t.estimated = u, false
	t.line.Open(u.written.In(text), u.Text, at)
}

// words records where words begin, in an utterance that began at sample start.
func (t *timing) words(words []engine.Word, start int) {
	if t == nil {
		return
	}
	for _, w := range words {
		spoken := text.Span{Start: w.Start, End: w.End}
		written := t.part.back.Back(spoken).Shift(-t.part.written.Start)
		// A map may lead beyond the utterance, when its first or last word was read
		// together with text around it.
		n := t.part.written.Len()
		written.Start, written.End = min(max(written.Start, 0), n), min(max(written.End, 0), n)
		t.line.Mark(align.Mark{Sample: start + w.Sample, Written: written, Spoken: spoken})
	}
}

// estimate records that the times of the words of the utterance are estimated, from here to its end:
// a cut does not tell which words it lies between.
func (t *timing) estimate() {
	if t != nil {
		t.estimated = true
	}
}

// close ends the utterance at sample at.
func (t *timing) close(at int) {
	if t != nil {
		t.line.Close(at)
	}
}

// piece returns the held audio up to the last word whose text is known; at is the position
// of the first held sample. The result is empty if there is no such word. Each piece thus
// holds whole words, and its timing is exact in both texts.
func (t *timing) piece(at int) []int16 {
	n := max(0, t.line.Bound(at+len(t.held))-at)
	if n == 0 && len(t.held) > t.most {
		n = len(t.held) // a very long word: its characters get approximate times
	}
	return t.held[:n]
}

// passed drops the first n samples of held.
func (t *timing) passed(n int) { t.held = append(t.held[:0], t.held[n:]...) }

// freeBuffers frees the buffer of held audio if it is empty.
func (t *timing) freeBuffers() {
	if t != nil && len(t.held) == 0 {
		t.held = nil
	}
}

// encodedTo records that the audio before a sample was encoded, and takes the timings of
// that audio.
func (t *timing) encodedTo(sample int) {
	if t == nil {
		return
	}
	written, spoken := t.line.Cut(sample)
	if written.End == written.Begin && len(written.Characters)+len(spoken.Characters) == 0 {
		return
	}
	// What was cut is of this utterance: conclude has cut all of the one before.
	written.Estimated, spoken.Estimated = t.estimated, t.estimated
	if !t.pending {
		t.written, t.spoken, t.pending = written, spoken, true
		return
	}
	// Several pieces may be encoded before they are sent together.
	t.written.Append(written)
	t.spoken.Append(spoken)
}

// notify gives the Follower the timings of the bytes that are about to be sent.
func (t *timing) notify() {
	if t == nil || !t.pending {
		return
	}
	t.pending = false
	t.to.Follow(t.written, t.spoken)
}
