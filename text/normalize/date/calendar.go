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
	for _, r := range lex.Rows("month.common") {
		dr.common, dr.commonAfter = r.Set(0), r.Set(1)
	}
	for m := range 12 {
		for _, name := range []string{dr.words.months[m], dr.words.monthsAlone[m], loc.Months[m], loc.MonthsAlone[m], loc.MonthsShort[m]} {
			// A script without capitals has only the full stop to tell them by: ಜನ are people,
			// ಜನ. is January.
			if r := scan.FirstRune(name); dr.common[name] && !unicode.IsUpper(r) && !unicode.IsLower(r) {
				dr.month.Add(name+".", m+1)
				starts.Add(name)
				continue
			}
			addName(&dr.month, name, m+1, starts)
			dr.addSmall(&dr.monthSmall, name, m+1, starts)
		}
	}
	for d := range 7 {
		addName(&dr.weekday, loc.Days[d], d+1, starts)
		addName(&dr.weekday, loc.DaysShort[d], d+1, starts)
		dr.addSmall(&dr.weekdaySmall, loc.Days[d], d+1, starts)
		dr.addSmall(&dr.weekdaySmall, loc.DaysShort[d], d+1, starts)
	}
	for key, to := range map[string]*scan.Phrases[int]{"month": &dr.month, "weekday": &dr.weekday} {
		for _, r := range lex.Rows(key) {
			for _, name := range r.List(1) {
				addName(to, name, scan.Atoi(r[0]), starts)
				small := &dr.monthSmall
				if key == "weekday" {
					small = &dr.weekdaySmall
				}
				dr.addSmall(small, name, scan.Atoi(r[0]), starts)
			}
		}
	}
	dr.compileJoints(dr.words.patterns.date)
	dr.compileJoints(dr.say.LongDate())
	for _, w := range lex.List("date.day-word") {
		dr.dayWord.Add(w, true)
	}
	for _, w := range lex.List("date.card") {
		dr.cardWord.Add(w, true)
	}
	for _, w := range lex.List("date.after") {
		dr.dateAfter.Add(w, true)
	}
	for _, w := range lex.List("date.word") {
		dr.dateWord.Add(w, true)
		starts.Add(w)
	}
}

// addSmall adds a name in small letters, as people type it where the language has a
// capital there.
func (dr *Recognizer) addSmall(to *scan.Phrases[int], name string, v int, starts *scan.Starts) {
	if r := scan.FirstRune(name); unicode.IsUpper(r) && r != 'İ' {
		addName(to, string(unicode.ToLower(r))+name[utf8.RuneLen(r):], v, starts)
	}
}

// monthAt returns the month whose name stands at i, and how many tokens it takes. A name
// in small letters that is mostly another word, such as may, needs a word before the
// date that goes with dates, or no word after it. The date begins at token from.
func (dr *Recognizer) monthAt(in *scan.View, from, i int) (month, n int) {
	if month, n = dr.month.Match(in, i); n > 0 {
		return month, n
	}
	if month, n = dr.monthSmall.Match(in, i); n == 0 || !dr.common[in.Text(i)] {
		return month, n
	}
	if dr.commonAfter[in.Text(in.Back(from-1))] {
		return month, n
	}
	end := i + n
	if i == from { // the day follows
		end = in.Skip(end) + 1
	}
	if next := in.Skip(end); in.Kind(next) == scan.Word && unicode.IsLower(in.Rune(next)) {
		return 0, 0
	}
	return month, n
}

// addName adds a name as it may be written: with and without a full stop, with a
// capital, and in capitals.
func addName(to *scan.Phrases[int], name string, v int, starts *scan.Starts) {
	name = strings.TrimRight(name, ".॰")
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
		if scan.IsIndic(r) {
			to.Add(w+"॰", v) // the mark of abbreviations in Devanagari
		}
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
