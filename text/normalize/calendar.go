package normalize

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// compileCalendar reads the names of months and days, and the words that a date
// has between its parts.
func (n *Normalizer) compileCalendar() {
	t := &n.tables
	n.months, n.monthsAlone = n.loc.Months, n.loc.MonthsAlone
	for _, r := range n.lex.Rows("month.name") {
		if m := atoi(r[0]); m >= 1 && m <= 12 {
			n.months[m-1], n.monthsAlone[m-1] = r[1], r[1]
		}
	}
	for m := range 12 {
		for _, name := range []string{n.months[m], n.monthsAlone[m], n.loc.Months[m], n.loc.MonthsAlone[m], n.loc.MonthsShort[m]} {
			n.calendarName(&t.month, name, m+1)
		}
	}
	for d := range 7 {
		n.calendarName(&t.weekday, n.loc.Days[d], d+1)
		n.calendarName(&t.weekday, n.loc.DaysShort[d], d+1)
	}
	for key, to := range map[string]*phrases[int]{"month": &t.month, "weekday": &t.weekday} {
		for _, r := range n.lex.Rows(key) {
			for _, name := range r.List(1) {
				n.calendarName(to, name, atoi(r[0]))
			}
		}
	}
	if rows := n.lex.Rows("calendar"); len(rows) > 0 {
		t.calendar = calendar{atoi(rows[0].Value(0)), atoi(rows[0].Value(1)), rows[0].List(2)}
	}
	n.compileJoints(n.patterns.date)
	n.compileJoints(n.longDate())
	n.compileMarks()
}

// calendarName puts in a name as it may be written: with and without a full
// stop, and with a capital where it has none.
func (n *Normalizer) calendarName(to *phrases[int], name string, v int) {
	name = strings.TrimSuffix(name, ".")
	if name == "" || name[0] >= '0' && name[0] <= '9' || runeLen(name) < 2 && firstRune(name) < 0x900 {
		return
	}
	if _, dense := classify(firstRune(name)); dense && runeLen(name) < 2 {
		return // it is the end of other words, too
	}
	r, size := utf8.DecodeRuneInString(name)
	for _, w := range []string{name, string(unicode.ToUpper(r)) + name[size:], strings.ToUpper(name)} {
		to.add(w+".", v)
		to.add(w, v)
		n.tables.start(w)
	}
}

// compileJoints takes the words between the fields of a pattern.
func (n *Normalizer) compileJoints(pattern string) {
	rest := pattern
	for {
		_, after, ok := strings.Cut(rest, "}")
		if !ok {
			return
		}
		lit, next, more := strings.Cut(after, "{")
		if lit = strings.TrimSpace(lit); more && lit != "" && letter(firstRune(lit)) {
			n.tables.joint.add(lit, true)
		}
		if !more {
			return
		}
		rest = next
	}
}

// compileMarks takes the marks after year, month and day of a language whose
// dates are numbers: 2024年5月12日.
func (n *Normalizer) compileMarks() {
	p := n.longDate()
	if !strings.Contains(p, "{m}") {
		return
	}
	for k, field := range []string{"{y}", "{m}", "{d}"} {
		_, after, _ := strings.Cut(p, field)
		lit, _, _ := strings.Cut(after, "{")
		n.tables.marks[k] = strings.TrimSpace(lit)
	}
}

// longDate turns CLDR's pattern of a long date into ours.
func (n *Normalizer) longDate() string {
	var b strings.Builder
	p, quoted := n.loc.LongDate, false
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRuneInString(p[i:])
		width := 1
		for !quoted && i+width < len(p) && r < utf8.RuneSelf && rune(p[i+width]) == r && r != '\'' && r != ' ' {
			width++
		}
		switch {
		case r == '\'':
			quoted = !quoted
		case quoted:
			b.WriteRune(r)
		case r == 'd':
			b.WriteString("{d}")
		case r == 'M' && width < 3:
			b.WriteString("{m}")
		case r == 'M':
			b.WriteString("{month}")
		case r == 'L':
			b.WriteString("{month-alone}")
		case r == 'y':
			b.WriteString("{y}")
		case r == 'G' || r == 'E' || r == 'e' || r == 'c':
		default:
			b.WriteString(strings.Repeat(string(r), width))
		}
		i += max(size, width)
	}
	return n.finishDate(strings.TrimSpace(b.String()))
}

// finishDate takes from a pattern what is written and not said: the number in a
// month's name, the full stop of an ordinal, which is said as one, and a word
// after the year that is shortened, which would be read twice where it is
// written.
func (n *Normalizer) finishDate(p string) string {
	if name, numbered := strings.CutPrefix(n.loc.Months[0], "1"); numbered {
		p = strings.Replace(p, "{month}", "{m}"+name, 1)
	}
	if n.ordinal != "" {
		p = strings.Replace(p, "{d}.", "{d:"+n.ordinal+"}", 1)
	}
	p = strings.ReplaceAll(p, "}.", "}")
	if strings.HasSuffix(p, ".") {
		p = p[:strings.LastIndex(p, "}")+1]
	}
	return p
}

// cut returns a date's pattern without a field and what belongs to it.
func cut(pattern, field string) string {
	i := strings.Index(pattern, field)
	if i < 0 {
		return pattern
	}
	before, after := pattern[:i], pattern[i+len(field):]
	if next := strings.Index(after, "{"); next >= 0 && !strings.Contains(before, "}") {
		return after[next:]
	}
	return pattern[:strings.LastIndex(before, "}")+1]
}

