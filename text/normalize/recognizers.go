package normalize

// The recognizers of each kind of token, in the order in which they are tried.
var (
	atDigits = []recognizer{
		readElectronic, readVanity, readExpected, readMarkedDate, readFigures, readFeet, readRating, readPostcode, readTimestamp, readNumericDate,
		readTelephone, readTime, readAddressNumber, readDate, readOrdinal, readDecade, readEra, readRatio, readHyphened, readCode, readQuantity,
	}
	// atDigitsApart are those of atDigits that need nothing which touches the
	// digits from the right.
	atDigitsApart = []recognizer{
		readExpected, readPostcode, readTelephone, readTime, readMarkedDate, readDate, readOrdinal, readEra, readQuantity,
	}
	atWord = []recognizer{
		readElectronic, readExpected, readTimes, readLetteredPostcode, readWeekday, readDate, readPrefixed, readClitic, readScore, readContext, readAbbreviation,
		readEraBefore, readQuantity, readVersion, readInitials, readAcronym, readCode,
	}
	atSign = []recognizer{
		readScore, readContext, readTelephone, readDashedPostcode, readPath, readQuantity, readTag, readDecade, readSign,
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
