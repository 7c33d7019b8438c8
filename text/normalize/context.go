package normalize

// compileContexts reads the words that tell apart forms which are written alike.
func (n *Normalizer) compileContexts() {
	n.told("score.word", &n.tables.score)
	if n.names.times != "" {
		n.tables.start("x")
	}
}

// readScore notes that a word for the result of a match stands at i.
func readScore(c *cursor, i int) outcome {
	if c.opens(i) {
		if _, n := c.tables.score.match(c, i); n > 0 {
			return outcome{note: note{kind: noteScore, at: i + 1}}
		}
	}
	return outcome{}
}

// readContext notes what a word says of the token after it: a roman numeral, a
// telephone number, a code that is read digit by digit, an ordinal.
func readContext(c *cursor, i int) outcome {
	if !c.opens(i) {
		return outcome{}
	}
	o := outcome{note: c.expectCode(i)}
	if o.note.kind == 0 {
		o.note = c.expectNumber(i)
	}
	if v, n := c.tables.ordinalNoun.before.match(c, i); n > 0 && c.kind(c.skip(i+n)) == digits {
		o.note = c.expect(i+n, expectOrdinal, v)
	}
	return o
}

// expectNumber notes what kind of number the words at i say will follow.
func (c *cursor) expectNumber(i int) note {
	if rule, n := c.tables.romanBefore.match(c, i); n > 0 {
		return c.expect(i+n, expectRoman, rule)
	} else if _, n := c.tables.year.match(c, i); n > 0 {
		return c.expect(i+n, expectYear, "")
	} else if _, n := c.tables.timeWord.match(c, i); n > 0 {
		return c.expect(i+n, expectTime, "")
	}
	return note{}
}

// spans says that a dash and another number follow, as after the first of two years.
func (c *cursor) spans(j int) bool {
	return c.kind(j) == sign && (dash(c.rune(j)) || c.is(j, '/')) && c.kind(j+1) == digits
}

// expect notes that something is expected at i, or after the punctuation there.
func (c *cursor) expect(i int, kind noteKind, rule string) note {
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
	return note{kind, i, rule}
}

// readExpected reads what the word before said would come.
func readExpected(c *cursor, i int) outcome {
	if i != c.expected {
		return outcome{}
	}
	switch c.expectation {
	case expectPhone:
		return said(c.phone(i, true))
	case expectCode:
		return said(c.serial(i))
	case expectRoman:
		return said(c.roman(i, c.rule))
	case expectTime:
		return said(c.time(i, true))
	case expectOrdinal:
		return said(c.nounOrdinal(i, c.rule))
	case expectYear:
		if o := readDecade(c, i); o.tokens > 0 {
			return o
		}
		if x, ok := c.number(i); ok && len(x.whole) == 4 && x.frac == "" && x.below == "" && !c.spans(x.end) && c.closes(x.end) && x.end == i+1 {
			if w, ok := c.sayYear(x.whole, ""); ok {
				return said(w, 1)
			}
		}
	}
	return outcome{}
}

// expectCode notes that a telephone number or a code follows when the words at i
// say so.
func (c *cursor) expectCode(i int) note {
	if _, n := c.tables.phone.match(c, i); n > 0 {
		return c.expect(i+n, expectPhone, "")
	}
	if _, n := c.tables.pin.match(c, i); n > 0 {
		return c.expect(i+n, expectCode, "")
	}
	return note{}
}