// cutDay returns a date's pattern without the day; the month stands alone.
func cutDay(pattern string) string {
	i := strings.Index(pattern, "{d")
	if i < 0 {
		return pattern
	}
	next := strings.Index(pattern[i+1:], "{")
	p := strings.TrimSpace(pattern[:i])
	if next >= 0 {
		p = pattern[:i] + pattern[i+1+next:]
	}
	return strings.Replace(p, "{month}", "{month-alone}", 1)
}

// date is a date as it was written.
type date struct {
	day, until int // 0 for none
	month      int
	year       string
	weekday    int
	monthFirst bool
	yearFirst  bool
	ordinal    string // the rule set of the day by the word before it, or ""
	suffix     string // that makes the day an ordinal, as written, or ""
	rule       string // how an ordinal with that suffix is read
	other      bool   // the month is of the other calendar
}

// sayDate reads a date.
func (n *Normalizer) sayDate(d date) (string, bool) {
	p := n.patterns.date
	switch {
	case d.year == "" && d.monthFirst && n.patterns.monthFirstDay != "":
		p = n.patterns.monthFirstDay
	case d.yearFirst && d.day > 0 && n.patterns.yearFirst != "":
		p = n.patterns.yearFirst
	case d.year == "":
		p = n.patterns.dayMonth
	case d.day == 0:
		p = n.patterns.monthYear
	case d.monthFirst && n.patterns.monthFirst != "":
		p = n.patterns.monthFirst
	}
	if p == "" {
		return "", false
	}
	w, ok := fill(p, func(name, set string) (string, bool) { return n.datePart(d, name, set) })
	if ok && d.weekday > 0 {
		w = fill2(n.patterns.weekday, "{weekday}", n.loc.Days[d.weekday-1], "{date}", w)
	}
	return w, ok
}

// datePart reads one field of a date.
func (n *Normalizer) datePart(d date, name, set string) (string, bool) {
	switch name {
	case "d":
		if strings.Contains(d.ordinal, "ordinal") && set != "" {
			set = d.ordinal
		}
		if set == "" && d.suffix != "" && n.tables.day[strconv.Itoa(d.day)] == "" {
			return n.sayOrdinal(number{whole: strconv.Itoa(d.day)}, d.rule, d.suffix)
		}
		w, ok := n.sayDay(d.day, set)
		if !ok || d.until == 0 {
			return w, ok
		}
		to, ok := n.sayDay(d.until, set)
		return n.sayRange(w, to), ok
	case "month":
		if d.other {
			return n.tables.calendar.months[d.month-1], true
		}
		return n.sayMonth(n.months[d.month-1], d.month)
	case "month-alone":
		return n.sayMonth(n.monthsAlone[d.month-1], d.month)
	case "m":
		if w := n.tables.monthWord[strconv.Itoa(d.month)]; w != "" {
			return w, true
		}
		return n.sayInt(d.month, set)
	case "y":
		return n.sayYear(d.year, set)
	}
	return "", false
}

// sayMonth returns the name of a month, with its number in words where it has
// one.
func (n *Normalizer) sayMonth(name string, month int) (string, bool) {
	number := strconv.Itoa(month)
	if name == "" || !strings.Contains(name, number) {
		return name, name != ""
	}
	w := n.tables.monthWord[number]
	if w == "" {
		var ok bool
		if w, ok = n.sayInt(month, ""); !ok {
			return "", false
		}
	}
	return strings.Replace(name, number, w, 1), true
}

func (n *Normalizer) sayDay(day int, set string) (string, bool) {
	if w := n.tables.day[strconv.Itoa(day)]; w != "" {
		return w, true
	}
	return n.sayInt(day, set)
}

// sayInt reads a small number by a rule set, "" for the plain one.
func (n *Normalizer) sayInt(v int, set string) (string, bool) {
	if n.num == nil {
		return "", false
	}
	if set == "" || !n.num.Has(set) {
		set = n.cardinal
	}
	if set == n.cardinal && v >= 0 && v < len(n.small) {
		return n.smallWords(strconv.Itoa(v))
	}
	return n.num.Format(set, strconv.Itoa(v))
}

// sayYear reads a year, given in digits, by a rule set or the one for years.
func (n *Normalizer) sayYear(year, set string) (string, bool) {
	if n.num == nil {
		return "", false
	}
	if set == "" && n.hundreds[0] != "" && len(year) == 4 && year[0] == '1' && year[1] != '0' {
		return n.sayHundreds(year)
	}
	if set == "" || !n.num.Has(set) {
		set = n.year
	}
	return n.num.Format(set, year)
}

// sayHundreds reads a year of the 12th to the 20th century by its hundreds.
func (n *Normalizer) sayHundreds(year string) (string, bool) {
	c, ok := n.sayInt(atoi(year[:2]), "")
	if !ok {
		return "", false
	}
	if year[2:] == "00" {
		return fill1(n.hundreds[1], "{c}", c), n.hundreds[1] != ""
	}
	r, ok := n.sayInt(atoi(year[2:]), "")
	return fill2(n.hundreds[0], "{c}", c, "{r}", r), ok
}

// sayRange puts the words for the ends of a range together.
func (n *Normalizer) sayRange(a, b string) string {
	if n.patterns.span == "" {
		return a + "–" + b
	}
	return n.joined(n.patterns.span, "{a}", a, "{b}", b)
}
