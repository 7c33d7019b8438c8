package date

import (
	"slices"
	"strconv"
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// words says the dates of one language.
type words struct {
	say                 *speak.Speaker
	patterns            patterns
	months, monthsAlone [12]string        // their names in a date and alone
	day, month          map[string]string // words for a day or a month by its number
	calendar            calendar          // the calendar beside the Gregorian one, if there is any
}

// patterns are how dates are spoken, "" where the language has none.
type patterns struct {
	date, dayMonth, monthYear            string
	monthFirst, monthFirstDay, yearFirst string // used when the text has the month or the year first
	weekday, dayAfter                    string // the day of the week before a date, and in brackets after it
	yearNamed                            bool   // the pattern of a date has the word for year already
}

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

// newWords returns the words for dates of a speaker's language.
func newWords(say *speak.Speaker) *words {
	lex := say.Lexicon
	wo := &words{say: say, day: lex.ByFirst("date.day"), month: lex.ByFirst("date.month"), patterns: patterns{
		date: say.Or("date", say.LongDate()), yearFirst: lex.Word("date.year-first"),
		monthFirst: lex.Word("date.month-first"), monthFirstDay: lex.Word("date.month-first.day-month"),
		weekday: say.Or("date.weekday", "{weekday}, {date}"), dayAfter: lex.Word("date.weekday-after"),
	}}
	p := &wo.patterns
	p.dayMonth, p.monthYear = say.Or("date.day-month", cut(p.date, "{y}")), say.Or("date.month-year", cutDay(p.date))
	p.yearNamed = slices.ContainsFunc(lex.List("year.word"), func(w string) bool { return strings.Contains(p.date, "} "+w) })
	wo.months, wo.monthsAlone = say.Locale.Months, say.Locale.MonthsAlone
	for _, r := range lex.Rows("month.name") {
		if m := scan.Atoi(r[0]); m >= 1 && m <= 12 {
			wo.months[m-1], wo.monthsAlone[m-1] = r[1], r[1]
		}
	}
	if rows := lex.Rows("calendar"); len(rows) > 0 {
		wo.calendar = calendar{scan.Atoi(rows[0].Value(0)), scan.Atoi(rows[0].Value(1)), rows[0].List(2)}
	}
	return wo
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

// date is a date as it was written.
type date struct {
	day, until int // 0 for none; until is the second day of a range
	month      int
	year       string
	weekday    int
	monthFirst bool
	yearFirst  bool
	ordinal    string // the rule set of the day by the word before it, or ""
	suffix     string // the suffix that makes the day an ordinal, as written, or ""
	rule       string // how an ordinal with that suffix is read
	genitive   bool   // the word before a month asks for that case: до августа
	other      bool   // the month is of the other calendar
}

// date reads a date.
func (wo *words) date(d date) (string, bool) {
	p := wo.patterns.date
	// The order decides: what the text has (the month or the year first) goes before what
	// is left out.
	switch {
	case d.year == "" && d.monthFirst && wo.patterns.monthFirstDay != "":
		p = wo.patterns.monthFirstDay
	case d.yearFirst && d.day > 0 && wo.patterns.yearFirst != "":
		p = wo.patterns.yearFirst
	case d.year == "":
		p = wo.patterns.dayMonth
	case d.day == 0:
		p = wo.patterns.monthYear
	case d.monthFirst && wo.patterns.monthFirst != "":
		p = wo.patterns.monthFirst
	}
	if p == "" {
		return "", false
	}
	w, ok := speak.Fill(p, func(name, set string) (string, bool) { return wo.part(d, name, set) })
	if ok && d.weekday > 0 {
		w = speak.Fill2(wo.patterns.weekday, "{weekday}", wo.say.Locale.Days[d.weekday-1], "{date}", w)
	}
	return w, ok
}

// part says one field of a date.
func (wo *words) part(d date, name, set string) (string, bool) {
	switch name {
	case "d":
		// The word before the date may ask for a case of the ordinal. The pattern must ask
		// for an ordinal too.
		if strings.Contains(d.ordinal, "ordinal") && set != "" {
			set = d.ordinal
		}
		// The text writes an ordinal and the pattern says a cardinal: the text wins.
		if set == "" && d.suffix != "" && wo.day[strconv.Itoa(d.day)] == "" {
			return wo.say.Ordinal(scan.Number{Whole: strconv.Itoa(d.day)}, d.rule, d.suffix)
		}
		w, ok := wo.sayDay(d.day, set)
		if !ok || d.until == 0 {
			return w, ok
		}
		to, ok := wo.sayDay(d.until, set)
		return wo.say.Range(w, to), ok
	case "month":
		if d.other {
			return wo.calendar.months[d.month-1], true
		}
		return wo.sayMonth(wo.months[d.month-1], d.month)
	case "month-alone":
		if d.genitive {
			return wo.sayMonth(wo.months[d.month-1], d.month)
		}
		return wo.monthAlone(d.month)
	case "m":
		if w := wo.month[strconv.Itoa(d.month)]; w != "" {
			return w, true
		}
		return wo.say.Int(d.month, set)
	case "y":
		return wo.say.Year(d.year, set)
	}
	return "", false
}

// monthAlone returns the name of a month without a day.
func (wo *words) monthAlone(month int) (string, bool) {
	return wo.sayMonth(wo.monthsAlone[month-1], month)
}

// sayMonth returns the name of a month. A number within the name is said in words.
func (wo *words) sayMonth(name string, month int) (string, bool) {
	number := strconv.Itoa(month)
	if name == "" || !strings.Contains(name, number) {
		return name, name != ""
	}
	w := wo.month[number]
	if w == "" {
		var ok bool
		if w, ok = wo.say.Int(month, ""); !ok {
			return "", false
		}
	}
	return strings.Replace(name, number, w, 1), true
}

func (wo *words) sayDay(day int, set string) (string, bool) {
	if w := wo.day[strconv.Itoa(day)]; w != "" {
		return w, true
	}
	return wo.say.Int(day, set)
}
