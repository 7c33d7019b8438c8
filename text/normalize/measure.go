package normalize

import (
	"strings"

	"vaak/text/normalize/cldr"
)

// minutes reads the minutes after hours, 2h 30m, where m is no metre. w are the
// words so far, and the result has the token after what was read.
func (c *cursor) minutes(w string, end int) (string, int) {
	i := c.skip(end)
	x, ok := c.number(i)
	if !ok || x.below != "" || c.kind(i) != digits {
		return w, end
	}
	j := c.skip(x.end)
	if t := c.text(j); t != "m" && t != "min" && t != "mins" || !c.closes(j+1) {
		return w, end
	}
	u, n := c.tables.unit.match(c, j)
	if c.text(j) == "m" {
		u = c.unitOf("duration-minute")
		n = 1
	}
	if n == 0 || u == nil {
		return w, end
	}
	m, ok := c.count(quantity{a: x}, u.forms, u.gender)
	if !ok {
		return w, end
	}
	return c.join(w, m), j + n
}

// perUnit reads the unit after a slash, ₹50/kg, and returns the token after it.
func (c *cursor) perUnit(w string, end int) (string, int) {
	if !c.is(end, '/') {
		return w, end
	}
	u, n := c.tables.unit.match(c, end+1)
	if n == 0 && c.southAsian {
		return c.perWord(w, end)
	}
	if n == 0 || !c.closes(end+1+n) {
		return w, end
	}
	p := c.loc.Units[u.key].Per
	if p == "" || strings.ContainsAny(p, "/.") { // a sign or an abbreviation is no word
		one, _ := cldr.NewOperands("1")
		form, _ := fieldSet(pick(u.forms, c.loc.Plural(one)))
		name := strings.TrimSpace(fill1(form, "{n}", ""))
		if c.patterns.per != "" {
			return c.joined(c.patterns.per, "{u}", name, "{n}", w), end + 1 + n
		}
		p = fill1(c.loc.Per, "{1}", name)
	}
	if !strings.Contains(p, "{0}") || strings.Contains(p, "/") {
		return w, end
	}
	return fill1(p, "{0}", w), end + 1 + n
}

// perWord reads a word after a slash that is no unit: ₹30/किलो, ₹80/दर्जन.
func (c *cursor) perWord(w string, end int) (string, int) {
	p := c.loc.Per
	if c.patterns.per != "" || !strings.Contains(p, "{0}") || strings.Contains(p, "/") {
		return w, end
	}
	if c.kind(end+1) != word || c.rune(end+1) < 0x600 || !c.closes(end+2) || c.is(end+2, '/') {
		return w, end
	}
	return fill2(p, "{0}", w, "{1}", c.text(end+1)), end + 2
}

// percentGender returns the gender of numbers before the word for per cent.
func (n *Normalizer) percentGender() string {
	if u := n.unitOf("concentr-percent"); u != nil {
		return u.gender
	}
	return ""
}

// unitOf returns the unit of one of CLDR's keys, nil when it has no words. It is
// made on first use and kept.
func (n *Normalizer) unitOf(key string) *unit {
	if u, ok := n.units.Load(key); ok {
		return u.(*unit)
	}
	u, _ := n.units.LoadOrStore(key, n.makeUnit(key))
	return u.(*unit)
}

func (n *Normalizer) makeUnit(key string) *unit {
	d := n.loc.Units[key]
	if r, ok := n.lex.Lookup("unit", key); ok {
		u := &unit{key: key, forms: forms(r.Value(1)), gender: r.Value(2)}
		if len(r) < 3 {
			u.gender = d.Gender
		}
		return u
	}
	if len(d.Forms) == 0 {
		return nil
	}
	return &unit{key: key, forms: n.unitForms(d.Forms), gender: d.Gender}
}
