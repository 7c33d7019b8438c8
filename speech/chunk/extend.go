package chunk

// Extend extends the chunk that Next returned last by n bytes of the text after it, and
// to the end of the word in which they end. It returns the extension as a chunk: Text is
// what was added, and After, Ends and Follows describe the extended chunk. It returns false
// if less than that is known in whole words of the same sentence; the After of the chunk
// is always enough. With [Config.Clauses] the extension goes on to the end of a clause.
func (c *Chunker) Extend(n int) (Chunk, bool) {
	l := &c.pending
	end := l.start + n
	// The last word has no unit yet. Close it here if a space has shown its end.
	if end > l.unitsEnd && c.openIsWord() && !c.config.Clauses {
		l.close(wordEnd, true, true)
		c.words = words{}
	}
	for i, u := range l.units {
		if u.end >= end && c.mayEnd(i+1) {
			return c.pop(i + 1), true
		}
		if u.boundary >= sentenceEnd {
			break
		}
	}
	return Chunk{}, false
}
