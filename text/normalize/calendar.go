package normalize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// calendar is one beside the Gregorian, whose years are told by their numbers.
type calendar struct {
	from, to int
	months   []string
}

// has says that a year is of the calendar.
func (k calendar) has(year string) bool {
	y := atoi(year)
	return len(k.months) == 12 && year != "" && y >= k.from && y <= k.to
}

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
	for _, w := range n.lex.List("date.day-word") {
		t.dayWord.add(w, true)
	}
	n.told("date.word", &t.dateWord)
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
