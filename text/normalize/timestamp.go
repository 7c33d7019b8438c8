package normalize

// readTimestamp reads a date and a time as ISO 8601 writes them together:
// 2024-05-12T10:30:00Z. A space in place of the T parts them, so that they are
// read one after the other without this.
func readTimestamp(c *cursor, i int) outcome {
	if t := c.text(i + 5); t != "T" && t != "t" || !c.opens(i) || !c.is(i+1, '-') || !c.is(i+3, '-') {
		return outcome{}
	}
	y, m, day := arabic(c.text(i)), c.text(i+2), c.text(i+4)
	if len(y) != 4 || !c.two(i+2) || !c.two(i+4) || !c.two(i+6) || !c.is(i+7, ':') || !c.two(i+8) {
		return outcome{}
	}
	d := date{day: atoi(arabic(day)), month: atoi(arabic(m)), year: y, yearFirst: true, ordinal: c.agreed(i)}
	t := clock{hour: atoi(arabic(c.text(i + 6))), minute: atoi(arabic(c.text(i + 8)))}
	j := i + 9
	if c.is(j, ':') && c.two(j+1) {
		t.second = atoi(arabic(c.text(j + 1)))
		t.seconds = t.second > 0
		j += 2
		if c.is(j, '.') && c.kind(j+1) == digits {
			j += 2 // parts of a second are of no interest to a listener
		}
	}
	zone, j := c.zone(j)
	if !valid(d.day, d.month) || t.hour > 24 || t.minute > 59 || t.second > 60 || !c.closes(j) {
		return outcome{}
	}
	a, ok := c.sayDate(d)
	b, ok2 := c.sayTime(t)
	if !ok || !ok2 {
		return outcome{}
	}
	return said(c.join(a, b, zone), j-i)
}

// zone reads the time zone after a time, Z or +05:30, and returns the token
// after it.
func (c *cursor) zone(j int) (string, int) {
	if t := c.text(j); t == "Z" || t == "z" {
		return c.letters("UTC"), j + 1
	}
	name := c.names.plus
	switch {
	case c.is(j, '-'), c.is(j, '−'):
		name = c.names.minus
	case !c.is(j, '+'):
		return "", j
	}
	h, m, end := arabic(c.text(j+1)), "00", j+2
	switch {
	case c.kind(j+1) != digits || name == "":
		return "", j
	case len(h) == 4:
		h, m = h[:2], h[2:]
	case len(h) == 2 && c.is(j+2, ':') && c.two(j+3):
		m, end = arabic(c.text(j+3)), j+4
	case len(h) != 2:
		return "", j
	}
	if h == "00" && m == "00" {
		return c.letters("UTC"), end
	}
	w, ok := c.sayInt(atoi(h), "")
	if !ok {
		return "", j
	}
	if m != "00" {
		minutes, _ := c.sayInt(atoi(m), "")
		w = c.join(w, minutes)
	}
	return c.join(name, w), end
}
