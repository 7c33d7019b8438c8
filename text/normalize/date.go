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

// readNumericDate reads 12/05/2024, 12.05.2024, 2024-05-12 and 12/05/24.
func readNumericDate(c *cursor, i int) (string, int) {
	d, n := c.numericDate(i)
	if n == 0 && c.yearBegins() && c.opens(i) {
		d, n = c.pointedDate(i)
	}
	if n == 0 {
		return "", 0
	}
	d.ordinal = c.agreed(i)
	w, n := c.dated(d, n+c.yearNamed(i+n))
	return c.bracketed(w, i, n)
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

// dated returns the words of a date of n tokens.
func (c *cursor) dated(d date, n int) (string, int) {
	w, ok := c.sayDate(d)
	if !ok {
		return "", 0
	}
	return w, n
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

// readMarkedDate reads dates of numbers with marks: 2024年5月12日.
func readMarkedDate(c *cursor, i int) (string, int) {
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

// readDate reads dates with the name of a month: 12 May 2024, May 12, 2024, May
// 2024, 5–7 May.
func readDate(c *cursor, i int) (string, int) {
	if !c.opens(i) {
		return "", 0
	}
	d, j := c.namedDate(i)
	if j == i {
		return "", 0
	}
	d.ordinal = c.agreed(i)
	return c.dated(d, j-i)
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
	if c.ordinalMark(k) || c.yearOrdinal(k-1) != "" {
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

// readWeekday reads a day of the week before a date.
func readWeekday(c *cursor, i int) (string, int) {
	w, n := c.tables.weekday.match(c, i)
	if n == 0 || !c.opens(i) {
		return "", 0
	}
	j := i + n
	if w, n := c.weekdays(w, j); n > 0 {
		return w, j + n - i
	}
	if c.is(j, ',') || c.is(j, '،') {
		j++
	}
	if k := c.skip(j); k > j {
		j = k
	} else {
		return "", 0
	}
	d, e := c.namedDate(j)
	if e == j && c.kind(j) == digits {
		var m int
		d, m = c.numericDate(j)
		e = j + m
	}
	if e == j {
		return "", 0
	}
	d.weekday = w
	return c.dated(d, e-i)
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
