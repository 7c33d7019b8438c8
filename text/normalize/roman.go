package normalize

import (
	"strings"
	"unicode"
)

// romanAfter reads a roman numeral before a word that says it is one.
func (c *cursor) romanAfter(i int) (string, int) {
	v := romanValue(c.text(i))
	j := i + 1
	if c.is(j, '.') && c.patterns.ordinalDot {
		j++
	}
	from := 0
	if c.kind(j) == sign && dash(c.rune(j)) && c.kind(j+1) == word && romanValue(c.text(j+1)) > v {
		from, v = v, romanValue(c.text(j+1))
		j += 2
	}
	k := c.skip(j)
	if v == 0 || !c.opens(i) || k == j {
		return "", 0
	}
	rule, n := c.tables.romanAfter.match(c, k)
	if n == 0 || !c.closes(k+n) {
		return "", 0
	}
	if set := c.agreed(i); strings.Contains(set, "ordinal") && !strings.Contains(rule, "{") {
		rule = set
	}
	w, ok := c.sayRoman(v, rule)
	if ok && from > 0 {
		var a string
		a, ok = c.sayRoman(from, rule)
		w = c.sayRange(a, w)
	}
	if !ok {
		return "", 0
	}
	return w, j - i
}

// roman reads the roman numeral at i as a cardinal or by a rule.
func (c *cursor) roman(i int, rule string) (string, int) {
	if c.kind(i) != word || !c.closes(i+1) || !c.opens(i) {
		return "", 0
	}
	v := romanValue(c.text(i))
	// After an apostrophe, or a full stop and a letter, it is a letter.
	if v == 0 || c.kind(i+2) == word && (c.is(i+1, '\'') || c.is(i+1, '’') || c.is(i+1, '.')) {
		return "", 0
	}
	w, ok := c.sayRoman(v, rule)
	if !ok {
		return "", 0
	}
	if m := c.skip(i + 2); rule != "" && c.patterns.ordinalDot && c.is(i+1, '.') && c.kind(m) == word && unicode.IsLower(c.toks[m].r) {
		return w, 2 // the full stop makes the ordinal
	}
	return w, 1
}

// sayRoman reads a number by a rule set, a pattern or as a cardinal.
func (n *Normalizer) sayRoman(v int, rule string) (string, bool) {
	if strings.Contains(rule, "{n") {
		return fill(rule, func(_, set string) (string, bool) { return n.sayInt(v, set) })
	}
	return n.sayInt(v, rule)
}

// romanValue returns the value of a roman numeral from 1 to 3999 in capitals,
// and 0 for anything else.
func romanValue(s string) int {
	if s == "" || len(s) > 15 || strings.IndexByte("IVXLCDM", s[0]) < 0 {
		return 0
	}
	v := 0
	for _, rest := range [...][]string{
		{"", "M", "MM", "MMM"}, {"", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"},
		{"", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"}, {"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"},
	} {
		best := 0
		for d := range rest {
			if strings.HasPrefix(s, rest[d]) && len(rest[d]) >= len(rest[best]) {
				best = d
			}
		}
		s = s[len(rest[best]):]
		v = v*10 + best
	}
	if s != "" {
		return 0
	}
	return v
}

// compileRoman reads the words beside roman numerals.
func (n *Normalizer) compileRoman() {
	t := &n.tables
	for _, w := range n.lex.List("roman.before") {
		t.romanBefore.add(w, "")
		t.start(w)
	}
	n.listed("roman.ordinal", &t.romanBefore, true)
	n.listed("roman.after", &t.romanAfter, false)
}
