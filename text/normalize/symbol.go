package normalize

import "strings"

// signName returns the word for a sign in an address or a formula, "" for none.
func (n *Normalizer) signName(r rune) string {
	w := &n.names
	switch r {
	case '@':
		return w.at
	case '.':
		return w.dot
	case '/':
		return w.slash
	case '\\':
		return w.backslash
	case '-', '‑':
		return w.hyphen
	case '_':
		return w.underscore
	case '#':
		return w.hash
	case '&', '＆':
		return w.and
	case '*':
		return w.star
	case ':':
		return w.colon
	case '~':
		return w.tilde
	}
	return n.mathName(r)
}

// leadName returns the word for a sign before a number that has no left side.
func (n *Normalizer) leadName(r rune) string {
	if w := n.tables.leads[string(r)]; w != "" {
		return w
	}
	if r == '~' {
		return n.names.approximately
	}
	return n.mathName(r)
}

// mathName returns the word for a sign of mathematics, "" for none.
func (n *Normalizer) mathName(r rune) string {
	w := &n.names
	switch r {
	case '+', '＋':
		return w.plus
	case '−':
		return w.minus
	case '±':
		return w.plusMinus
	case '×', '·', '✕':
		return w.times
	case '÷':
		return w.divided
	case '=', '＝':
		return w.equals
	case '≠':
		return w.notEqual
	case '<':
		return w.less
	case '>':
		return w.greater
	case '≤':
		return w.lessEqual
	case '≥':
		return w.greaterEqual
	case '≈':
		return w.approximately
	case '√':
		return w.root
	case '∞':
		return w.infinity
	case '^':
		return w.power
	}
	if s, ok := n.tables.signs[string(r)]; ok {
		return s
	}
	return n.loc.Symbols[string(r)]
}

// readSign reads a sign that stands alone: of mathematics between its operands,
// an ampersand between words, and those that are words themselves.
func readSign(c *cursor, i int) (string, int) {
	r := c.rune(i)
	if w, ok := c.tables.signs[string(r)]; ok && w == "" {
		return "", 0
	}
	switch r {
	case '²', '³':
		return c.raised(i)
	case '+', '=', '×', '÷', '*', '^', '<', '>', '−', '-', '/', '±', '≠', '≤', '≥', '≈', '√', '·':
		return c.operatorAt(i)
	case '&', '＆':
		if c.names.and != "" && !c.is(i+1, '&') {
			return c.word(i, c.names.and)
		}
		return "", 0
	case '@':
		if c.kind(i-1) == space && c.kind(i+1) == space {
			return c.names.at, min(len(c.names.at), 1)
		}
		return "", 0
	case '\'', '’', '(', '`', '|', '_', '\\', '~', '–', '«', '»', '¿', '¡', '„', '#', '‘':
		return "", 0
	}
	if _, ok := c.tables.signs[string(r)]; ok || spoken(r) {
		if w := c.mathName(r); w != "" {
			return c.word(i, w)
		}
	}
	if silent(r) {
		return "", c.picture(i)
	}
	return "", 0
}

// picture returns how many tokens a picture takes with the joiners, selectors
// and further signs that belong to it.
func (c *cursor) picture(i int) int {
	j := i + 1
	for j-i < lookahead && j < len(c.toks) {
		c.steps++
		t := c.toks[j]
		if joiner := t.kind == word && (t.r == 0x200D || t.r == 0xFE0F); !joiner && !(t.kind == sign && silent(t.r)) {
			break
		}
		if t.kind == word && t.end-t.start > len("\u200d\ufe0f") {
			break // letters follow
		}
		j++
	}
	return j - i
}

// spoken says that a sign is a word by itself, wherever it stands.
func spoken(r rune) bool {
	return strings.ContainsRune("%‰§©®™°€£¥₹$→←↑↓∞∑∏∫∂∆∈∪∩≡π", r) && r != 0xFFFD
}

// silent says that a sign is a picture, which is not read.
func silent(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF || r == 0xFE0F || r >= 0x2B00 && r <= 0x2BFF || r == '•'
}

// word returns a word for the sign at i with the space that parts it from what
// touches the sign.
func (c *cursor) word(i int, w string) (string, int) {
	if !c.spaced {
		return w, 1
	}
	if c.kind(i-1) != 0 && c.kind(i-1) != space && !strings.ContainsRune("([{\"'“", c.rune(i-1)) {
		w = " " + w
	}
	if k := c.kind(i + 1); k == word && !c.toks[i+1].dense || k == digits || c.is(i+1, '(') {
		w += " "
	}
	return w, 1
}

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
func readTimes(c *cursor, i int) (string, int) {
	if t := c.text(i); t != "x" && t != "х" || c.names.times == "" {
		return "", 0
	}
	left, right := c.back1(i-1), c.skip(i+1)
	if !c.sized(left) || c.kind(right) != digits || (left == i-1) != (right == i+1) {
		return "", 0
	}
	if c.formula(left, right) {
		return c.word(i, c.names.times)
	}
	return c.word(i, c.names.by)
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
