package main

import (
	"fmt"
	"strconv"
	"strings"
)

// calendar is what is read of a locale's Gregorian calendar.
type calendar struct {
	Months, Days map[string]map[string]map[string]string // context, width, key
	DayPeriods   map[string]map[string]map[string]string
	Eras         map[string]map[string]string
	DateFormats  map[string]any
}

// calendar reads the Gregorian calendar of a locale.
func (s *source) calendar(name string) (calendar, error) {
	doc, err := decodeMain[struct {
		Dates struct {
			Calendars struct{ Gregorian calendar }
		}
	}](s, name, "ca-gregorian.json")
	return doc.Dates.Calendars.Gregorian, err
}

// dates takes the names and patterns of the Gregorian calendar.
func (s *source) dates(l *locale, own owner) error {
	here, err := s.calendar(l.name)
	if err != nil {
		return err
	}
	inherited, err := s.calendar(root)
	if err != nil {
		return err
	}
	format, alone := "format", "stand-alone"
	l.set("months", own.list(here.Months[format]["wide"], inherited.Months[format]["wide"], months))
	l.set("months-alone", own.list(here.Months[alone]["wide"], inherited.Months[alone]["wide"], months))
	l.set("months-short", own.list(here.Months[format]["abbreviated"], inherited.Months[format]["abbreviated"], months))
	l.set("days", own.list(here.Days[format]["wide"], inherited.Days[format]["wide"], days))
	l.set("days-short", own.list(here.Days[format]["abbreviated"], inherited.Days[format]["abbreviated"], days))
	periods, rootPeriods := here.DayPeriods[format]["wide"], inherited.DayPeriods[format]["wide"]
	for _, k := range []string{"am", "pm", "noon", "midnight"} {
		l.set(k, own.word(periods[k], rootPeriods[k]))
	}
	l.set("bc", own.era(here, inherited, "0"))
	l.set("ad", own.era(here, inherited, "1"))
	return l.patterns(here)
}

// months and days are CLDR's keys of their names, in the order of package cldr.
var (
	months = strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12")
	days   = strings.Fields("sun mon tue wed thu fri sat")
)

// era returns the wide name of an era, or its abbreviation.
func (o owner) era(here, inherited calendar, k string) string {
	if wide := o.word(here.Eras["eraNames"][k], inherited.Eras["eraNames"][k]); wide != "" {
		return wide
	}
	return o.word(here.Eras["eraAbbr"][k], inherited.Eras["eraAbbr"][k])
}

// patterns takes the long pattern and the order of the short one.
func (l *locale) patterns(c calendar) error {
	l.set("date-long", pattern(c.DateFormats["long"]))
	order, err := order(pattern(c.DateFormats["short"]))
	l.set("date-order", order)
	return err
}

// pattern returns a date pattern, which is an object where it names digits.
func pattern(v any) string {
	if o, ok := v.(map[string]any); ok {
		v = o["_value"]
	}
	s, _ := v.(string)
	return s
}

// order returns the order of day, month and year in a pattern: "dmy".
func order(pattern string) (string, error) {
	out, quoted := "", false
	for _, r := range pattern {
		if r == '\'' {
			quoted = !quoted
		}
		// L is the month that stands alone (UTS #35 part 4, date field symbols). For the
		// order it is a month like M.
		if r == 'L' {
			r = 'M'
		}
		if c := strings.ToLower(string(r)); !quoted && strings.ContainsRune("dMy", r) && !strings.Contains(out, c) {
			out += c
		}
	}
	// A pattern without one of the fields is a change of CLDR that somebody has to look at.
	if len(out) != 3 {
		return "", fmt.Errorf("date pattern %s has the order %s", strconv.Quote(pattern), out)
	}
	return out, nil
}
