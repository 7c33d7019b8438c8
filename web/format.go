package web

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/catalogue"
)

// clip returns the first n code points of s, with an ellipsis where there are
// more: what people wrote on a card has no other bound on a page.
func clip(s string, n int) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:n])) + "…"
}

// opt returns what p points at, clipped to n code points; "" for nil.
func opt(p *string, n int) string {
	if p == nil {
		return ""
	}
	return clip(*p, n)
}

// whole writes a count with its thousands apart: 5,214.
func whole[N int | int64](n N) string {
	if n < 0 {
		return "-" + whole(-n)
	}
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// decimal writes v with up to places decimals and its thousands apart: 1,204.5.
func decimal(v float64, places int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 1e15 {
		return "–"
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', places, 64)
	head, tail, _ := strings.Cut(s, ".")
	n, _ := strconv.ParseInt(head, 10, 64) // bounded above
	out := whole(n)
	if tail = strings.TrimRight(tail, "0"); tail != "" {
		out += "." + tail
	}
	if v < 0 && out != "0" {
		out = "−" + out
	}
	return out
}

// percent writes a share of 0..1, with a decimal where it is under ten percent.
func percent(share float64) string {
	places := 0
	if share < 0.0995 {
		places = 1
	}
	return decimal(share*100, places) + "%"
}

// clock writes seconds as 1:05, or 1:02:05 from an hour on.
func clock(seconds float64) string {
	n := int(math.Max(0, math.Min(finite(seconds), 1e7)))
	if n >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
	}
	return fmt.Sprintf("%d:%02d", n/60, n%60)
}

// stamp writes seconds for a media fragment or an attribute: 12.35.
func stamp(seconds float64) string {
	return strconv.FormatFloat(math.Round(math.Max(0, finite(seconds))*100)/100, 'f', -1, 64)
}

// size writes bytes in the unit that people read.
func size(n int64) string {
	v := float64(n)
	for _, unit := range []string{"bytes", "kB", "MB", "GB"} {
		if math.Abs(v) < 1000 {
			return decimal(v, 1) + " " + unit
		}
		v /= 1000
	}
	return decimal(v, 1) + " TB"
}

// finite returns v, or 0 where it is no number.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// unit returns v held to 0..1.
func unit(v float64) float64 { return math.Max(0, math.Min(1, finite(v))) }

// spread writes how a figure lies over files; "" for none.
func spread(s *catalogue.Spread, places int, of string) string {
	if s == nil || s.Count == 0 {
		return ""
	}
	if s.P10 == s.P90 {
		return decimal(s.Median, places) + of
	}
	return fmt.Sprintf("median %s%s, p10–p90 %s to %s%s", decimal(s.Median, places), of, decimal(s.P10, places), decimal(s.P90, places), of)
}

// shareSpread is [spread] of shares of 0..1, in percent.
func shareSpread(s *catalogue.Spread) string {
	if s == nil {
		return ""
	}
	p := *s
	for _, v := range []*float64{&p.Min, &p.P10, &p.Median, &p.P90, &p.Max, &p.Mean} {
		*v *= 100
	}
	return spread(&p, 1, "%")
}

// plural returns "1 word" or "2 words".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return whole(n) + " " + many
}

// day writes a date of YYYY-MM-DD in words, and anything else as it is.
func day(s string) string {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return clip(s, 40)
	}
	return t.Format("2 January 2006")
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,7}$`)

// tag returns a BCP 47 tag for a lang attribute; "" where it is none.
func tag(s string) string {
	if !languageTag.MatchString(s) {
		return ""
	}
	return s
}

// outside returns the address of another site if a page may link to it; "" where
// it is none of the web.
func outside(address string) string {
	if len(address) > 2000 || !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return ""
	}
	return address
}
