package chunk

// Take extends the chunk that Next has just returned by n bytes of what follows it
// in its sentence, and by the rest of the word that those end in. It returns what
// follows that chunk: its Text is what the chunk is extended by, and After, Ends
// and Follows are those of the chunk extended. It returns false when so much is
// not known as whole words; no more is than the After of the chunk.
func (c *Chunker) Take(n int) (Chunk, bool) {
	l := &c.line
	end := l.start + n
	if end > l.opened && c.openComplete() {
		l.close(wordEnd, true, true)
		c.words = words{}
	}
	for i, u := range l.units {
		if u.end >= end {
			return c.take(i + 1), true
		}
		if u.stop >= sentenceEnd {
			break
		}
	}
	return Chunk{}, false
}
