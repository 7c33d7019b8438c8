package normalize

import "strings"

// states are the postal abbreviations of the states of the USA.
var states = setOf("AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV " +
	"NH NJ NM NY NC ND OH OK OR PA PR RI SC SD TN TX UT VT VA WA WV WI WY")

// readPostcode reads a postal code that what stands before it gives away: six
// digits after a place and a dash in South Asia, five after a state of the USA.
func readPostcode(c *cursor, i int) outcome {
	if c.kind(i-1) != space || !c.opens(i) {
		return outcome{}
	}
	if c.Normalizer.code == "en" && c.kind(i-2) == word && states[c.text(i-2)] && c.opens(i-2) {
		if w, n := c.zip(i); n > 0 {
			return said(w, n)
		}
	}
	if w, n := c.european(i); n > 0 {
		return said(w, n)
	}
	if !c.phones {
		return outcome{}
	}
	dashed := c.kind(i-2) == sign && dash(c.rune(i-2)) && c.kind(i-3) == space && c.kind(i-4) == word
	if !dashed && !c.placeBefore(i) {
		return outcome{}
	}
	return said(c.pincode(i))
}

// european reads the postal codes of the Netherlands, four digits and two
// capitals, 1012 AB, and of Poland, 00-950 before the name of a place.
func (c *cursor) european(i int) (string, int) {
	d, next := c.text(i), c.text(i+2)
	switch c.Normalizer.code {
	case "nl":
		if len(d) != 4 || d[0] == '0' || c.kind(i+1) != space || c.kind(i+2) != word || len(next) != 2 || !c.toks[i+2].upper || !c.closes(i+3) {
			return "", 0
		}
		if _, n := c.tables.unit.match(c, i+2); n > 0 {
			return "", 0 // 1500 MB
		}
		if w, ok := c.spell(d); ok {
			return w + " " + next[:1] + " " + next[1:], 3
		}
	case "pl":
		if len(d) != 2 || !c.is(i+1, '-') || c.kind(i+2) != digits || len(next) != 3 || c.kind(i+3) != space || !c.capitalized(i+4) || c.toks[i+4].upper {
			return "", 0
		}
		if w, ok := c.spell(d + next); ok {
			return w, 3
		}
	}
	return "", 0
}

// readDashedPostcode reads six digits that a dash joins to a place: Pune-411030.
func readDashedPostcode(c *cursor, i int) outcome {
	if !c.phones || !dash(c.rune(i)) || c.kind(i-1) != word || c.kind(i+1) != digits || c.kind(i-2) == sign {
		return outcome{}
	}
	if c.toks[i-1].r < 0x250 && (!c.capitalized(i-1) || c.toks[i-1].upper) {
		return outcome{}
	}
	w, n := c.pincode(i + 1)
	if n == 0 {
		return outcome{}
	}
	return said(" "+w, n+1)
}

// placeBefore says that the number at i ends what is written, after a name with
// a capital: Mumbai 400001.
// Names in scripts without capitals have a comma before them: पुणे in
// "शिवाजीनगर, पुणे 411005".
func (c *cursor) placeBefore(i int) bool {
	listed := c.kind(i-2) == word && c.toks[i-2].r >= 0x600 && c.kind(i-3) == space && c.listComma(i-4) && runeLen(c.text(i)) == 6
	if !listed && (!c.capitalized(i-2) || c.toks[i-2].upper || c.toks[i-2].end-c.toks[i-2].start < 3 || runeLen(c.text(i)) != 6) {
		return false
	}
	k := c.kind(i + 1)
	return k == 0 || k == sign && c.kind(i+2) != digits && !c.percentSign(i+1) && !c.is(i+1, '/')
}

// listComma says that a comma stands at i.
func (c *cursor) listComma(i int) bool { return c.is(i, ',') || c.is(i, '،') }

// pincode reads an Indian postal code, 411030 or 411 030. Round numbers are
// amounts.
func (c *cursor) pincode(i int) (string, int) {
	d, n := arabic(c.text(i)), 1
	if len(d) == 3 && c.skip(i+1) > i+1 && c.kind(i+2) == digits && c.rune(i+1) == ' ' {
		d, n = d+arabic(c.text(i+2)), 3
	}
	j := i + n
	if len(d) != 6 || d[0] == '0' || strings.HasSuffix(d, "000") || !c.closes(j) || c.counted(c.skip(j)) {
		return "", 0
	}
	if c.kind(j) == sign && (c.kind(j+1) == digits || c.percentSign(j) || c.is(j, '/')) {
		return "", 0
	}
	w, ok := c.spell(d)
	if !ok {
		return "", 0
	}
	return w, n
}

// zip reads a postal code of the USA, 94105 or 97201-1234.
func (c *cursor) zip(i int) (string, int) {
	d, n := c.text(i), 1
	if len(d) != 5 || !c.closes(i+1) || c.is(i+1, '.') && c.kind(i+2) == digits || c.is(i+1, ',') && c.kind(i+2) == digits || c.is(i+1, '%') {
		return "", 0
	}
	if c.is(i+1, '-') && c.kind(i+2) == digits && len(c.text(i+2)) == 4 && c.closes(i+3) {
		d, n = d+c.text(i+2), 3
	}
	w, ok := c.spell(d)
	if !ok {
		return "", 0
	}
	return w, n
}

// readLetteredPostcode reads a British postal code: SW1A 1AA.
func readLetteredPostcode(c *cursor, i int) outcome {
	if !c.opens(i) || !c.toks[i].upper || len(c.text(i)) > 2 || c.kind(i+1) != digits || len(c.text(i+1)) > 2 {
		return outcome{}
	}
	j := i + 2
	if c.kind(j) == word && c.toks[j].upper && len(c.text(j)) == 1 {
		j++
	}
	inward := c.text(j + 2)
	if c.kind(j) != space || c.skip(j) == j || c.kind(j+1) != digits || len(c.text(j+1)) != 1 || c.kind(j+2) != word ||
		len(inward) != 2 || !c.toks[j+2].upper || strings.ContainsAny(inward, "CIKMOV") || !c.closes(j+3) {
		return outcome{}
	}
	if _, n := c.tables.unit.match(c, j+2); n > 0 {
		return outcome{}
	}
	var parts []string
	for k := i; k < j+3; k++ {
		switch c.kind(k) {
		case word:
			parts = append(parts, c.letters(c.text(k)))
		case digits:
			w, ok := c.spell(arabic(c.text(k)))
			if !ok {
				return outcome{}
			}
			parts = append(parts, w)
		}
	}
	return said(c.join(parts...), j+3-i)
}
