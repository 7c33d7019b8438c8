package normalize

// apostrophe says that a rune is an apostrophe, straight or curled.
func apostrophe(r rune) bool { return r == '\'' || r == '’' || r == '‘' }

// readFeet reads feet and inches, 6'2", and inches alone, 12".
func readFeet(c *cursor, i int) outcome {
	if !c.opens(i) || c.kind(i+1) != sign {
		return outcome{}
	}
	r := c.rune(i + 1)
	if !apostrophe(r) && r != '′' {
		return c.inches(i)
	}
	feet, inches := arabic(c.text(i)), arabic(c.text(i+2))
	if c.kind(i+2) != digits || len(feet) > 2 || len(inches) > 2 || atoi(inches) > 11 {
		return outcome{}
	}
	end := c.inchSign(i + 3)
	if !c.closes(end) {
		return outcome{}
	}
	// Without the mark it must be a body's height, and no quotation.
	if end == i+3 && (len(feet) > 1 || feet < "3" || feet > "7" || c.kind(i-1) != space || c.kind(end) != space) {
		return outcome{}
	}
	w, ok := c.length(feet, "length-foot")
	v, ok2 := c.length(inches, "length-inch")
	if !ok || !ok2 {
		return outcome{}
	}
	return outcome{c.join(w, v), end - i, note{kind: noteInches, at: end}}
}

// inchSign returns the token after a sign for inches at j, j for none.
func (c *cursor) inchSign(j int) int {
	switch r := c.rune(j); {
	case r == '"', r == '”', r == '″':
		return j + 1
	case apostrophe(r) && c.rune(j+1) == r:
		return j + 2
	}
	return j
}

// inches reads inches with a straight mark that ends no quotation.
func (c *cursor) inches(i int) outcome {
	if !c.is(i+1, '"') && !(c.kind(i+2) == digits && c.is(i+3, '"')) {
		return outcome{}
	}
	x, ok := c.number(i)
	if !ok || x.below != "" || !c.is(x.end, '"') || !c.closes(x.end+1) || len(x.whole) > 3 || c.quoted {
		return outcome{}
	}
	w, ok := c.length(x.decimal(), "length-inch")
	if !ok {
		return outcome{}
	}
	return outcome{w, x.end + 1 - i, note{kind: noteInches, at: x.end + 1}}
}

// inchesAfter reads the inches after feet, 5 ft 8 in. w are the words so far,
// and the result has the token after what was read.
func (c *cursor) inchesAfter(w string, end int) (string, int) {
	i := c.skip(end)
	inches := arabic(c.text(i))
	j := c.skip(i + 1)
	if c.kind(i) != digits || len(inches) > 2 || atoi(inches) > 11 || c.text(j) != "in" && c.text(j) != "inches" || !c.closes(j+1) {
		return w, end
	}
	v, ok := c.length(inches, "length-inch")
	if !ok {
		return w, end
	}
	return c.join(w, v), j + 1
}

// length reads a decimal number with a unit of length.
func (c *cursor) length(decimal, key string) (string, bool) {
	u := c.unitOf(key)
	if u == nil {
		return "", false
	}
	whole, frac := decimal, ""
	for k := range len(decimal) {
		if decimal[k] == '.' {
			whole, frac = decimal[:k], decimal[k+1:]
		}
	}
	return c.count(quantity{a: number{whole: whole, frac: frac}}, u.forms, u.gender)
}
