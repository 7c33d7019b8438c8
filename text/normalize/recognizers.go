package normalize

// The recognizers of each kind of token, in the order in which they are tried.
var (
	atDigits = []recognizer{
		readElectronic, readVanity, readExpected, readFigures, readFeet, readRating, readPostcode, readTimestamp, readNumericDate, readTelephone, readTime, readMarkedDate, readAddressNumber,
		readDate, readOrdinal, readDecade, readEra, readRatio, readHyphened, readCode, readQuantity,
	}
	// atDigitsApart are those of atDigits that need nothing which touches the
	// digits from the right.
	atDigitsApart = []recognizer{
		readExpected, readPostcode, readTelephone, readTime, readMarkedDate, readDate, readOrdinal, readEra, readQuantity,
	}
	atWord = []recognizer{
		readElectronic, readExpected, readTimes, readLetteredPostcode, readWeekday, readDate, readPrefixed, readClitic, readContext, readAbbreviation,
		readEraBefore, readQuantity, readVersion, readInitials, readAcronym, readCode,
	}
	atSign = []recognizer{
		readContext, readTelephone, readDashedPostcode, readPath, readQuantity, readTag, readDecade, readSign,
	}
)

// speaks says that a form may begin with the word at i: it is listed, written
// in capitals, or a digit or a sign of an address stands beside it.
func (c *cursor) speaks(i int) bool {
	t := &c.toks[i]
	if t.dense && !c.tables.first.has(t.r) && i != c.expected && c.kind(i+1) != digits {
		return false
	}
	if t.upper || i == c.expected || c.tables.first.has(t.r) && c.tables.starts[t.in(c.s)] || c.upperBut(t.in(c.s), 's') || c.romanStem(t.in(c.s)) > 0 {
		return true
	}
	switch next := c.rune(i + 1); {
	case c.kind(i+1) == digits:
		return true
	case c.kind(i+1) != sign:
		return false
	case next == '@' || next == '.' || next == '_':
		return c.kind(i+2) == word || c.kind(i+2) == digits
	case next == ':' || next == '-' || next == '+':
		return c.is(i+2, '/') || c.kind(i+2) == word || c.kind(i+2) == digits
	case next == '&':
		return true
	}
	return false
}

// readContext notes what a word says of the token after it: a roman numeral, a
// telephone number, a code that is read digit by digit, a score.
func readContext(c *cursor, i int) (string, int) {
	if !c.opens(i) {
		return "", 0
	}
	if _, n := c.tables.phone.match(c, i); n > 0 {
		c.expect(i+n, expectPhone, "")
	} else if _, n := c.tables.pin.match(c, i); n > 0 {
		c.expect(i+n, expectCode, "")
	} else if v, n := c.tables.romanBefore.match(c, i); n > 0 {
		c.expect(i+n, expectRoman, v)
	} else if _, n := c.tables.year.match(c, i); n > 0 {
		c.expect(i+n, expectYear, "")
	} else if _, n := c.tables.timeWord.match(c, i); n > 0 {
		c.expect(i+n, expectTime, "")
	}
	if v, n := c.tables.ordinalNoun.match(c, i); n > 0 && c.kind(c.skip(i+n)) == digits {
		c.expect(i+n, expectOrdinal, v)
	}
	if _, n := c.tables.score.match(c, i); n > 0 {
		c.scored = i + 1
	}
	return "", 0
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
