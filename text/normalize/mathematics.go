package normalize

import "strings"

// compares says that the angle bracket at i stands between what it compares and
// is not part of a tag: with spaces on both sides, or beside a number.
func (c *cursor) compares(i int) bool {
	before, after := c.kind(i-1), c.kind(i+1)
	if before == space || after == space {
		return before == after
	}
	return before == digits || after == digits
}

// operatorAt reads a sign of mathematics that stands between operands.
func (c *cursor) operatorAt(i int) (string, int) {
	r := c.rune(i)
	left, right := c.back1(i-1), c.skip(i+1)
	if r == '√' {
		left = i
	}
	if r == '+' && c.kind(i-1) == digits && c.kind(i+1) == space && runeLen(c.text(i+2)) > 1 && c.kind(i+2) == word {
		return c.word(i, c.leadName(r)) // 30+ years
	}
	if !c.operandAfter(right, r) || !c.operand(left, r) && !unmistakable(r) {
		return "", 0
	}
	if (r == '<' || r == '>') && !c.compares(i) {
		return "", 0
	}
	w := c.mathName(r)
	switch r {
	case '-':
		w = c.names.minus
		if !c.formula(left, right) {
			return "", 0
		}
	case '*':
		w = c.names.times
	case '/':
		w = c.names.divided
		if !c.formula(left, right) {
			return "", 0
		}
	}
	if w == "" {
		return "", 0
	}
	return c.word(i, w)
}

// unmistakable says that a sign is of mathematics whatever is to its left.
func unmistakable(r rune) bool {
	switch r {
	case '×', '÷', '±', '≠', '≤', '≥', '≈', '√':
		return true
	}
	return false
}

// readTimes reads the letter x between numbers: 1920x1080.
func readTimes(c *cursor, i int) outcome {
	if t := c.text(i); t != "x" && t != "х" || c.names.times == "" {
		return outcome{}
	}
	left, right := c.back1(i-1), c.skip(i+1)
	if left == i-1 && c.text(left) == "0" {
		return outcome{} // 0x1F
	}
	if !c.sized(left) || c.kind(right) != digits || (left == i-1) != (right == i+1) {
		return outcome{}
	}
	if c.formula(left, right) {
		return said(c.word(i, c.names.times))
	}
	return said(c.word(i, c.names.by))
}

// sized says that a number ends at i, or a unit or a sign for inches after one.
func (c *cursor) sized(i int) bool {
	if c.kind(i) == digits {
		return true
	}
	if c.kind(c.back1(i-1)) != digits {
		return false
	}
	_, n := c.tables.unit.match(c, i)
	return n == 1 || c.is(i, '"')
}

// operand says that what stands at i may be the left side of a sign: a number,
// a bracket, or a single letter of a formula.
func (c *cursor) operand(i int, r rune) bool {
	switch {
	case c.kind(i) == digits:
		return true
	case c.kind(i) == word:
		n := c.toks[i].end - c.toks[i].start
		return n == 1 || c.kind(i-1) == digits && n <= 3 && c.toks[i].r < 0x250 || r == '=' && n < 12
	case c.kind(i) == sign:
		return strings.ContainsRune(")²³%½¼¾°", c.rune(i))
	}
	return false
}

func (c *cursor) operandAfter(i int, r rune) bool {
	if c.kind(i) == sign {
		return strings.ContainsRune("(-−+√½¼¾∞", c.rune(i)) && c.rune(i) != r || c.currencySign(i)
	}
	return c.operand(i, r)
}

// formula says that a hyphen or slash stands in a formula: another sign of
// mathematics is near.
func (c *cursor) formula(left, right int) bool {
	return c.operator(c.skip(right+1)) || c.operator(c.back1(left-1))
}

// raised reads a power of two or three after its base.
func (c *cursor) raised(i int) (string, int) {
	p := c.names.squared
	if c.rune(i) == '³' {
		p = c.names.cubed
	}
	if p == "" || c.kind(i-1) != word && c.kind(i-1) != digits && !c.is(i-1, ')') {
		return "", 0
	}
	w := strings.TrimSpace(fill1(p, "{n}", ""))
	return c.word(i, w)
}

// operator says that a sign of mathematics stands at j.
func (c *cursor) operator(j int) bool {
	if c.kind(j) != sign {
		return false
	}
	switch c.toks[j].r {
	case '=', '+', '×', '÷', '≠', '≈', '√', '^', '²', '³', '*':
		return true
	}
	return false
}
