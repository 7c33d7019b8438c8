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
