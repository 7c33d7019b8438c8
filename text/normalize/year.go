package normalize

import "strings"

// readDecade reads 1990s, '90s and 90s.
func readDecade(c *cursor, i int) outcome {
	j := i
	if c.is(i, '\'') || c.is(i, '’') || c.is(i, '‘') {
		j++
	}
	y := arabic(c.text(j))
	if c.kind(j) != digits || !c.opens(i) || len(y) != 4 && len(y) != 2 || y[len(y)-1] != '0' {
		return outcome{}
	}
	if len(y) == 2 && y < "20" && j == i {
		return outcome{} // 10s are seconds
	}
	if j == i && len(y) == 2 && c.seconds(i, y) {
		return outcome{}
	}
	p, n := c.tables.decade.match(c, j+1)
	if n == 0 || !c.closes(j+1+n) && !c.toks[j+n].dense {
		return outcome{}
	}
	w, ok := c.sayDecade(y, p)
	if !ok {
		return outcome{}
	}
	return said(w, j+1+n-i)
}

// seconds says that two digits and an s, 30s, are no decade: a word before them
// tells a duration, or none tells a decade and people hardly speak of it.
func (c *cursor) seconds(i int, y string) bool {
	if len(c.tables.decadeBefore) == 0 || c.text(i+1) != "s" {
		return false
	}
	before := c.text(c.back1(i - 1))
	if c.is(i-1, '-') {
		before = c.text(i - 2)
	}
	return !c.tables.decadeBefore[before] && (c.tables.duringBefore[before] || y < "50")
}

// sayDecade reads a decade of two or four digits.
func (n *Normalizer) sayDecade(y, pattern string) (string, bool) {
	tens := n.tables.decadeWord[y[len(y)-2:]]
	if tens == "" || len(y) == 4 && y[1:] == "000" {
		w, ok := n.sayYear(y, "")
		return fill1(pattern, "{y}", w), ok
	}
	if len(y) == 2 {
		return tens, true
	}
	w, ok := n.sayInt(atoi(y[:2]), "")
	return n.join(w, tens), ok
}

// readEra reads a year with its era: 500 BC.
func readEra(c *cursor, i int) outcome {
	x, ok := c.number(i)
	if !ok || !c.opens(i) || x.frac != "" || x.below != "" || len(x.whole) > 4 {
		return outcome{}
	}
	j := c.skip(x.end)
	p, n := c.eraAfter(i, j)
	// With an ordinal and a mere letter only a full year is one: 5 m. are metres.
	if n == 0 || !c.closes(j+n) || n == 2 && runeLen(c.text(j)) == 1 && strings.Contains(p, "{y:") && len(x.whole) != 4 {
		return outcome{}
	}
	w, ok := c.sayEra(p, x.whole)
	if !ok {
		return outcome{}
	}
	return said(w, j+n-i)
}

// eraAfter returns the pattern of the era at j for the year at i, and its tokens.
// The word before the year may choose it: 2024 г. is another case after в.
func (c *cursor) eraAfter(i, j int) (string, int) {
	if c.kind(i-1) == space && c.kind(i-2) == word {
		if by := c.tables.eraBetween[c.text(i-2)]; by != nil {
			if p, n := by.match(c, j); n > 0 {
				return p, n
			}
		}
	}
	return c.tables.eraAfter.match(c, j)
}

// readEraBefore reads a year after its era: AD 79.
func readEraBefore(c *cursor, i int) outcome {
	p, n := c.tables.eraAfter.match(c, i)
	if n == 0 || !c.opens(i) {
		return outcome{}
	}
	j := c.skip(i + n)
	y := arabic(c.text(j))
	if j == i+n || c.kind(j) != digits || len(y) > 4 || !c.closes(j+1) || c.is(j+1, '.') && c.kind(j+2) == digits {
		return outcome{}
	}
	w, ok := c.sayEra(p, y)
	if !ok {
		return outcome{}
	}
	return said(w, j+1-i)
}

// sayEra reads a year in a pattern: {y}, or {y:SET} by a rule set.
func (n *Normalizer) sayEra(pattern, year string) (string, bool) {
	return fill(pattern, func(_, set string) (string, bool) { return n.sayYear(year, set) })
}

// sayYear reads a year, given in digits, by a rule set or the one for years.
func (n *Normalizer) sayYear(year, set string) (string, bool) {
	if n.num == nil {
		return "", false
	}
	if set == "" && n.hundreds[0] != "" && len(year) == 4 && year[0] == '1' && year[1] != '0' {
		return n.sayHundreds(year)
	}
	if set == "" || !n.num.Has(set) {
		set = n.year
	}
	return n.num.Format(set, year)
}

// sayHundreds reads a year of the 12th to the 20th century by its hundreds.
func (n *Normalizer) sayHundreds(year string) (string, bool) {
	c, ok := n.sayInt(atoi(year[:2]), "")
	if !ok {
		return "", false
	}
	if year[2:] == "00" {
		return fill1(n.hundreds[1], "{c}", c), n.hundreds[1] != ""
	}
	r, ok := n.sayInt(atoi(year[2:]), "")
	return fill2(n.hundreds[0], "{c}", c, "{r}", r), ok
}

// compileYears reads the words beside years and decades.
func (n *Normalizer) compileYears() {
	t := &n.tables
	n.told("year.word", &t.year)
	n.listed("year.era", &t.eraAfter, true)
	t.eraBetween = map[string]*phrases[string]{}
	for _, r := range n.lex.Rows("year.era.after") {
		to := t.eraBetween[r[0]]
		if to == nil {
			to = new(phrases[string])
			t.eraBetween[r[0]] = to
		}
		for _, w := range r.List(1) {
			to.add(w, r.Value(2))
		}
	}
	n.listed("decade", &t.decade, false)
	t.decadeWord = n.byFirst("decade.word")
	t.decadeBefore, t.duringBefore = n.wordSet("decade.before"), n.wordSet("duration.before")
}
