package normalize

import "strings"

// readRatio reads 3:2 and 16:9, which are no times.
func readRatio(c *cursor, i int) outcome {
	if c.patterns.ratio == "" || !c.is(i+1, ':') || c.kind(i+2) != digits || !c.opens(i) || !c.closes(i+3) {
		return outcome{}
	}
	if c.is(i-1, ':') || c.is(i+3, ':') && c.kind(i+4) == digits {
		return outcome{}
	}
	a, ok := c.number(i)
	b, ok2 := c.number(i + 2)
	if !ok || !ok2 || a.end != i+1 {
		return outcome{}
	}
	p := c.patterns.ratio
	if c.scores(i) && c.patterns.score != "" {
		p = c.patterns.score
	}
	w, ok := c.sayPair(p, a, b)
	if !ok {
		return outcome{}
	}
	return said(w, b.end-i)
}

// sayPair reads two numbers in a pattern: {a} and {b}, or {b:SET} by a rule set.
func (n *Normalizer) sayPair(pattern string, a, b number) (string, bool) {
	if !strings.Contains(pattern, ":") {
		x, ok := n.say(a, n.cardinal)
		y, ok2 := n.say(b, n.cardinal)
		return n.joined(pattern, "{a}", x, "{b}", y), ok && ok2
	}
	return fill(pattern, func(name, set string) (string, bool) {
		x := a
		if name == "b" {
			x = b
		}
		return n.say(x, n.firstSet(set, n.cardinal))
	})
}
