package normalize

import (
	"strings"
	"unicode"
)

// readOrdinal reads a number with a written suffix, 5th, and one with a full
// stop before a word where that makes an ordinal.
func readOrdinal(c *cursor, i int) (string, int) {
	if !c.opens(i) || c.is(i-1, '.') && c.kind(i-2) == digits {
		return "", 0
	}
	x, ok := c.number(i)
	if !ok || x.frac != "" || x.below != "" {
		return "", 0
	}
	if v, n := c.tables.suffix.match(c, x.end); n > 0 && (c.closes(x.end+n) || c.toks[x.end+n-1].dense) {
		written := c.s[c.toks[x.end].start:c.toks[x.end+n-1].end]
		if w, ok := c.sayOrdinal(x, v, written); ok {
			return w, x.end + n - i
		}
	}
	if w := c.tables.ordinalWord[x.whole+c.text(x.end)]; w != "" && c.kind(x.end) == word {
		return w, x.end + 1 - i
	}
	if w := c.tables.ordinalWord[x.whole]; w != "" && c.agreed(i) != "" && c.alone(x.end) {
		return w, x.end - i
	}
	if w, n := c.ordinalRange(i, x); n > 0 {
		return w, n
	}
	if set := c.yearOrdinal(i); set != "" {
		w, ok := c.sayOrdinal(x, set, "")
		if !ok {
			return "", 0
		}
		return w, 1
	}
	if c.hyphenOrdinal(x) {
		w, ok := c.sayOrdinal(x, c.ordinal, "")
		if !ok {
			return "", 0
		}
		return w + " ", x.end + 1 - i
	}
	if !c.dotOrdinal(x) {
		return "", 0
	}
	agreed := c.agreed(i)
	if !strings.Contains(agreed, "ordinal") {
		agreed = ""
	}
	set := c.firstSet(c.tables.agreeAfter[c.text(x.end+2)], agreed, c.ordinal)
	w, ok := c.sayOrdinal(x, set, "")
	if !ok {
		return "", 0
	}
	return w, x.end + 1 - i
}

// readPrefixed reads an ordinal with a written prefix: ka მე-5, id ke-XX.
func readPrefixed(c *cursor, i int) (string, int) {
	rule, n := c.tables.prefix.match(c, i)
	if n == 0 || !c.opens(i) {
		return "", 0
	}
	x, ok := c.number(i + n)
	if !ok {
		w, m := c.roman(i+n, rule)
		if m == 0 {
			return "", 0
		}
		return w, n + m
	}
	if x.frac != "" || x.below != "" || !c.closes(x.end) {
		return "", 0
	}
	w, ok := c.sayOrdinal(x, rule, "")
	if !ok {
		return "", 0
	}
	return w, x.end - i
}

// agreed returns the rule set of an ordinal at i by the word before it, such as
// am in "am 3. Mai"; "" when the word tells nothing.
func (c *cursor) agreed(i int) string {
	if len(c.tables.agree) == 0 || c.kind(i-1) != space {
		return ""
	}
	// Two words of which the second is shortened: pl "o godz. 10:30".
	if c.is(i-2, '.') && c.kind(i-3) == word && c.kind(i-4) == space && c.kind(i-5) == word {
		return c.firstSet(c.tables.agree[c.text(i-5)+" "+c.text(i-3)+"."])
	}
	if c.kind(i-2) != word {
		return ""
	}
	return c.firstSet(c.tables.agree[c.text(i-2)])
}

