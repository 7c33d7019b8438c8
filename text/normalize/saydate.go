package normalize

import (
	"strconv"
	"strings"
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
