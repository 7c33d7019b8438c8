// Package align tells when each character of a text is heard.
//
// Engines report where words begin, in samples. A [Line] turns these into times of
// characters: exact at the beginnings of words, evenly spaced inside a word. Every character
// is reported once, in the order of the text. The durations add up to that of the audio, to
// the millisecond.
package align

import "vaak/text"

// Alignment gives the times of a stretch of text, character by character.
type Alignment struct {
	// Characters are the code points of the stretch, one per string.
	Characters []string
	// Starts are the times at which the characters begin, in milliseconds since the stream
	// began, ascending. The first is Begin. A character lasts until the next begins, the
	// last one until End.
	Starts []int
	// Begin and End are the times between which the stretch is heard, in milliseconds.
	Begin, End int
	// Estimated says that the times are not known from making the audio: they are estimated from
	// the text and the sound.
	Estimated bool
}

// Mark says that a word begins at a sample of the stream.
type Mark struct {
	Sample int
	// Written and Spoken are the bytes from which the word was made, in the text as the
	// caller wrote it and as it is read.
	Written, Spoken text.Span
}

// Seconds returns when each character begins and ends, in seconds since the stream began.
func (a Alignment) Seconds() (starts, ends []float64) {
	starts, ends = make([]float64, len(a.Starts)), make([]float64, len(a.Starts))
	for i, s := range a.Starts {
		starts[i], ends[i] = float64(s)/1000, float64(a.end(i))/1000
	}
	return starts, ends
}

// end returns when character i ends.
func (a Alignment) end(i int) int {
	if i+1 < len(a.Starts) {
		return a.Starts[i+1]
	}
	return a.End
}

// Append adds the stretch that follows. If the receiver has no characters, the first
// character of the result may begin after Begin.
func (a *Alignment) Append(next Alignment) {
	a.Characters = append(a.Characters, next.Characters...)
	a.Starts = append(a.Starts, next.Starts...)
	a.End = next.End
	a.Estimated = a.Estimated || next.Estimated
}
