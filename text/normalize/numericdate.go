package normalize

import "strings"

// readNumericDate reads 12/05/2024, 12.05.2024, 2024-05-12 and 12/05/24.
func readNumericDate(c *cursor, i int) outcome {
	d, n := c.numericDate(i)
	if n == 0 && c.yearBegins() && c.opens(i) {
		d, n = c.pointedDate(i)
	}
	if n == 0 {
		return outcome{}
	}
	d.ordinal = c.agreed(i)
	w, n := c.dated(d, n+c.yearNamed(i+n))
	return said(c.bracketed(w, i, n))
}

// yearNamed returns how many tokens from i on are a word for the year that the
// pattern of dates says by itself: 12.05.2024 ж.
func (c *cursor) yearNamed(i int) int {
	j := c.skip(i)
	if c.is(j, '-') {
		j++
	}
	_, n := c.tables.year.match(c, j)
	if n == 0 || j == i || !c.closes(j+n) || !c.patterns.yearNamed {
		return 0
	}
	return j + n - i
}

// bracketed takes the day of the week, in brackets and shortened to a single
// letter, after the date of n tokens at i: 5月12日（日）.
func (c *cursor) bracketed(w string, i, n int) (string, int) {
	if n == 0 || c.patterns.dayAfter == "" {
		return w, n
	}
	k := c.bracketDay(i + n)
	if k == 0 {
		return w, n
	}
	return fill2(c.patterns.dayAfter, "{date}", w, "{weekday}", c.loc.Days[k-1]), n + 3
}

// bracketDay returns the day of the week in brackets at j, Sunday as 1, and 0
// when there is none.
func (c *cursor) bracketDay(j int) int {
	if !c.is(j, '(') || c.kind(j+1) != word || !c.is(j+2, ')') {
		return 0
	}
	for k, short := range c.loc.DaysShort {
		if c.text(j+1) == short {
			return k + 1
		}
	}
	return 0
}

func (c *cursor) numericDate(i int) (d date, n int) {
	sep := c.rune(i + 1)
	if d, n = c.spacedDate(i, sep); n > 0 || !c.opens(i) || sep != '/' && sep != '-' && sep != '.' || c.kind(i+2) != digits {
		return d, n
	}
	a, b := arabic(c.text(i)), arabic(c.text(i+2))
	if c.rune(i+3) != sep || c.kind(i+4) != digits {
		return c.shortDate(i, sep, a, b)
	}
	third := arabic(c.text(i + 4))
	if !c.closes(i+5) || c.rune(i+5) == sep && c.kind(i+6) == digits {
		return d, 0
	}
	switch {
	case len(a) == 4 && len(b) <= 2 && len(third) <= 2:
		d = date{day: atoi(third), month: atoi(b), year: a, yearFirst: true}
	case len(a) <= 2 && len(b) <= 2 && (len(third) == 4 || len(third) == 2 && (len(b) == 2 || sep == '/')):
		d = c.ordered(atoi(a), atoi(b), sep)
		d.year = century(third)
	}
	if c.tables.calendar.has(d.year) && d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= 32 {
		d.other = true
		return d, 5
	}
	// Other years are of another calendar, whose months we do not name.
	if y := atoi(d.year); !valid(d.day, d.month) || y < 1500 || y > 2300 {
		return d, 0
	}
	return d, 5
}

// spacedDate reads 25. 6. 1991 and 2024. 05. 12. where a full stop makes an ordinal.
func (c *cursor) spacedDate(i int, sep rune) (d date, n int) {
	if sep != '.' || !c.patterns.ordinalDot || !c.opens(i) || c.kind(i+2) != space || c.kind(i+3) != digits || !c.is(i+4, '.') {
		return d, 0
	}
	j := c.skip(i + 5)
	a, b, y := arabic(c.text(i)), arabic(c.text(i+3)), arabic(c.text(j))
	if len(a) == 4 && len(b) <= 2 && c.kind(j) == digits && len(y) <= 2 && valid(atoi(y), atoi(b)) {
		d = date{year: a, month: atoi(b), day: atoi(y)} // 2024. 05. 12.
		if c.is(j+1, '.') && !c.ends(j+1) {
			j++
		}
		return d, j + 1 - i
	}
	d = date{day: atoi(a), month: atoi(b)}
	if len(a) > 2 || len(b) > 2 || !valid(d.day, d.month) {
		return d, 0
	}
	if c.kind(j) != digits {
		return d, 5 // 31. 12.
	}
	if len(y) != 4 || !c.closes(j+1) {
		return d, 0
	}
	d.year = y
	return d, j + 1 - i
}

