package normalize

// stopsSentence says that the full stop at i, which shortens a unit or currency,
// ends the sentence, too: the word after it has a capital. Where nouns are
// written so, it tells nothing.
func (c *cursor) stopsSentence(i int) bool {
	return c.is(i, '.') && c.Normalizer.code != "de" && c.kind(i+1) == space && c.capitalized(i+2)
}
