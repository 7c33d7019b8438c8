package caption

// LongUnit is what bounds a piece of text that is not cut, in bytes.
const LongUnit = maxUnit

// Longest returns how many bytes the longest piece has that is not written yet.
func (c *Writer) Longest() int {
	n := len(c.current.text)
	for _, u := range c.units {
		n = max(n, len(u.text))
	}
	return n
}

// Pieces returns how many pieces are not written yet.
func (c *Writer) Pieces() int { return len(c.units) + 1 }
