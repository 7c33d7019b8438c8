package normalize

// ordinalNouns are the nouns that make a plain number beside them an ordinal, with
// its rule set: those before a number, and those after a year or a day of the month.
type ordinalNouns struct{ before, year, day phrases[string] }

// compileOrdinalNouns reads the nouns that make numbers ordinals.
func (n *Normalizer) compileOrdinalNouns() {
	t := &n.tables
	sides := map[string]*phrases[string]{"before": &t.ordinalNoun.before, "year": &t.ordinalNoun.year, "day": &t.ordinalNoun.day}
	for _, r := range n.lex.Rows("ordinal.noun") {
		for _, w := range r.List(0) {
			sides[r.Value(2)].add(w, r.Value(1))
			if r.Value(2) == "before" {
				t.start(w)
			}
		}
	}
}

// ordinalBeforeNoun returns the rule set of a year of four digits by the word after
// it, such as il in Azerbaijani 1991 il, and of a day of the month by an inflected
// name of one; "" when the word tells nothing.
func (c *cursor) ordinalBeforeNoun(i int) string {
	j := c.skip(i + 1)
	if j == i+1 || c.kind(i) != digits {
		return ""
	}
	y, nouns := arabic(c.text(i)), &c.tables.ordinalNoun.year
	switch {
	case len(y) == 4 && y >= "1100" && y <= "2099":
	case len(y) <= 2 && y[0] != '0' && atoi(y) <= 31:
		nouns = &c.tables.ordinalNoun.day
	default:
		return ""
	}
	set, n := nouns.match(c, j)
	if n == 0 || !c.closes(j+n) {
		return ""
	}
	return set
}

// nounOrdinal reads a small number after a noun that makes it an ordinal: Arabic
// القرن 21, the twenty-first century.
func (c *cursor) nounOrdinal(i int, rule string) (string, int) {
	x, ok := c.number(i)
	if !ok || x.frac != "" || x.below != "" || len(x.whole) > 2 || x.end != i+1 || !c.closes(x.end) {
		return "", 0
	}
	return c.ordinalOf(x, rule, 1)
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
	set, n := c.ordinalBeforeNoun(j+1), 0
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
