package normalize

import "strings"

// readSign reads a sign that stands alone: of mathematics between its operands,
// an ampersand between words, and those that are words themselves.
func readSign(c *cursor, i int) outcome {
	r := c.rune(i)
	if w, ok := c.tables.signs[string(r)]; ok && w == "" {
		return outcome{}
	}
	switch r {
	case '²', '³':
		return said(c.raised(i))
	case '*':
		if w, n := c.key(i); n > 0 {
			return said(w, n)
		}
		return said(c.operatorAt(i))
	case '+', '=', '×', '÷', '^', '<', '>', '−', '-', '/', '±', '≠', '≤', '≥', '≈', '√', '·':
		return said(c.operatorAt(i))
	case '&', '＆':
		if c.names.and != "" && !c.is(i+1, '&') {
			return said(c.word(i, c.names.and))
		}
		return outcome{}
	case '@':
		if c.kind(i-1) == space && c.kind(i+1) == space {
			return said(c.names.at, min(len(c.names.at), 1))
		}
		return outcome{}
	case '#':
		return said(c.key(i))
	case '\'', '’', '(', '`', '|', '_', '\\', '~', '–', '«', '»', '¿', '¡', '„', '‘':
		return outcome{}
	}
	if _, ok := c.tables.signs[string(r)]; ok || spoken(r) {
		if w := c.mathName(r); w != "" {
			return said(c.word(i, w))
		}
	}
	if silent(r) {
		return said("", c.picture(i))
	}
	return outcome{}
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
