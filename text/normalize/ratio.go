package normalize

// readRatio reads 3:2 and 16:9, which are no times.
func readRatio(c *cursor, i int) (string, int) {
	if c.patterns.ratio == "" || !c.is(i+1, ':') || c.kind(i+2) != digits || !c.opens(i) || !c.closes(i+3) {
		return "", 0
	}
	if c.is(i-1, ':') || c.is(i+3, ':') && c.kind(i+4) == digits {
		return "", 0
	}
	a, ok := c.number(i)
	b, ok2 := c.number(i + 2)
	if !ok || !ok2 || a.end != i+1 {
		return "", 0
	}
	x, ok := c.say(a, c.cardinal)
	y, ok2 := c.say(b, c.cardinal)
	if !ok || !ok2 {
		return "", 0
	}
	p := c.patterns.ratio
	if c.scores(i) && c.patterns.score != "" {
		p = c.patterns.score
	}
	return c.joined(p, "{a}", x, "{b}", y), b.end - i
}
