package normalize

import (
	"strings"
	"unicode"
)

// days are the most days that months have.
var days = [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// valid says that a month has a day.
func valid(day, month int) bool {
	return month >= 1 && month <= 12 && day >= 1 && day <= days[month-1]
}

// dated returns the words of a date of n tokens.
func (c *cursor) dated(d date, n int) (string, int) {
	w, ok := c.sayDate(d)
	if !ok {
		return "", 0
	}
	return w, n
}

// readDate reads dates with the name of a month: 12 May 2024, May 12, 2024, May
// 2024, 5–7 May.
func readDate(c *cursor, i int) outcome {
	if !c.opens(i) {
		return outcome{}
	}
	d, j := c.namedDate(i)
	if j == i {
		return outcome{}
	}
	d.ordinal = c.agreed(i)
	return said(c.dated(d, j-i))
}

// namedDate returns a date and the token after it, which is i for none.
func (c *cursor) namedDate(i int) (d date, j int) {
	if c.kind(i) == digits {
		if d, j = c.yearFirst(i); j > i {
			return d, j
		}
		return c.dayFirst(i)
	}
	m, n := c.tables.month.match(c, i)
	if n == 0 {
		return d, i
	}
	d = date{month: m, monthFirst: true}
	j = i + n
	if k := c.skip(j); k > j || c.toks[j-1].dense {
		if e, ok := c.dayAt(k, &d); ok {
			if _, n := c.tables.dayWord.match(c, c.skip(e)); n > 0 {
				e = c.skip(e) + n
			}
			d.year, j = c.yearAt(e)
			return d, j
		}
	}
	var e int
	if d.year, e = c.yearAt(j); d.year == "" {
		return d, i
	}
	d.monthFirst = false
	return d, e
}

// dayFirst reads a date that begins with its day.
func (c *cursor) dayFirst(i int) (d date, j int) {
	j, ok := c.dayAt(i, &d)
	if !ok {
		return d, i
	}
	if c.kind(j) == sign && j == i+1 && c.kind(j+1) == word {
		return c.hyphened(i, j, d)
	}
	j = c.joint(j)
	m, n := c.tables.month.match(c, j)
	if n == 0 || !c.closes(j+n) && !c.toks[j].dense {
		return d, i
	}
	d.month = m
	if !valid(d.day, m) {
		return d, i
	}
	d.year, j = c.yearAt(j + n)
	return d, j
}

// yearFirst reads a date that begins with its year: 2024. május 12.
func (c *cursor) yearFirst(i int) (d date, j int) {
	y := arabic(c.text(i))
	if len(y) != 4 {
		return d, i
	}
	j = i + 1
	if c.is(j, '.') || c.is(j, ',') {
		j++
	}
	j = c.joint(j)
	m, n := c.tables.month.match(c, j)
	if n == 0 || !c.closes(j+n) {
		return d, i
	}
	d.year, d.month, d.yearFirst = y, m, true
	j += n
	if e, ok := c.dayAt(c.skip(j), &d); ok && valid(d.day, m) && c.skip(j) > j {
		if _, n := c.tables.dayWord.match(c, c.skip(e)); n > 0 {
			e = c.skip(e) + n
		}
		return d, e
	}
	d.day, d.until = 0, 0
	return d, j
}

// dayAt reads a day of the month, or two with a dash between them, and returns
// the token after it. A suffix or a full stop that makes it an ordinal is part
// of it.
func (c *cursor) dayAt(i int, d *date) (end int, ok bool) {
	if c.kind(i) != digits || runeLen(c.text(i)) > 2 {
		return i, false
	}
	day := atoi(arabic(c.text(i)))
	if day < 1 || day > 31 {
		return i, false
	}
	d.day, d.until = day, 0
	j := c.dayTail(i + 1)
	d.suffix = ""
	if v, n := c.tables.suffix.match(c, i+1); n > 0 && j == i+1+n {
		d.suffix, d.rule = c.s[c.toks[i+1].start:c.toks[j-1].end], v
	}
	k := c.skip(j)
	if c.kind(k) == sign && dash(c.rune(k)) && c.kind(c.skip(k+1)) == digits {
		k = c.skip(k + 1)
		until := atoi(arabic(c.text(k)))
		if until > day && until <= 31 && runeLen(c.text(k)) <= 2 {
			d.until, j, d.suffix = until, c.dayTail(k+1), ""
		}
	}
	// An ending that inflects the day is read with it alone: május 12-én.
	if v, n := c.tables.suffix.match(c, j); n > 0 && c.is(j, '-') && strings.Contains(v, "{n") {
		return i, false
	}
	// A time, a decimal or a longer number is no day.
	if r := c.rune(j); c.kind(j) == sign && (r == ':' || r == '.' || r == '/' || r == '-' || r == '%') && c.kind(j+1) == digits {
		return i, false
	}
	return j, true
}

// dayTail returns the token after what makes a day an ordinal.
func (c *cursor) dayTail(j int) int {
	if v, n := c.tables.suffix.match(c, j); n > 0 && c.closes(j+n) && (!c.is(j, '-') || !strings.Contains(v, "{n")) {
		return j + n
	}
	if c.is(j, '.') && (c.kind(j+1) == space || c.kind(j+1) == sign && dash(c.rune(j+1))) && c.patterns.ordinalDot {
		return j + 1
	}
	return j
}

// joint returns the token after space and the words that stand between the
// parts of a date.
func (c *cursor) joint(j int) int {
	j = c.skip(j)
	if _, n := c.tables.joint.match(c, j); n > 0 && c.closes(j+n) {
		return c.skip(j + n)
	}
	return j
}

// yearAt reads the year after a month or a day and returns the token after it;
// j itself when there is none.
func (c *cursor) yearAt(j int) (string, int) {
	k := j
	if c.is(k, ',') || c.is(k, '،') || c.is(k, '、') || c.is(k, '/') && c.kind(k-1) == digits {
		k++
	}
	k = c.joint(k)
	if k > j && apostrophe(c.rune(k)) && c.two(k+1) && c.closes(k+2) {
		return century(arabic(c.text(k + 1))), k + 2
	}
	if k == j || c.kind(k) != digits {
		return "", j
	}
	y := arabic(c.text(k))
	if len(y) != 4 || y[0] == '0' || y[0] > '2' || !c.closes(k+1) {
		return "", j
	}
	if c.kind(k+1) == sign && c.kind(k+2) == digits && strings.ContainsRune(":.,%/", c.rune(k+1)) {
		return "", j
	}
	k++
	if c.ordinalMark(k) || c.ordinalBeforeNoun(k-1) != "" {
		return "", j // it is read as an ordinal, with the words that follow
	}
	if strings.HasSuffix(c.patterns.date, "}") {
		return y, k
	}
	j = k
	if c.is(j, '.') && c.patterns.ordinalDot {
		j++
	}
	if _, n := c.tables.year.match(c, c.skip(j)); n > 0 && c.skip(j) > k {
		return y, c.skip(j) + n
	}
	if m := c.skip(j); m > j && j > k && c.kind(m) == word && unicode.IsLower(c.toks[m].r) {
		return y, j // 12. maja 2024. je: the sentence goes on
	}
	return y, k
}
