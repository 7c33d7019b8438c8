package normalize

import (
	"strings"
	"unicode"
)

// readAbbreviation reads an abbreviation of the lexicon.
func readAbbreviation(c *cursor, i int) (string, int) {
	if !c.opens(i) || c.is(i-1, '@') || c.is(i-1, '#') {
		return "", 0
	}
	if w, n := c.tables.abbrNumber.match(c, i); n > 0 && (c.closes(i+n) || c.toks[i+n-1].kind == sign) && c.numberFollows(i+n) {
		if _, m := c.tables.timeWord.match(c, i); m != n {
			c.expect(i+n, expectRoman, "")
			c.expectCode(i)
		}
		return w, n
	}
	if w, n := c.tables.abbrName.match(c, i); n > 0 && c.named(i, n) {
		return w, n
	}
	if w, n := c.tables.abbr.match(c, i); n > 0 && (c.closes(i+n) || c.toks[i+n-1].kind == sign) {
		readContext(c, i)
		if _, m := c.tables.abbrName.match(c, i); m == n && c.is(i+n-1, '.') && c.capitalized(c.skip(i+n)) {
			w += "." // not before a name, so a sentence ends here
		}
		return w, n
	}
	if c.kind(c.back1(i-1)) == digits {
		if w, n := c.tables.abbrAfter.match(c, i); n > 0 && c.closes(i+n) {
			return w, n
		}
	}
	if w, n := c.romanOrdinal(i); n > 0 {
		return w, n
	}
	return c.romanAfter(i)
}

// readFigures reads an abbreviation that begins with digits, such as 24/7.
func readFigures(c *cursor, i int) (string, int) {
	if c.kind(i+1) == space || !c.opens(i) {
		return "", 0
	}
	w, n := c.tables.abbr.match(c, i)
	if n == 0 || !c.closes(i+n) || c.is(i+n, '/') {
		return "", 0
	}
	return w, n
}

// numberFollows says that a number stands at i or after a space.
func (c *cursor) numberFollows(i int) bool {
	j := c.skip(i)
	return c.kind(j) == digits || c.kind(j) == word && romanValue(c.text(j)) > 0 && c.toks[j].upper
}

// readInitials reads letters with full stops: U.S.A., A.P.I.
func readInitials(c *cursor, i int) (string, int) {
	var room [lookahead]string
	parts := room[:0]
	j := i
	for len(parts) < cap(room) && c.kind(j) == word && c.is(j+1, '.') && c.toks[j].upper && runeLen(c.text(j)) == 1 && c.toks[j].r < 0x590 {
		c.steps++
		parts = append(parts, c.letters(c.text(j)))
		j += 2
	}
	if len(parts) < 2 || !c.opens(i) {
		return "", 0
	}
	if c.kind(j) == word && c.toks[j].upper && runeLen(c.text(j)) == 1 && c.closes(j+1) {
		return strings.Join(append(parts, c.letters(c.text(j))), " "), j + 1 - i
	}
	if !c.closes(j) {
		return "", 0
	}
	return strings.Join(parts, " "), j - i
}

// marks says that a rune belongs to the letter before it.
func marks(r rune) bool { return unicode.IsMark(r) }
