package normalize

// quantity is one number or a range, with what is counted.
type quantity struct {
	a, b    number // b only in a range
	ranged  bool
	falls   bool   // a is over b, and a hyphen with spaces between them may be a minus
	lead    rune   // a plus or plus-minus sign before it
	scale   string // million, lakh …
	of      string // the gender of the scale
	ending  string // of an inflected scale word, for the currency to take
	joined  string // an ending that was written to the scale and belongs to the whole
	money   string // ISO code
	percent bool
	unit    *unit
	// genitive says that the word before asks for that case.
	genitive bool
	end      int // the token after it
	counted  int // the token after the numbers, 0 when a currency stands before them
}

// readQuantity reads numbers with or without a currency, a unit or a per cent
// sign, and ranges of them.
func readQuantity(c *cursor, i int) outcome {
	q, ok := c.quantity(i)
	if !ok {
		return outcome{}
	}
	w, ok := c.sayQuantity(q)
	if !ok && q.counted > 0 {
		// What is counted has no name here: the number alone is read.
		q.end, q.money, q.percent, q.unit = q.counted, "", false, nil
		w, ok = c.sayQuantity(q)
	}
	if !ok || w == "" {
		return outcome{}
	}
	if q.money != "" {
		w = c.unnamed(w, q)
	}
	if q.unit != nil && q.unit.key == "duration-hour" {
		w, q.end = c.minutes(w, q.end)
	}
	if q.unit != nil && q.unit.key == "length-foot" {
		w, q.end = c.inchesAfter(w, q.end)
	}
	if q.unit != nil || q.money != "" || q.scale != "" || q.percent {
		w, q.end = c.perUnit(w, q.end)
		w, q.end = c.wholeRange(w, q)
	}
	if (q.unit != nil || q.money != "") && c.stopsSentence(q.end-1) {
		w += "."
	}
	return said(w, q.end-i)
}

// quantity reads from the token at i on.
func (c *cursor) quantity(i int) (q quantity, ok bool) {
	q.genitive = c.genitive(i)
	j := i
	minus := false
	if c.kind(j) == sign {
		minus, q.lead = c.lead(j)
		if minus || q.lead != 0 {
			j++
		}
	}
	if code, n := c.tables.currency.match(c, j); n > 0 && c.prefixed(j, n) {
		q.money, j = code, c.skip(j+n)
		if c.is(j, '-') || c.is(j, '−') {
			minus = true
			j++
		}
	}
	if c.percentSign(j) && c.opens(j) && c.kind(j+1) == digits {
		q.percent = true
		j++
	}
	if q.a, ok = c.number(j); !ok {
		return q, false
	}
	q.a.minus, q.end = minus, q.a.end
	c.rangeEnd(&q)
	c.scaleAfter(&q)
	if q.money == "" {
		q.counted = q.end
	}
	c.suffix(&q)
	return q, true
}

// lead says what sign stands before a number: a minus, or another one.
func (c *cursor) lead(j int) (minus bool, other rune) {
	r := c.rune(j)
	if c.kind(j-1) == word && c.toks[j-1].dense && c.kind(j-2) == digits {
		return false, 0 // 3万-5万
	}
	if !c.opens(j) || c.is(j-1, ')') || c.is(j-1, '-') || c.kind(j+1) != digits && c.kind(j+1) != sign {
		return false, 0
	}
	switch r {
	case '-', '−', '–', '－':
		// A dash after a space is a minus only where no word goes before it that
		// a list or a pause would put it after: numbers follow at once.
		return r != '–' && (c.kind(j+1) == digits || c.currencySign(j+1) || c.leadingPoint(j+1)), 0
	case '+', '±', '~', '≈', '<', '>', '≤', '≥', '√':
		return false, r
	}
	return false, 0
}

func vulgarAt(c *cursor, k int) bool {
	_, _, ok := vulgar(c.rune(k))
	return ok
}

// suffix reads what stands after the numbers: a currency, a per cent sign or a
// unit.
func (c *cursor) suffix(q *quantity) {
	j := c.skip(q.end)
	if q.money != "" {
		c.moneyTail(q)
		return
	}
	if q.percent {
		return
	}
	if u, n := c.tables.unit.match(c, j); n > 1 && c.kind(j) == sign && c.closes(j+n) {
		q.unit, q.end = u, j+n // a sign with an ending, as in %:n
		return
	}
	if c.percentSign(j) {
		q.percent, q.end = true, j+1
		return
	}
	tail := *q
	if c.roundTail(&tail); tail.end > q.end {
		j = c.skip(tail.end)
	}
	if code, n := c.tables.currency.match(c, j); n > 0 && (c.closes(j+n) || c.toks[j+n-1].kind == sign) && !c.nextPrice(j, n) {
		q.money, q.end = code, j+n
		c.moneyTail(q)
		return
	}
	if tail.end > q.end {
		return
	}
	u, n := c.tables.unit.match(c, j)
	if n > 0 && u.counter && c.toks[j].dense && (c.tables.counterNot[c.text(q.a.start-1)] || q.ranged && c.yearMark(j) && len(q.a.whole) == 4) {
		return // it is the second one, not two, or years
	}
	if n == 0 || !c.closes(j+n) && !c.toks[j+n-1].dense || j != q.end && attached(c.text(j)) && !c.tables.loose[c.text(j)] {
		return
	}
	if n == 1 && c.kind(j) == word && c.is(j+1, '\'') && c.kind(j+2) == word {
		return
	}
	q.unit, q.end = u, j+n
}

// percentSign says that a sign for per cent stands at j.
func (c *cursor) percentSign(j int) bool { return c.is(j, '%') || c.is(j, '٪') || c.is(j, '％') }
