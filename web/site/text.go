package site

import (
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of what is shown: of texts that people wrote, in code points, and of lists, in
// items.
const (
	WordMax  = 100
	TitleMax = 300
	ProseMax = 5000
	LinkMax  = 2000
	ListMax  = 200
)

// Clip returns the first n code points of s, with an ellipsis where there are more. The
// texts of a card have no other limit.
func Clip(s string, n int) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:n])) + "…"
}

// Whole writes a count with its thousands apart: 5,214.
func Whole[N int | int64](n N) string {
	if n < 0 {
		return "-" + Whole(-n)
	}
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Decimal writes v with up to places decimals and its thousands apart: 1,204.5.
func Decimal(v float64, places int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 1e15 {
		return "–"
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', places, 64)
	head, tail, _ := strings.Cut(s, ".")
	n, _ := strconv.ParseInt(head, 10, 64) // bounded above
	out := Whole(n)
	if tail = strings.TrimRight(tail, "0"); tail != "" {
		out += "." + tail
	}
	// Rounding may have left nothing of a small negative number.
	if v < 0 && out != "0" {
		out = "−" + out
	}
	return out
}

// Size writes a number of bytes in a unit that suits it: 1.5 MB.
func Size(n int64) string {
	v := float64(n)
	for _, unit := range []string{"bytes", "kB", "MB", "GB"} {
		if math.Abs(v) < 1000 {
			return Decimal(v, 1) + " " + unit
		}
		v /= 1000
	}
	return Decimal(v, 1) + " TB"
}

// Plural returns "1 word" or "2 words".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Whole(n) + " " + many
}

func Value(v url.Values, name string) string { return Plain(v.Get(name)) }

// Plain returns what was sent as text that a page can show: without control characters and
// without space around it.
func Plain(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}

// DatasetPath returns the address of the page of a dataset.
func DatasetPath(slug string) string { return DatasetPrefix + url.PathEscape(slug) }

// Mailto returns a link to write to an e-mail address, or "" where the address is none or
// holds characters that could change the meaning of the link.
func Mailto(email string) string {
	if strings.Count(email, "@") != 1 || strings.ContainsAny(email, " \t\r\n?&,;:/\\\"<>") {
		return ""
	}
	return "mailto:" + email
}

// Moment is a time as a page shows it.
type Moment struct{ Machine, Words string }

// NewMoment returns a time to the minute, in UTC. It returns nil for the zero time.
func NewMoment(t time.Time) *Moment {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &Moment{t.Format("2006-01-02T15:04:05Z"), t.Format("2 January 2006, 15:04 UTC")}
}
