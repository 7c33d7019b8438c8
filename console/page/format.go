package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/account/ledger"
	"vaak/enquiry"
	"vaak/lang"
	"vaak/voice"
)

// functions are what templates write values with. What strangers typed goes through
// inert or lines, which take away what could mislead the reader.
func (t *templates) functions() template.FuncMap {
	return template.FuncMap{
		"asset":  t.asset,
		"inert":  enquiry.Inert,
		"lines":  func(s string) []string { return strings.Split(enquiry.Inert(s), "\n") },
		"whole":  Whole,
		"limit":  limit,
		"day":    day,
		"moment": moment,
		"since":  since,
		"ms":     milliseconds,
		"length": Length,
		"hours":  Hours,
		"list":   func(items ...string) []string { return items },
		"dict":   dict,
		"inc":    func(n int) int { return n + 1 },
	}
}

// Whole writes a whole number of any size with its thousands apart: 1,234,567.
func Whole(n any) string {
	digits := fmt.Sprint(n)
	sign := ""
	if tail, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", tail
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// limit writes a limit, of which -1 is none.
func limit(n any) string {
	if s := fmt.Sprint(n); s != strconv.Itoa(ledger.Unlimited) {
		return Whole(n)
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

// LastDay writes the last whole day before a time at which something ends, as [Form.Day]
// read it.
func LastDay(end time.Time) string { return day(end.Add(-time.Microsecond)) }

// Month writes a month: November 2026.
func Month(p ledger.Period) string {
	t, err := time.Parse("2006-01", string(p))
	if err != nil {
		return string(p)
	}
	return t.Format("January 2006")
}

// since writes roughly how long ago a time is, or how long until then.
func since(now, t time.Time) string {
	d := now.Sub(t)
	if d < 0 {
		return "in " + Roughly(-d)
	}
	if d < 10*time.Second {
		return "just now"
	}
	return Roughly(d) + " ago"
}

// Roughly writes a duration in its largest unit: 3 days, 1 minute.
func Roughly(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if n := int(d / unit.size); n > 0 {
			return Plural(n, unit.name)
		}
	}
	return "a moment"
}

// milliseconds writes a duration in ms: 12.3.
func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64)
}

// Length writes how long audio is: 0:07, 1:02:03.
func Length(d time.Duration) string {
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

// Hours writes how long recordings are: 12 s, 2 min, 1.5 hours, 1,200 hours.
func Hours(hours float64) string {
	switch seconds := math.Round(hours * 3600); {
	case seconds < 60:
		return strconv.Itoa(int(seconds)) + " s"
	case seconds < 3570: // what rounds to less than 60 minutes
		return strconv.Itoa(int(math.Round(seconds/60))) + " min"
	}
	tenths := math.Round(hours * 10)
	if tenths >= 1000 { // a tenth tells nothing any more
		return Plural(int(math.Round(hours)), "hour")
	}
	if tenths == 10 {
		return "1 hour"
	}
	return Decimal(tenths/10) + " hours"
}

// Bytes writes a size in the largest unit in which it is at least 1: 512 bytes, 1.5 MB.
func Bytes(n int64) string {
	if n < 1000 {
		return Plural(int(n), "byte")
	}
	size, unit := float64(n), -1
	const units = "kMGTPE"
	for size >= 999.95 && unit < len(units)-1 { // 999.95 would be written as 1000.0
		size, unit = size/1000, unit+1
	}
	return Decimal(math.Round(size*10)/10) + " " + units[unit:unit+1] + "B"
}

// Decimal writes a number with two decimals at most.
func Decimal(f float64) string {
	s := strconv.FormatFloat(f, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Plural counts things: 1 rule, 1,000 rules.
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Whole(n) + " " + thing + "s"
}

// Capital returns a text whose first letter is a capital.
func Capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

// LotKind returns what a kind of lots is called.
func LotKind(kind ledger.LotKind) string { return Capital(cmp.Or(lotKinds[kind], string(kind))) }

var lotKinds = map[ledger.LotKind]string{ledger.PlanGrant: "Of the plan", ledger.Purchase: "Bought", ledger.Promo: "Given"}

// VoiceNames returns a function that returns the name of a voice, or the id of one that is not in
// the directory.
func VoiceNames(voices *voice.Directory) func(id string) string {
	return func(id string) string {
		if v, ok := voices.ByID(voice.ID(id)); ok {
			return v.Name
		}
		return id
	}
}

// LanguageName returns the name of a language in English, or the code of one that is not
// known.
func LanguageName(code string) string {
	if l, ok := lang.Lookup(lang.Code(code)); ok {
		return l.Name
	}
	return code
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
