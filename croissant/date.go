package croissant

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	dateShape = regexp.MustCompile(`^(\d{4})(?:-(\d{2})(?:-(\d{2}))?|(\d{2})(\d{2})|-W(\d{2})(?:-([1-7]))?|W(\d{2})([1-7])?|-?(\d{3}))?$`)
	timeShape = regexp.MustCompile(`^(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d+))?)?|(\d{2})(?:(\d{2})(?:[.,](\d+))?)?)?(?:Z|[+-](\d{2})(?::?(\d{2}))?)?$`)
)

// lastYear is the last that readers know.
const lastYear = 9999

// isDate says whether a text is a date, or a date and a time, of ISO 8601.
func isDate(s string) bool {
	date, clock, timed := strings.Cut(s, "T")
	day, whole, ok := parseDay(date)
	if !ok || !timed {
		return ok
	}
	next, ok := isTime(clock)
	return ok && whole && (!next || day.AddDate(0, 0, 1).Year() <= lastYear)
}

// parseDay returns the first day of a date, and whether it names just that day.
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
		return day, true, day.Year() == year
	}
	return day, false, true
}

// ofCalendar returns a day of a month, the first where none is given.
func ofCalendar(year int, month, ofMonth string) (time.Time, bool) {
	m, _ := strconv.Atoi(month)
	d := 1
	if ofMonth != "" {
		d, _ = strconv.Atoi(ofMonth)
	}
	day := time.Date(year, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return day, day.Year() == year && int(day.Month()) == m && day.Day() == d
}

// dayOfWeek returns a day of a week of a year, its Monday where none is given. The
// 4th of January is in the first week.
func dayOfWeek(year int, week, ofWeek string) (time.Time, bool) {
	w, _ := strconv.Atoi(week)
	d := 1
	if ofWeek != "" {
		d, _ = strconv.Atoi(ofWeek)
	}
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC)
	monday := -(int(fourth.Weekday()) + 6) % 7
	day := fourth.AddDate(0, 0, monday+7*(w-1)+d-1)
	return day, w >= 1 && w <= 53 && day.Year() >= 1 && day.Year() <= lastYear
}

// isTime says whether a text is a time of ISO 8601, and whether it is the midnight
// that ends the day.
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

// isInteger says whether a number of JSON is written as a whole number, and is one
// that readers can hold.
func isInteger(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