// shortDate takes a day and a month without a year where they cannot be a
// fraction or a decimal: 05/12, and 12.05. where dates have dots.
func (c *cursor) shortDate(i int, sep rune, a, b string) (d date, n int) {
	if len(b) > 2 || len(a) > 2 || !c.closes(i+3) || c.is(i-1, sep) {
		return d, 0
	}
	switch {
	case sep == '/' && len(b) == 2 && len(a) == 2 && (a[0] == '0' || b[0] == '0'), sep == '/' && (c.dateTold(i) || c.patterns.dayAfter != "" && c.bracketDay(i+3) > 0):
		n = 3
	case sep == '.' && c.patterns.ordinalDot && c.is(i+3, '.') && c.kind(i+4) != digits && (len(b) == 2 && c.loc.Decimal == "," || !c.ends(i+3)):
		n = 4
	default:
		return d, 0
	}
	d = c.ordered(atoi(a), atoi(b), sep)
	if c.yearBegins() && valid(atoi(b), atoi(a)) {
		d = date{day: atoi(b), month: atoi(a)}
	}
	if !valid(d.day, d.month) {
		return d, 0
	}
	return d, n
}

// yearBegins says that a date is said with its year first, so that its month
// stands before its day, also in numbers.
func (n *Normalizer) yearBegins() bool { return strings.HasPrefix(n.patterns.date, "{y") }

// dateTold says that the word before a token tells that a day and a month come.
func (c *cursor) dateTold(i int) bool {
	if c.kind(i-1) != space || c.kind(i-2) != word {
		return false
	}
	_, n := c.tables.dateWord.match(c, i-2)
	return n == 1
}

// pointedDate reads a date with a full stop and a space after each number, the
// year first: 2024. 5. 12. The last full stop is part of it.
func (c *cursor) pointedDate(i int) (d date, n int) {
	j := i
	var v [3]string
	for k := range v {
		if c.kind(j) != digits || k < 2 && (!c.is(j+1, '.') || c.kind(j+2) != space) {
			return d, 0
		}
		v[k] = arabic(c.text(j))
		j = c.skip(j + 2)
	}
	y := atoi(v[0])
	d = date{year: v[0], month: atoi(v[1]), day: atoi(v[2])}
	if len(v[0]) != 4 || y < 1500 || y > 2300 || len(v[1]) > 2 || len(v[2]) > 2 || !valid(d.day, d.month) {
		return d, 0
	}
	return d, c.pointedEnd(i) - i
}

// pointedEnd returns the token after a date of three numbers with full stops,
// without a full stop that ends the sentence.
func (c *cursor) pointedEnd(i int) int {
	j := i
	for range 2 {
		j = c.skip(j + 2)
	}
	j++
	if c.is(j, '.') && !c.ends(j+1) && c.kind(j+1) != digits {
		j++
	}
	return j
}

// ordered says which of two numbers is the day. The order of the region gives
// way where it would make no date.
func (c *cursor) ordered(a, b int, sep rune) date {
	d := date{day: a, month: b}
	if c.monthFirst && sep != '.' && valid(b, a) || !valid(a, b) && valid(b, a) {
		d = date{day: b, month: a, monthFirst: c.monthFirst}
	}
	return d
}

// century writes a year of two digits in full.
func century(y string) string {
	if len(y) != 2 {
		return y
	}
	if y < "70" {
		return "20" + y
	}
	return "19" + y
}

// markedDate reads a date of numbers with marks: 2024年5月12日.
func (c *cursor) markedDate(i int) (string, int) {
	if c.tables.marks[0] == "" || !c.opens(i) {
		return "", 0
	}
	var d date
	j, parts := i, 0
	for k, mark := range c.tables.marks {
		if c.kind(j) != digits || c.text(j+1) != mark && c.text(c.skip(j+1)) != mark {
			continue
		}
		v := arabic(c.text(j))
		if len(v) > 4 || len(v) > 2 && k > 0 || len(v) < 3 && k == 0 {
			return "", 0
		}
		switch k {
		case 0:
			d.year = v
		case 1:
			d.month = atoi(v)
		case 2:
			d.day = atoi(v)
		}
		parts++
		j = c.skip(j+1) + 1
		if k < 2 && c.kind(c.skip(j)) == digits {
			j = c.skip(j)
		}
	}
	if parts == 1 && d.year != "" {
		w, ok := c.sayYear(d.year, "")
		if !ok || atoi(d.year) < 1000 {
			return "", 0
		}
		return w + c.s[c.toks[i].end:c.toks[j-1].end], j - i
	}
	if parts < 2 || d.month == 0 || d.day > 31 || d.month > 12 {
		return "", 0
	}
	w, n := c.dated(d, j-i)
	return c.bracketed(w, i, n)
}
