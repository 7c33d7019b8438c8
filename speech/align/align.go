// Package align says when each character of a text is heard.
//
// Engines tell where words begin, in samples; a [Line] turns that into the times
// of characters: exact at the beginnings of words, uniform inside a word. Every
// character is told once, in the order of the text, and all durations together
// are the audio to the millisecond.
package align

import "vaak/text"

// Alignment times a stretch of text, character by character.
type Alignment struct {
	// Characters are the code points of the stretch, each a string of its own.
	Characters []string
	// Starts says when each begins, in milliseconds since the stream began. They
	// never descend; the first is Begin. A character lasts until the next begins,
	// the last until End.
	Starts []int
	// Begin and End are the milliseconds between which the stretch is heard.
	Begin, End int
}

// Mark says that a word begins at a sample of the stream.
type Mark struct {
	Sample int
	// Written and Spoken are the bytes that the word was made from, in the text
	// as the caller wrote it and as it is read.
	Written, Spoken text.Span
}

// Relative returns when each character begins, counted from Begin, and how long
// it lasts, in milliseconds: starts[i]+durations[i] is starts[i+1], and the last
// ends with the stretch.
func (a Alignment) Relative() (starts, durations []int) {
	starts, durations = make([]int, len(a.Starts)), make([]int, len(a.Starts))
	for i, s := range a.Starts {
		starts[i], durations[i] = s-a.Begin, a.end(i)-s
	}
	return starts, durations
}

// Seconds returns when each character begins and ends, in seconds since the
// stream began.
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

// Append adds the stretch that follows. Where a stretch without characters goes
// first, the first character of the result begins after Begin.
func (a *Alignment) Append(next Alignment) {
	a.Characters = append(a.Characters, next.Characters...)
	a.Starts = append(a.Starts, next.Starts...)
	a.End = next.End
}
