// Package chunk decides what to say next of a text that is still being written.
//
// Text arrives in fragments of any size, as a language model produces them. It leaves in
// chunks: a sentence, or a few words for which the words after them are known too. A chunk
// never crosses the end of a sentence and never cuts a word. The chunks of a session,
// joined, are its text byte for byte.
//
// Sentences end where [segment.Sentences] finds ends in the whole text. Words end at
// spaces, or by rules of the script where it writes no spaces. Spaces belong to the word
// before them.
package chunk

import "slices"

// Mode says how much text must be there before some of it is spoken.
type Mode uint8

// The modes.
const (
	// Sentence waits for the end of a sentence.
	Sentence Mode = iota
	// Eager waits for a few words and a few more as lookahead.
	Eager
	// Schedule waits for a number of characters, which differs from chunk to chunk.
	Schedule
	// Auto speaks at the end of each sentence, and of each fragment that ends a phrase.
	Auto
)

// Config says how to cut a text. The zero value cuts at the ends of sentences.
type Config struct {
	Mode Mode
	// ChunkWords is how many words a chunk of mode Eager has: 1 to 50; 0 is 4.
	ChunkWords int
	// PeekWords is how many words after the chunk must be known: 1 to 5; 0 is 2.
	PeekWords int
	// MaxChunkWords is how many words a chunk may have when text came faster than it is
	// spoken: ChunkWords to 100; 0 is 20.
	MaxChunkWords int
	// Characters are how many characters mode Schedule waits for before the first chunk,
	// the second and so on, 50 to 500 each; the last repeats. nil is 120, 160, 250, 290.
	Characters []int
	// Clauses makes every chunk end with a clause or a sentence, or where the caller flushed,
	// in every mode: for voices whose pieces of a clause cannot be joined. Only a sentence of
	// more than 400 characters may be cut after a word.
	Clauses bool
}

// Clamped returns the configuration with defaults in place of zeros and every value moved
// to the nearest allowed one. The protocols whose parameters these are refuse none.
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

// clamp returns n, or usual if n is 0, limited to least and most.
func clamp(n, usual, least, most int) int {
	if n == 0 {
		n = usual
	}
	return min(max(n, least), most)
}

// Chunk is a piece of text to be spoken, with the text known around it.
type Chunk struct {
	// Text is what is spoken; it may be only spaces.
	Text string
	// Before is the part of the same sentence that was spoken already, at most its last
	// few dozen words. After is the text after Text in the same sentence, as far as it is
	// known, in whole words and without spaces at its end.
	Before, After string
	// Ends means that Text ends a sentence or was flushed: After, and Before of the next
	// chunk, are empty.
	Ends bool
	// Follows means that more text than After and spaces is known to follow. It may belong
	// to the next sentence, or be an incomplete word.
	Follows bool
}
