package normalize

// wholeRange reads the other end of a range whose ends both name what they
// count: 5 km – 7 km. w are the words for q, and the result has the token after
// what was read.
func (c *cursor) wholeRange(w string, q quantity) (string, int) {
	j := c.skip(q.end)
	if c.kind(j) != sign || !dash(c.rune(j)) || q.ranged || c.patterns.span == "" {
		return w, q.end
	}
	k := c.skip(j + 1)
	if (j > q.end) != (k > j+1) || c.kind(k) != digits && !c.currencySign(k) && !c.negativeEnd(c.rune(j), k) {
		return w, q.end
	}
	to, ok := c.quantity(k)
	if plain := q.unit == nil && q.money == ""; !ok || to.ranged || !plain && (to.unit != q.unit || to.money != q.money) || plain && to.scale == "" {
		return w, q.end
	}
	to.genitive = q.genitive
	v, ok := c.sayQuantity(to)
	if !ok {
		return w, q.end
	}
	return c.sayRange(w, v), to.end
}

// dash says that a rune may part the ends of a range.
func dash(r rune) bool {
	switch r {
	case '-', '–', '‑', '—', '~', '〜', '～', '‒', '−':
		return true
	}
	return false
}

// rangeEnd reads the other end of a range, if there is one.
func (c *cursor) rangeEnd(q *quantity) {
	j := q.end
	if c.is(j, '%') {
		j++
	}
	spaced := c.kind(j) == space
	j = c.skip(j)
	r := c.rune(j)
	if c.kind(j) != sign || !dash(r) || spaced && r != '–' && (r != '-' || c.kind(j+1) != space) {
		return
	}
	k := c.skip(j + 1)
	if spaced != (k > j+1) {
		return
	}
	if code, n := c.tables.currency.match(c, k); n > 0 && code == q.money && c.kind(k) == sign {
		k += n
	}
	minus := c.negativeEnd(r, k)
	if minus {
		k++
	}
	b, ok := c.number(k)
	b.minus = minus
	if !ok || c.operator(c.skip(b.end)) || c.operator(c.back1(q.a.start-1)) || c.dashed(b.end) || len(q.a.whole) > most {
		return
	}
	if len(b.whole) > most || b.frac == "" && len(b.whole) > 1 && b.whole[0] == '0' || q.a.whole == "" && q.a.above == "" {
		return
	}
	if spaced && r == '-' && c.kind(q.end) == space && !c.plainRange(b) {
		return
	}
	q.b, q.ranged, q.end = b, true, b.end
	q.falls = spaced && r == '-' && q.a.above == "" && b.above == "" && atoi(q.a.whole) > atoi(b.whole) && c.kind(c.skip(b.end)) != word
}

// negativeEnd says that a minus and a digit stand at k, after a sign r of a range
// that is no hyphen itself: -10〜-5.
func (c *cursor) negativeEnd(r rune, k int) bool {
	return (r == '~' || r == '〜' || r == '–') && (c.is(k, '-') || c.is(k, '−')) && c.kind(k+1) == digits
}

// plainRange says that a number after a spaced hyphen ends a range and is not
// the next item: a unit, a currency or nothing but punctuation follows.
func (c *cursor) plainRange(b number) bool { return c.kind(b.end) != word }

// dashed says that another dash and digit follow, so that it is no range.
func (c *cursor) dashed(j int) bool {
	return c.kind(j) == sign && (c.toks[j].r == '-' || c.toks[j].r == '/') && c.kind(j+1) == digits
}

// sayRange puts the words for the ends of a range together.
func (n *Normalizer) sayRange(a, b string) string {
	if n.patterns.span == "" {
		return a + "–" + b
	}
	return n.joined(n.patterns.span, "{a}", a, "{b}", b)
}
