package normalize

import (
	"strings"
	"unicode"
)

// compileOrdinals reads how ordinals are written.
func (n *Normalizer) compileOrdinals() {
	t := &n.tables
	t.ordinalWord = n.byFirst("ordinal.word")
	t.ordinalBefore, t.ordinalAfter = n.byWord("ordinal.before"), n.byWord("ordinal.after")
	n.listed("ordinal.prefix", &t.prefix, true)
	t.attached = map[string]string{}
	for _, r := range n.lex.Rows("ordinal.suffix") {
		for s := range strings.FieldsSeq(r[0]) {
			t.suffix.add(strings.ReplaceAll(s, "_", " "), r.Value(1))
			t.attached[s] = r.Value(1)
		}
	}
}

// readOrdinal reads a number with a written suffix, 5th, and one with a full
// stop before a word where that makes an ordinal.
func readOrdinal(c *cursor, i int) outcome {
	if !c.opens(i) || c.is(i-1, '.') && c.kind(i-2) == digits {
		return outcome{}
	}
	x, ok := c.number(i)
	if !ok || x.frac != "" || x.below != "" {
		return outcome{}
	}
	if v, n := c.tables.suffix.match(c, x.end); n > 0 && (c.closes(x.end+n) || c.toks[x.end+n-1].dense) {
		written := c.s[c.toks[x.end].start:c.toks[x.end+n-1].end]
		if w, ok := c.sayOrdinal(x, v, written); ok {
			return said(w, x.end+n-i)
		}
	}
	if w := c.tables.ordinalWord[x.whole+c.text(x.end)]; w != "" && c.kind(x.end) == word {
		return said(w, x.end+1-i)
	}
	if w := c.tables.ordinalWord[x.whole]; w != "" && c.agreed(i) != "" && c.alone(x.end) {
		return said(w, x.end-i)
	}
	return said(c.unmarkedOrdinal(i, x))
}

// unmarkedOrdinal reads a number at i that is an ordinal by the word after it, with
// nothing but a full stop or a hyphen between them.
func (c *cursor) unmarkedOrdinal(i int, x number) (string, int) {
	if w, n := c.ordinalRange(i, x); n > 0 {
		return w, n
	}
	if set := c.ordinalBeforeNoun(i); set != "" {
		return c.ordinalOf(x, set, 1)
	}
	if c.hyphenOrdinal(x) {
		w, n := c.ordinalOf(x, c.ordinal, x.end+1-i)
		if n > 0 {
			w += " " // for the hyphen
		}
		return w, n
	}
	if !c.dotOrdinal(x) {
		return "", 0
	}
	agreed := c.agreed(i)
	if !strings.Contains(agreed, "ordinal") {
		agreed = ""
	}
	return c.ordinalOf(x, c.firstSet(c.tables.ordinalAfter[c.text(x.end+2)], agreed, c.ordinal), x.end+1-i)
}

// ordinalOf reads a number of n tokens as an ordinal by a rule.
func (c *cursor) ordinalOf(x number, rule string, n int) (string, int) {
	w, ok := c.sayOrdinal(x, rule, "")
	if !ok {
		return "", 0
	}
	return w, n
}

// readPrefixed reads an ordinal with a written prefix: ka მე-5, id ke-XX.
func readPrefixed(c *cursor, i int) outcome {
	rule, n := c.tables.prefix.match(c, i)
	if n == 0 || !c.opens(i) {
		return outcome{}
	}
	x, ok := c.number(i + n)
	if !ok {
		w, m := c.roman(i+n, rule)
		if m == 0 {
			return outcome{}
		}
		return said(w, n+m)
	}
	if x.frac != "" || x.below != "" || !c.closes(x.end) {
		return outcome{}
	}
	return said(c.ordinalOf(x, rule, x.end-i))
}

