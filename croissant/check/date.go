package check

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The shapes are those of ISO 8601: calendar dates, weeks and days of the year, with and
// without separators.
var (
	dateShape = regexp.MustCompile(`^(\d{4})(?:-(\d{2})(?:-(\d{2}))?|(\d{2})(\d{2})|-W(\d{2})(?:-([1-7]))?|W(\d{2})([1-7])?|-?(\d{3}))?$`)
	timeShape = regexp.MustCompile(`^(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d+))?)?|(\d{2})(?:(\d{2})(?:[.,](\d+))?)?)?(?:Z|[+-](\d{2})(?::?(\d{2}))?)?$`)
)

// lastYear is the last year that Python can represent.
const lastYear = 9999

// isDate reports whether a text is a date of ISO 8601, or a date and a time.
func isDate(s string) bool {
	date, clock, timed := strings.Cut(s, "T")
	day, whole, ok := parseDay(date)
	if !ok || !timed {
		return ok
	}
	// 24:00 is the first moment of the next day, which must be one that readers know.
	next, ok := isTime(clock)
	return ok && whole && (!next || day.AddDate(0, 0, 1).Year() <= lastYear)
}

// parseDay returns the first day that a date covers, and whether it covers only that day:
// 2026-05 is whole=false. Only a date of one day can have a time.
func parseDay(date string) (day time.Time, whole, ok bool) {
	m := dateShape.FindStringSubmatch(date)
	if m == nil || m[1] == "0000" {
		return day, false, false
	}
	year, _ := strconv.Atoi(m[1])
	month, ofMonth := m[2]+m[4], m[3]+m[5]
	week, ofWeek := m[6]+m[8], m[7]+m[9]
	switch {
	case month != "":
		day, ok = ofCalendar(year, month, ofMonth)
		return day, ofMonth != "", ok
	case week != "":
		day, ok = dayOfWeek(year, week, ofWeek)
		return day, ofWeek != "", ok
	case m[10] != "":
		n, _ := strconv.Atoi(m[10])
		day = time.Date(year, time.January, n, 0, 0, 0, 0, time.UTC)
		return day, true, day.Year() == year // day 366 of a common year is in the next
	}
	return day, false, true
}

// ofCalendar returns a day of a month, or the first where ofMonth is empty. The second
// result is whether the calendar has that day: time.Date turns 30 February into 2 March.
func ofCalendar(year int, month, ofMonth string) (time.Time, bool) {
	m, _ := strconv.Atoi(month)
	d := 1
	if ofMonth != "" {
		d, _ = strconv.Atoi(ofMonth)
	}
	day := time.Date(year, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return day, day.Year() == year && int(day.Month()) == m && day.Day() == d
}

// dayOfWeek returns a day of a week of a year, or its Monday where ofWeek is empty. By ISO
// 8601, week 1 is the one with 4 January. A week 53 is accepted in every year.
func dayOfWeek(year int, week, ofWeek string) (time.Time, bool) {
	w, _ := strconv.Atoi(week)
	d := 1
	if ofWeek != "" {
		d, _ = strconv.Atoi(ofWeek)
	}
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC)
	// Days from 4 January back to the Monday of its week; time.Weekday counts from Sunday.
	monday := -(int(fourth.Weekday()) + 6) % 7
	day := fourth.AddDate(0, 0, monday+7*(w-1)+d-1)
	return day, w >= 1 && w <= 53 && day.Year() >= 1 && day.Year() <= lastYear
}

// isTime reports whether a text is a time of ISO 8601 (ok), and whether it is 24:00, the
// midnight that ends the day (next).
func isTime(s string) (next, ok bool) {
	m := timeShape.FindStringSubmatch(s)
	if m == nil || m[8] > "23" || m[9] > "59" {
		return false, false
	}
	hour, minute, second, fraction := m[1], m[2]+m[5], m[3]+m[6], m[4]+m[7]
	if hour == "24" {
		return true, strings.Trim(minute+second+fraction, "0") == ""
	}
	return false, hour <= "23" && minute <= "59" && second <= "59"
}

// isInteger returns the value of a JSON number that is written as a whole number and fits
// into 64 bits.
func isInteger(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
