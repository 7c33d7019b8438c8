package chunk

// Waiting returns how many code points were added and not returned in a chunk.
func (c *Chunker) Waiting() int { return c.pending.waiting() }

// Remainder returns the text that was added and not returned in a chunk.
func (c *Chunker) Remainder() string { return string(c.pending.text) }