// agreed returns the rule set of an ordinal at i by the word before it, such as
// am in "am 3. Mai"; "" when the word tells nothing.
func (c *cursor) agreed(i int) string {
	if len(c.tables.ordinalBefore) == 0 || c.kind(i-1) != space {
		return ""
	}
	// Two words of which the second is shortened: pl "o godz. 10:30".
	if c.is(i-2, '.') && c.kind(i-3) == word && c.kind(i-4) == space && c.kind(i-5) == word {
		return c.firstSet(c.tables.ordinalBefore[c.text(i-5)+" "+c.text(i-3)+"."])
	}
	if c.kind(i-2) != word {
		return ""
	}
	if c.kind(i-3) == space && c.kind(i-4) == word {
		if set := c.firstSet(c.tables.ordinalBefore[c.text(i-4)+" "+c.text(i-2)]); set != "" {
			return set // de "aus der 3. Klasse"
		}
	}
	return c.firstSet(c.tables.ordinalBefore[c.text(i-2)])
}

// alone says that what stands at j does not belong to the number before it, so
// that a word before the number may make it an ordinal: sw darasa la 2.
func (c *cursor) alone(j int) bool {
	if !c.closes(j) || c.kind(j) == sign && c.kind(j+1) == digits {
		return false
	}
	k := c.skip(j)
	if c.kind(k) == sign {
		return k == j && !c.percentSign(k) && !c.operator(k) && !dash(c.rune(k)) && !c.currencySign(k)
	}
	_, units := c.tables.unit.match(c, k)
	_, scales := c.tables.scale.match(c, k)
	return c.kind(k) != digits && units == 0 && scales == 0 && !c.currencySign(k)
}

// dotOrdinal says that a full stop after a number makes it an ordinal: a word
// follows, and the number is small enough not to end a sentence by chance.
func (c *cursor) dotOrdinal(x number) bool {
	next := x.end + 2
	if !c.patterns.ordinalDot || c.ordinal == "" || x.whole[0] == '0' || !c.is(x.end, '.') || c.kind(x.end+1) != space || c.kind(next) != word {
		return false
	}
	listed := c.tables.ordinalAfter[c.text(next)] != ""
	return (len(x.whole) <= 3 || len(x.whole) == 4 && listed) &&
		(listed || c.Normalizer.code == "de" || !unicode.IsUpper(c.toks[next].r)) // only German writes nouns with capitals
}

// hyphenOrdinal says that a hyphen between a number and a word makes the number an
// ordinal, as in Kazakh, Kyrgyz and Uzbek (5-sinf, 2024-yil). A letter alone is
// the name of something (5-A), and so are capitals.
func (c *cursor) hyphenOrdinal(x number) bool {
	return c.patterns.ordinalHyphen && c.ordinal != "" && !x.groups && !x.minus && len(x.whole) <= 4 && x.whole[0] != '0' &&
		c.is(x.end, '-') && c.kind(x.end+1) == word && !c.toks[x.end+1].upper && (runeLen(c.text(x.end+1)) > 1 || c.is(x.end+2, '.')) && c.joinedAt(x.end) == nil
}

// ordinalMark says that what follows a number at j makes it an ordinal: a written
// suffix, or a hyphen before a word.
func (c *cursor) ordinalMark(j int) bool {
	if _, n := c.tables.suffix.match(c, j); n > 0 && c.closes(j+n) {
		return true
	}
	return c.patterns.ordinalHyphen && c.is(j, '-') && c.kind(j+1) == word && c.joinedAt(j) == nil
}

// readClitic notes that a short word before a number is one word with it when it is
// spoken, Amharic በ1966, and drops a hyphen between them, Hebrew ב-5.
func readClitic(c *cursor, i int) outcome {
	if !c.tables.clitic[c.text(i)] || !c.opens(i) {
		return outcome{}
	}
	j := i + 1
	if c.is(j, '-') || c.is(j, '־') {
		j++
	}
	if c.kind(j) != digits {
		return outcome{}
	}
	return outcome{c.text(i), j - i, note{kind: noteJoined, at: j}}
}
