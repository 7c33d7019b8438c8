package normalize

// sayPlain reads numbers that count nothing we know: a year, a range, a score
// or a plain number.
func (n *Normalizer) sayPlain(c *cursor, q quantity) (string, bool) {
	if q.ranged && q.scale == "" && q.lead == 0 {
		return n.sayPlainRange(c, q)
	}
	if q.scale == "" && q.lead == 0 && !q.a.minus && n.yearLike(c, q.a) {
		return n.sayYear(q.a.whole, "")
	}
	if c.numbers(q.a.start) {
		return n.sayNumbers(q, n.cardinal) // fr TGV n° 6631 part
	}
	return n.sayNumbers(q, c.agreement(q.end).set)
}

// sayPlainRange reads a range of numbers or years, or a score.
func (n *Normalizer) sayPlainRange(c *cursor, q quantity) (string, bool) {
	a, b := q.a, q.b
	if n.patterns.yearSpan != "" && len(a.whole) == 4 && len(b.whole) == 2 && a.decimal() == a.whole && b.decimal() == b.whole && !a.groups &&
		atoi(b.whole) == (atoi(a.whole)+1)%100 {
		x, ok := n.sayYear(a.whole, "")
		y, ok2 := n.sayInt(atoi(b.whole), "")
		return n.joined(n.patterns.yearSpan, "{a}", x, "{b}", y), ok && ok2
	}
	if (n.yearLike(c, a) || len(a.whole) == 4 && c.yearMark(b.end)) && b.frac == "" && b.below == "" && (len(b.whole) == 4 || len(b.whole) == 2) {
		x, ok := n.sayYear(a.whole, "")
		y, ok2 := n.sayYear(b.whole, "")
		return n.sayRange(x, y), ok && ok2
	}
	counted := c.agreement(q.end)
	first := counted.set
	if counted.last {
		first = n.cardinal
	}
	x, ok := n.say(a, n.governed(q, first))
	y, ok2 := n.say(b, n.governed(q, counted.set))
	if !ok || !ok2 {
		return "", false
	}
	if q.falls && !c.scores(a.start) && n.names.minus != "" {
		return n.join(x, n.names.minus, y), true
	}
	score := a.frac == "" && b.frac == "" && len(a.whole) < 3 && len(b.whole) < 3 && (c.scores(a.start) || atoi(a.whole) >= atoi(b.whole))
	if score && n.patterns.score != "" {
		return n.sayPair(n.patterns.score, a, b)
	}
	if n.patterns.span == "" {
		return x + c.s[c.toks[a.end].start:c.toks[b.start].start] + y, true
	}
	return n.sayRange(x, y), true
}

// yearLike says that a number is read as a year: four digits from 1100 to 2099
// in a language that reads years otherwise, or where a word for a year stands
// before it.
func (n *Normalizer) yearLike(c *cursor, x number) bool {
	if x.frac != "" || x.groups || x.below != "" || len(x.whole) != 4 || x.minus {
		return false
	}
	v := atoi(x.whole)
	return n.years && v >= 1100 && v <= 2099 && c.yearAround(x)
}

// yearMark says that the mark after a year stands at i, in a language that has
// one: 2019-2024年.
func (c *cursor) yearMark(i int) bool {
	return c.tables.marks[0] != "" && c.text(i) == c.tables.marks[0]
}

// yearAround says that nothing around a number shows that it counts something.
func (c *cursor) yearAround(x number) bool {
	return c.closes(x.end) && !c.operator(c.skip(x.end)) && !c.operator(c.back1(x.start-1))
}
