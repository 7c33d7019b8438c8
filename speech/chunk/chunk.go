// Package chunk decides what to say next of a text that is still being written.
//
// Text arrives in fragments of any size, as a language model makes them, and
// leaves in chunks: a sentence, or a few words with those that follow as
// lookahead. A chunk never crosses the end of a sentence, never cuts a word, and
// the chunks of a session are its text, byte for byte.
//
// Sentences end where [segment.Sentences] says of the whole text. Words are
// parted by spaces, and where none are written by rules of the script; spaces
// belong to the word before them.
package chunk

import "slices"

// Mode says when there is enough text to be spoken.
type Mode uint8

// The modes.
const (
	// Sentence waits for the end of a sentence.
	Sentence Mode = iota
	// Eager waits for a few words and those after them.
	Eager
	// Schedule waits for a number of characters, which grows.
	Schedule
	// Auto speaks at the end of each sentence and of each fragment that ends a
	// phrase.
	Auto
)

// Config says how to cut. The zero value is sentences.
type Config struct {
	Mode Mode
	// ChunkWords is how many words of Eager are spoken at a time: 1 to 50; 0 is 4.
	ChunkWords int
	// PeekWords is how many more must be known, as lookahead: 1 to 5; 0 is 2.
	PeekWords int
	// MaxChunkWords bounds a chunk once text has queued: ChunkWords to 100; 0 is
	// 20.
	MaxChunkWords int
	// Characters is the schedule: how many must wait for the first chunk, the
	// second and so on, 50 to 500 each; the last repeats. nil is 120, 160, 250,
	// 290.
	Characters []int
}

// Clamped returns the same with defaults for zeros and each value moved to the
// nearest that is allowed. Nothing is refused.
func (c Config) Clamped() Config {
	c.ChunkWords = clamp(c.ChunkWords, 4, 1, 50)
	c.PeekWords = clamp(c.PeekWords, 2, 1, 5)
	c.MaxChunkWords = clamp(c.MaxChunkWords, 20, c.ChunkWords, 100)
	if len(c.Characters) == 0 {
		c.Characters = []int{120, 160, 250, 290}
		return c
	}
	c.Characters = slices.Clone(c.Characters)
	for i, n := range c.Characters {
		c.Characters[i] = min(max(n, 50), 500)
	}
	return c
}

// clamp returns n, or usual for 0, moved to least or most if it lies beyond.
func clamp(n, usual, least, most int) int {
	if n == 0 {
		n = usual
	}
	return min(max(n, least), most)
}

// Chunk is a piece of text that is to be spoken, with what is known around it.
type Chunk struct {
	// Text is what is spoken; it may be nothing but spaces.
	Text string
	// Before is the part of the same sentence that was spoken already, at most
	// its last few dozen words; After is what is known of it behind Text, which
	// does not begin a new sentence. After is whole words, without the spaces at
	// its end.
	Before, After string
	// Ends says that Text ends a sentence or was flushed, so that what follows is
	// not of the same breath: After is empty, and so is Before of the next chunk.
	Ends bool
	// Follows says that more text than spaces is known to come behind After. It
	// may be of the next sentence, or a word that is not complete.
	Follows bool
}
