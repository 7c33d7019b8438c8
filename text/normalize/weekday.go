package normalize

// readWeekday reads a day of the week before a date.
func readWeekday(c *cursor, i int) outcome {
	w, n := c.tables.weekday.match(c, i)
	if n == 0 || !c.opens(i) {
		return outcome{}
	}
	j := i + n
	if w, n := c.weekdays(w, j); n > 0 {
		return said(w, j+n-i)
	}
	if c.is(j, ',') || c.is(j, '،') {
		j++
	}
	if k := c.skip(j); k > j {
		j = k
	} else {
		return outcome{}
	}
	d, e := c.namedDate(j)
	if e == j && c.kind(j) == digits {
		var m int
		d, m = c.numericDate(j)
		e = j + m
	}
	if e == j {
		return outcome{}
	}
	d.weekday = w
	return said(c.dated(d, e-i))
}

// weekdays reads the dash and the day at j after a day of the week: Mon-Fri. It
// returns the words for both and how many tokens the second one takes.
func (c *cursor) weekdays(from, j int) (string, int) {
	if c.kind(j) != sign || !dash(c.rune(j)) || c.patterns.span == "" {
		return "", 0
	}
	to, n := c.tables.weekday.match(c, j+1)
	if n == 0 || !c.closes(j+1+n) && c.kind(j+n) != sign {
		return "", 0
	}
	return c.sayRange(c.loc.Days[from-1], c.loc.Days[to-1]), n + 1
}
