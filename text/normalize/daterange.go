package normalize

// readMarkedDate reads dates of numbers with marks, and ranges of them: 5月12日,
// 5月12日~14日.
func readMarkedDate(c *cursor, i int) outcome {
	w, n := c.markedDate(i)
	j := c.skip(i + n)
	if n == 0 || c.kind(j) != sign || !dash(c.rune(j)) && c.rune(j) != '∼' || c.patterns.span == "" {
		return said(w, n)
	}
	k := c.skip(j + 1)
	to, m := c.markedDate(k)
	if m == 0 {
		to, m = c.markedDay(k)
	}
	if m == 0 {
		return said(w, n)
	}
	return said(c.sayRange(w, to), k+m-i)
}

// markedDay reads a day of the month with its mark: 14日.
func (c *cursor) markedDay(i int) (string, int) {
	mark := c.tables.marks[2]
	if mark == "" || c.kind(i) != digits || c.text(i+1) != mark || runeLen(c.text(i)) > 2 {
		return "", 0
	}
	day := atoi(arabic(c.text(i)))
	w, ok := c.sayInt(day, "")
	if !ok || day == 0 || day > 31 {
		return "", 0
	}
	return c.bracketed(w+mark, i, 2)
}
