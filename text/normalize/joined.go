package normalize

import (
	"slices"
	"strings"
)

// joinedEnding is a mark between numbers and the endings of their words, which is
// not spoken: Turkish 5'te, Kazakh 5-тен. Without endings any word in small letters
// is one. The letters of drop go from the end of the number: Georgian 5-ში.
type joinedEnding struct {
	mark    rune
	endings []string
	drop    string
}

// compileJoined reads the endings and words that are written to numbers with a
// mark between them.
func (n *Normalizer) compileJoined() {
	t := &n.tables
	for _, r := range n.lex.Rows("ending.mark") {
		e := joinedEnding{mark: firstRune(r[0]), drop: r.Value(2)}
		if r.Value(1) != "*" {
			e.endings = r.List(1)
		}
		t.joined = append(t.joined, e)
	}
	t.clitic = n.wordSet("prefix")
	for w := range t.clitic {
		t.start(w)
	}
}

// unmark returns how a number that ends before i is spoken when an ending follows
// it after a mark, and whether one does.
func (c *cursor) unmark(i int, spoken string) (string, bool) {
	if len(c.tables.joined) == 0 || c.kind(i) != sign || c.kind(i-1) != digits && !c.is(i-1, '%') {
		return spoken, false
	}
	e := c.joinedAt(i)
	if e == nil || !letter(lastRune(spoken)) {
		return spoken, false
	}
	return strings.TrimSuffix(spoken, e.drop), true
}

// joinedAt returns the row of the mark and the ending at i; nil for none.
func (c *cursor) joinedAt(i int) *joinedEnding {
	if c.kind(i) != sign || c.kind(i+1) != word || c.toks[i+1].upper || c.kind(i+2) == digits {
		return nil
	}
	for k := range c.tables.joined {
		e := &c.tables.joined[k]
		if c.is(i, e.mark) && (e.endings == nil || slices.Contains(e.endings, c.text(i+1))) {
			return e
		}
	}
	return nil
}
