package date

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/text/normalize/scan"
)

// calendar is one that a country keeps beside the Gregorian calendar. Its years, from
// from to to, tell it apart from that.
type calendar struct {
	from, to int
	months   []string
}

// has reports whether a year is one of the calendar.
func (k calendar) has(year string) bool {
	y := scan.Atoi(year)
	return len(k.months) == 12 && year != "" && y >= k.from && y <= k.to
}

// compileCalendar reads the names of months and days, and the words that a date
// has between its parts.
func (dr *Recognizer) compileCalendar(starts *scan.Starts) {
	lex, loc := dr.say.Lexicon, dr.say.Locale
	// CLDR has names in a date and names alone, and the lexicon may replace both. A text
	// may hold any of them.
	for m := range 12 {
		for _, name := range []string{dr.words.months[m], dr.words.monthsAlone[m], loc.Months[m], loc.MonthsAlone[m], loc.MonthsShort[m]} {
			addName(&dr.month, name, m+1, starts)
		}
	}
	for d := range 7 {
		addName(&dr.weekday, loc.Days[d], d+1, starts)
		addName(&dr.weekday, loc.DaysShort[d], d+1, starts)
	}
	for key, to := range map[string]*scan.Phrases[int]{"month": &dr.month, "weekday": &dr.weekday} {
		for _, r := range lex.Rows(key) {
			for _, name := range r.List(1) {
				addName(to, name, scan.Atoi(r[0]), starts)
			}
		}
	}
	dr.compileJoints(dr.words.patterns.date)
	dr.compileJoints(dr.say.LongDate())
	for _, w := range lex.List("date.day-word") {
		dr.dayWord.Add(w, true)
	}
	for _, w := range lex.List("date.word") {
		dr.dateWord.Add(w, true)
		starts.Add(w)
	}
}

// addName adds a name as it may be written: with and without a full stop, with a
// capital, and in capitals.
func addName(to *scan.Phrases[int], name string, v int, starts *scan.Starts) {
	name = strings.TrimSuffix(name, ".")
	if name == "" || name[0] >= '0' && name[0] <= '9' || scan.RuneLen(name) < 2 && scan.FirstRune(name) < 0x900 {
		return
	}
	if _, dense := scan.Classify(scan.FirstRune(name)); dense && scan.RuneLen(name) < 2 {
		return // a single Han character also ends other words
	}
	r, size := utf8.DecodeRuneInString(name)
	for _, w := range []string{name, string(unicode.ToUpper(r)) + name[size:], strings.ToUpper(name)} {
		// Also with the full stop of an abbreviation, which is then part of the name and
		// ends no sentence.
		to.Add(w+".", v)
		to.Add(w, v)
		starts.Add(w)
	}
}

// compileJoints collects the words between the fields of a pattern, such as "de" in "{d}
// de {month}".
func (dr *Recognizer) compileJoints(pattern string) {
	rest := pattern
	for {
		_, after, ok := strings.Cut(rest, "}")
		if !ok {
			return
		}
		lit, next, more := strings.Cut(after, "{")
		if lit = strings.TrimSpace(lit); more && lit != "" && scan.IsLetter(scan.FirstRune(lit)) {
			dr.joint.Add(lit, true)
		}
		if !more {
			return
		}
		rest = next
	}
}

// cut returns the pattern of a date without a field and the words that belong to it.
func cut(pattern, field string) string {
	i := strings.Index(pattern, field)
	if i < 0 {
		return pattern
	}
	before, after := pattern[:i], pattern[i+len(field):]
	// The field is the first one, so its words stand after it, up to the next field.
	if next := strings.Index(after, "{"); next >= 0 && !strings.Contains(before, "}") {
		return after[next:]
	}
	return pattern[:strings.LastIndex(before, "}")+1]
}

// cutDay returns the pattern of a date without the day. The month then stands alone,
// which has another form in some languages.
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
