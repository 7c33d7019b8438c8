package normalize

import "unicode"

// key reads the name of a key of the telephone, # and *, which stands alone
// inside a sentence: press # to go back. A star must be followed by a word in
// small letters or a comma, because others are bullets and marks of footnotes.
func (c *cursor) key(i int) (string, int) {
	if !c.spaced || c.kind(i-1) != space || c.kind(i-2) != word || !c.closes(i+1) || c.is(i+1, c.rune(i)) {
		return "", 0
	}
	w := c.tables.signs[string(c.rune(i))]
	if w == "" {
		w = c.signName(c.rune(i))
	}
	j := c.skip(i + 1)
	if c.is(i, '#') && j > i+1 && c.kind(j) == digits && c.names.number != "" {
		w = c.names.number // item # 12
	}
	if w == "" {
		return "", 0
	}
	next := c.rune(j)
	if c.rune(i) == '*' && !unicode.IsLower(next) && next != ',' {
		return "", 0
	}
	return c.word(i, w)
}
