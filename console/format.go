package console

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"vaak/account/ledger"
	"vaak/enquiry"
)

// functions are what templates write values with.
func (t *templates) functions() template.FuncMap {
	return template.FuncMap{
		"asset":  t.asset,
		"inert":  enquiry.Inert,
		"lines":  inertLines,
		"whole":  whole,
		"limit":  limit,
		"day":    day,
		"moment": moment,
		"since":  since,
		"ms":     milliseconds,
		"length": length,
		"list":   func(items ...string) []string { return items },
		"dict":   dict,
		"inc":    func(n int) int { return n + 1 },
	}
}

// whole writes a whole number of any size with its thousands apart: 1,234,567.
func whole(n any) string {
	digits := fmt.Sprint(n)
	sign := ""
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", rest
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// limit writes a limit, of which -1 is none.
func limit(n any) string {
	if s := fmt.Sprint(n); s != strconv.Itoa(ledger.Unlimited) {
		return whole(n)
	}
	return "unlimited"
}

// day writes the day of a time, in UTC.
func day(t time.Time) string { return t.UTC().Format("2 January 2006") }

// stamp is a time for a <time> element.
type stamp struct{ Machine, Words string }

// moment writes a time to the second, in UTC.
func moment(t time.Time) stamp {
	t = t.UTC()
	return stamp{t.Format(time.RFC3339), t.Format("2 Jan 2006, 15:04:05")}
}

// since writes roughly how long ago a time is, or how long until then.
func since(now, t time.Time) string {
	d := now.Sub(t)
	if d < 0 {
		return "in " + roughly(-d)
	}
	if d < 10*time.Second {
		return "just now"
	}
	return roughly(d) + " ago"
}

func roughly(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := int(d / unit.size); n == 1 {
			return "1 " + unit.name
		} else if n > 1 {
			return strconv.Itoa(n) + " " + unit.name + "s"
		}
	}
	return "a moment"
}

// milliseconds writes a duration in ms: 12.3.
func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64)
}

// length writes how long audio is: 0:07, 1:02:03.
func length(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	pad := func(n int) string {
		if n < 10 {
			return "0" + strconv.Itoa(n)
		}
		return strconv.Itoa(n)
	}
	if s >= 3600 {
		return strconv.Itoa(s/3600) + ":" + pad(s/60%60) + ":" + pad(s%60)
	}
	return strconv.Itoa(s/60) + ":" + pad(s%60)
}

// dict makes a map of names and values, for a template that takes several.
func dict(pairs ...any) map[string]any {
	m := make(map[string]any, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := pairs[i].(string) // the templates are ours
		m[name] = pairs[i+1]
	}
	return m
}