// inCase returns the rule set of a pattern in the case of another one: of
// spellout-ordinal-feminine and spellout-ordinal-neuter-genitive,
// spellout-ordinal-feminine-genitive. Sets without genders give way as they are.
func (n *Normalizer) inCase(set, agreed string) string {
	if set == "" || agreed == "" || strings.Contains(set, "ordinal") != strings.Contains(agreed, "ordinal") {
		return set
	}
	for _, gender := range [...]string{"-masculine", "-feminine", "-neuter"} {
		if _, after, ok := strings.Cut(agreed, gender); ok {
			return n.firstSet(set+after, set)
		}
	}
	return agreed
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
	listed := c.tables.agreeAfter[c.text(next)] != ""
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

// yearOrdinal returns the rule set of a year of four digits by the word after it,
// such as il in Azerbaijani 1991 il, and of a day of the month by an inflected name
// of one; "" when the word tells nothing.
func (c *cursor) yearOrdinal(i int) string {
	j := c.skip(i + 1)
	if j == i+1 || c.kind(i) != digits {
		return ""
	}
	y, table := arabic(c.text(i)), &c.tables.yearOrdinal
	switch {
	case len(y) == 4 && y >= "1100" && y <= "2099":
	case len(y) <= 2 && y[0] != '0' && atoi(y) <= 31:
		table = &c.tables.dayOrdinal
	default:
		return ""
	}
	set, n := table.match(c, j)
	if n == 0 || !c.closes(j+n) {
		return ""
	}
	return set
}

// ordinalRange reads two numbers with a dash between them, of which what follows
// makes ordinals: 1941–1945 жылдар.
func (c *cursor) ordinalRange(i int, x number) (string, int) {
	j := x.end
	if len(x.whole) > 4 || c.kind(j) != sign || !dash(c.rune(j)) || c.kind(j+1) != digits || c.patterns.span == "" {
		return "", 0
	}
	y, ok := c.number(j + 1)
	if !ok || y.frac != "" || y.below != "" || len(y.whole) > 4 || atoi(x.whole) >= atoi(y.whole) {
		return "", 0
	}
	set, n := c.yearOrdinal(j+1), 0
	if set == "" && c.hyphenOrdinal(y) {
		set, n = c.ordinal, 1
	}
	if v, k := c.tables.suffix.match(c, y.end); set == "" && k > 0 && c.closes(y.end+k) && c.is(y.end, '-') {
		set, n = v, k
	}
	if set == "" {
		return "", 0
	}
	a, ok := c.sayOrdinal(x, set, "")
	b, ok2 := c.sayOrdinal(y, set, "")
	if !ok || !ok2 {
		return "", 0
	}
	if n == 1 {
		b += " "
	}
	return c.sayRange(a, b), y.end + n - i
}

// nounOrdinal reads a small number after a noun that makes it an ordinal: Arabic
// القرن 21, the twenty-first century.
func (c *cursor) nounOrdinal(i int, rule string) (string, int) {
	x, ok := c.number(i)
	if !ok || x.frac != "" || x.below != "" || len(x.whole) > 2 || x.end != i+1 || !c.closes(x.end) {
		return "", 0
	}
	w, ok := c.sayOrdinal(x, rule, "")
	if !ok {
		return "", 0
	}
	return w, 1
}

// readClitic notes that a short word before a number is one word with it when it is
// spoken, Amharic በ1966, and drops a hyphen between them, Hebrew ב-5.
func readClitic(c *cursor, i int) (string, int) {
	if !c.tables.clitic[c.text(i)] || !c.opens(i) {
		return "", 0
	}
	j := i + 1
	if c.is(j, '-') || c.is(j, '־') {
		j++
	}
	if c.kind(j) != digits {
		return "", 0
	}
	c.clung = c.toks[j].start
	return c.text(i), j - i
}

// sayOrdinal reads an ordinal as its suffix says: by a rule set, by a pattern,
// or ("+") as the cardinal with the suffix.
func (n *Normalizer) sayOrdinal(x number, rule, suffix string) (string, bool) {
	if w := n.tables.ordinalWord[x.whole+suffix]; w != "" {
		return w, true
	}
	if rule == "" {
		rule = n.ordinal
	}
	switch {
	case strings.Contains(rule, "{n"):
		return n.sayPattern(x, rule)
	case rule == "+":
		w, ok := n.say(x, n.cardinal)
		return w + suffix, ok
	case rule != "" && n.num != nil && n.num.Has(rule):
		return n.num.Format(rule, x.decimal())
	case n.patterns.ordinal != "":
		return n.sayPattern(x, n.patterns.ordinal)
	}
	return "", false
}

// sayPattern reads a number in a pattern: {n}, or {n:SET} by a rule set.
func (n *Normalizer) sayPattern(x number, pattern string) (string, bool) {
	return n.fillJoined(pattern, func(_, set string) (string, bool) {
		if set == "" || n.num == nil || !n.num.Has(set) {
			return n.say(x, n.cardinal)
		}
		return n.num.Format(set, x.decimal())
	})
}
