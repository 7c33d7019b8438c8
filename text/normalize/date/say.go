package date

import (
	"strconv"
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

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
func (dr *Recognizer) sayDate(d date) (string, bool) {
	p := dr.patterns.date
	switch {
	case d.year == "" && d.monthFirst && dr.patterns.monthFirstDay != "":
		p = dr.patterns.monthFirstDay
	case d.yearFirst && d.day > 0 && dr.patterns.yearFirst != "":
		p = dr.patterns.yearFirst
	case d.year == "":
		p = dr.patterns.dayMonth
	case d.day == 0:
		p = dr.patterns.monthYear
	case d.monthFirst && dr.patterns.monthFirst != "":
		p = dr.patterns.monthFirst
	}
	if p == "" {
		return "", false
	}
	w, ok := speak.Fill(p, func(name, set string) (string, bool) { return dr.datePart(d, name, set) })
	if ok && d.weekday > 0 {
		w = speak.Fill2(dr.patterns.weekday, "{weekday}", dr.say.Locale.Days[d.weekday-1], "{date}", w)
	}
	return w, ok
}

// datePart reads one field of a date.
func (dr *Recognizer) datePart(d date, name, set string) (string, bool) {
	switch name {
	case "d":
		if strings.Contains(d.ordinal, "ordinal") && set != "" {
			set = d.ordinal
		}
		if set == "" && d.suffix != "" && dr.day[strconv.Itoa(d.day)] == "" {
			return dr.say.Ordinal(scan.Number{Whole: strconv.Itoa(d.day)}, d.rule, d.suffix)
		}
		w, ok := dr.sayDay(d.day, set)
		if !ok || d.until == 0 {
			return w, ok
		}
		to, ok := dr.sayDay(d.until, set)
		return dr.say.Range(w, to), ok
	case "month":
		if d.other {
			return dr.calendar.months[d.month-1], true
		}
		return dr.sayMonth(dr.months[d.month-1], d.month)
	case "month-alone":
		return dr.sayMonth(dr.monthsAlone[d.month-1], d.month)
	case "m":
		if w := dr.monthWord[strconv.Itoa(d.month)]; w != "" {
			return w, true
		}
		return dr.say.Int(d.month, set)
	case "y":
		return dr.say.Year(d.year, set)
	}
	return "", false
}

// sayMonth returns the name of a month, with its number in words where it has
// one.
func (dr *Recognizer) sayMonth(name string, month int) (string, bool) {
	number := strconv.Itoa(month)
	if name == "" || !strings.Contains(name, number) {
		return name, name != ""
	}
	w := dr.monthWord[number]
	if w == "" {
		var ok bool
		if w, ok = dr.say.Int(month, ""); !ok {
			return "", false
		}
	}
	return strings.Replace(name, number, w, 1), true
}

func (dr *Recognizer) sayDay(day int, set string) (string, bool) {
	if w := dr.day[strconv.Itoa(day)]; w != "" {
		return w, true
	}
	return dr.say.Int(day, set)
}
