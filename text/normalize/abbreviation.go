package normalize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// readAbbreviation reads an abbreviation of the lexicon.
func readAbbreviation(c *cursor, i int) outcome {
	if !c.opens(i) || c.is(i-1, '@') || c.is(i-1, '#') {
		return outcome{}
	}
	if w, n := c.tables.abbrNumber.match(c, i); n > 0 && (c.closes(i+n) || c.toks[i+n-1].kind == sign) && c.numberFollows(i+n) {
		o := said(w, n)
		if c.expected <= i { // no word has said more precisely what follows
			o.note = c.expect(i+n, expectRoman, "")
		}
		return o
	}
	if w, n := c.tables.abbrName.match(c, i); n > 0 && c.named(i, n) {
		return said(w, n)
	}
	if w, n := c.tables.abbr.match(c, i); n > 0 && (c.closes(i+n) || c.toks[i+n-1].kind == sign) {
		if _, m := c.tables.abbrName.match(c, i); m == n && c.is(i+n-1, '.') && c.capitalized(c.skip(i+n)) {
			w += "." // not before a name, so a sentence ends here
		}
		return said(w, n)
	}
	if c.kind(c.back1(i-1)) == digits {
		if w, n := c.tables.abbrAfter.match(c, i); n > 0 && c.closes(i+n) {
			return said(w, n)
		}
	}
	if w, n := c.romanOrdinal(i); n > 0 {
		return said(w, n)
	}
	return said(c.romanAfter(i))
}

// readFigures reads an abbreviation that begins with digits, such as 24/7.
func readFigures(c *cursor, i int) outcome {
	if c.kind(i+1) == space || !c.opens(i) {
		return outcome{}
	}
	w, n := c.tables.abbr.match(c, i)
	if n == 0 || !c.closes(i+n) || c.is(i+n, '/') {
		return outcome{}
	}
	return said(w, n)
}

// numberFollows says that a number stands at i or after a space.
func (c *cursor) numberFollows(i int) bool {
	j := c.skip(i)
	return c.kind(j) == digits || c.kind(j) == word && romanValue(c.text(j)) > 0 && c.toks[j].upper
}

// readInitials reads letters with full stops: U.S.A., A.P.I.
func readInitials(c *cursor, i int) outcome {
	var room [lookahead]string
	parts := room[:0]
	j := i
	for len(parts) < cap(room) && c.kind(j) == word && c.is(j+1, '.') && c.toks[j].upper && runeLen(c.text(j)) == 1 && c.toks[j].r < 0x590 {
		c.steps++
		parts = append(parts, c.letters(c.text(j)))
		j += 2
	}
	if len(parts) < 2 || !c.opens(i) {
		return outcome{}
	}
	if c.kind(j) == word && c.toks[j].upper && runeLen(c.text(j)) == 1 && c.closes(j+1) {
		return said(strings.Join(append(parts, c.letters(c.text(j))), " "), j+1-i)
	}
	if !c.closes(j) {
		return outcome{}
	}
	return said(strings.Join(parts, " "), j-i)
}

// marks says that a rune belongs to the letter before it.
func marks(r rune) bool { return unicode.IsMark(r) }

// stop remembers an abbreviation that is written with a full stop, whole and
// by its last part.
func (t *tables) stop(written string) {
	w, ok := strings.CutSuffix(written, ".")
	if !ok {
		return
	}
	t.stops[w] = true
	t.stops[w[strings.LastIndexAny(w, " .")+1:]] = true
}

// upperFirst returns a text with a capital at its beginning.
func upperFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// compileAbbreviations reads abbreviations and acronyms.
func (n *Normalizer) compileAbbreviations() {
	t := &n.tables
	t.stops = map[string]bool{}
	for _, k := range []struct {
		key string
		to  *phrases[string]
	}{{"abbr", &t.abbr}, {"abbr.name", &t.abbrName}, {"abbr.number", &t.abbrNumber}, {"abbr.after", &t.abbrAfter}} {
		for _, r := range n.lex.Rows(k.key) {
			k.to.add(r[0], r[1])
			t.start(r[0])
			if k.key != "abbr.number" { // those may end a sentence as other words: No.
				t.stop(r[0])
			}
		}
	}
	// They begin sentences too: Pp. 12-15.
	for _, r := range n.lex.Rows("abbr.number") {
		if written := upperFirst(r[0]); runeLen(written) > 2 && strings.HasSuffix(written, ".") {
			t.abbrNumber.add(written, upperFirst(r[1]))
			t.start(written)
		}
	}
	t.acronym = map[string]string{}
	for _, w := range n.lex.List("acronym.word") {
		t.acronym[w] = ""
	}
	for _, w := range n.lex.List("acronym.spell") {
		t.acronym[w] = "-"
		t.start(w)
	}
	for _, r := range n.lex.Rows("acronym") {
		t.acronym[r[0]] = r[1]
		t.start(r[0])
	}
}

// named says that the abbreviation of n tokens at i stands before a name: a
// capital follows and none goes before, as in St. Paul and unlike Baker St. in
// London. The capital of the word that begins a sentence does not count.
func (c *cursor) named(i, n int) bool {
	next := i + n
	if c.is(next-1, '.') || c.kind(next) == space {
		next = c.skip(next)
	}
	if next == i+n || !c.capitalized(next) {
		return false
	}
	before := c.back1(i - 1)
	if before == i-1 || !c.capitalized(before) {
		return true
	}
	first := c.back1(before - 1)
	return c.kind(first) != word && c.kind(first) != digits && !c.is(first, ',')
}

// capitalized says that a word that begins with a capital stands at i.
func (c *cursor) capitalized(i int) bool { return c.kind(i) == word && unicode.IsUpper(c.rune(i)) }
