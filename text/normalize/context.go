package normalize

// compileContexts reads the words that tell apart forms which are written alike.
func (n *Normalizer) compileContexts() {
	n.told("score.word", &n.tables.score)
	if n.names.times != "" {
		n.tables.start("x")
	}
}

// readContext notes what a word says of the token after it: a roman numeral, a
// telephone number, a code that is read digit by digit, a score.
func readContext(c *cursor, i int) (string, int) {
	if !c.opens(i) {
		return "", 0
	}
	if !c.expectCode(i) {
		c.expectNumber(i)
	}
	if v, n := c.tables.ordinalNoun.before.match(c, i); n > 0 && c.kind(c.skip(i+n)) == digits {
		c.expect(i+n, expectOrdinal, v)
	}
	if _, n := c.tables.score.match(c, i); n > 0 {
		c.scored = i + 1
	}
	return "", 0
}

// expectNumber notes what kind of number the words at i say will follow.
func (c *cursor) expectNumber(i int) {
	if rule, n := c.tables.romanBefore.match(c, i); n > 0 {
		c.expect(i+n, expectRoman, rule)
	} else if _, n := c.tables.year.match(c, i); n > 0 {
		c.expect(i+n, expectYear, "")
	} else if _, n := c.tables.timeWord.match(c, i); n > 0 {
		c.expect(i+n, expectTime, "")
	}
}

// spans says that a dash and another number follow, as after the first of two years.
func (c *cursor) spans(j int) bool {
	return c.kind(j) == sign && (dash(c.rune(j)) || c.is(j, '/')) && c.kind(j+1) == digits
}

// expectation is what the word before a token says of it.
type expectation uint8

const (
	expectPhone expectation = iota + 1
	expectCode
	expectRoman
	expectYear
	expectTime
	expectOrdinal
	expectPostcode // only of a text that goes before another
)

// expect notes that something is expected at i, or after the punctuation there.
func (c *cursor) expect(i int, e expectation, rule string) {
	if c.is(i, '.') || c.is(i, ':') {
		i++
	}
	i = c.skip(i)
	if c.is(i, ':') || c.is(i, '-') || c.is(i, '#') {
		i = c.skip(i + 1)
	}
	if c.is(i, '[') || c.is(i, '【') {
		i++ // a code to be copied: 인증번호 [123456]
	}
	c.expected, c.expectation, c.rule = i, e, rule
}

// readExpected reads what the word before said would come.
func readExpected(c *cursor, i int) (string, int) {
	if i != c.expected {
		return "", 0
	}
	switch c.expectation {
	case expectPhone:
		return c.phone(i, true)
	case expectCode:
		return c.serial(i)
	case expectRoman:
		return c.roman(i, c.rule)
	case expectTime:
		c.timed = i
		return readTime(c, i)
	case expectOrdinal:
		return c.nounOrdinal(i, c.rule)
	case expectYear:
		if w, n := readDecade(c, i); n > 0 {
			return w, n
		}
		if x, ok := c.number(i); ok && len(x.whole) == 4 && x.frac == "" && x.below == "" && !c.spans(x.end) && c.closes(x.end) && x.end == i+1 {
			w, ok := c.sayYear(x.whole, "")
			if ok {
				return w, 1
			}
		}
	}
	return "", 0
}

// expectCode notes that a telephone number or a code follows when the words at i
// say so, and says whether they do.
func (c *cursor) expectCode(i int) bool {
	if _, n := c.tables.phone.match(c, i); n > 0 {
		c.expect(i+n, expectPhone, "")
		return true
	}
	_, n := c.tables.pin.match(c, i)
	if n > 0 {
		c.expect(i+n, expectCode, "")
	}
	return n > 0
}
