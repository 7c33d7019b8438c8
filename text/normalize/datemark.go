package normalize

// hyphened reads a date whose parts have a hyphen or a slash between them, with
// the month's name: 14-Aug-2024, 14-Aug-24, 14/Aug/2024 and 14-Aug. j is the
// token of the first mark.
func (c *cursor) hyphened(i, j int, d date) (date, int) {
	mark := c.rune(j)
	m, n := c.tables.month.match(c, j+1)
	if mark != '-' && mark != '/' || n == 0 || !valid(d.day, m) {
		return d, i
	}
	d.month = m
	k := j + 1 + n
	if !c.is(k, mark) {
		if !c.closes(k) || mark == '/' {
			return d, i
		}
		return d, k
	}
	y := arabic(c.text(k + 1))
	if c.kind(k+1) != digits || len(y) != 4 && len(y) != 2 || !c.closes(k+2) {
		return d, i
	}
	d.year = century(y)
	return d, k + 2
}
