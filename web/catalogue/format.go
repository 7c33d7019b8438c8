package catalogue

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/web/site"
)

// opt returns the text at p, clipped to n code points, or "" for nil.
func opt(p *string, n int) string {
	if p == nil {
		return ""
	}
	return site.Clip(*p, n)
}

// percent writes a share of 0..1 in percent. Under ten percent it has one decimal.
func percent(share float64) string {
	places := 0
	if share < 0.0995 {
		places = 1
	}
	return site.Decimal(share*100, places) + "%"
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

// finite returns v, or 0 where v is infinite or no number.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// unit returns the number of 0..1 that is nearest to v.
func unit(v float64) float64 { return math.Max(0, math.Min(1, finite(v))) }

// spread writes the median of a figure over files and its 10th and 90th percentile, or ""
// where there is none. The unit follows each number.
func spread(s *catalogue.Spread, places int, of string) string {
	if s == nil || s.Count == 0 {
		return ""
	}
	if s.P10 == s.P90 {
		return site.Decimal(s.Median, places) + of
	}
	return fmt.Sprintf("median %s%s, p10–p90 %s to %s%s", site.Decimal(s.Median, places), of, site.Decimal(s.P10, places), site.Decimal(s.P90, places), of)
}

// shareSpread writes a [spread] of shares of 0..1 in percent.
func shareSpread(s *catalogue.Spread) string {
	if s == nil {
		return ""
	}
	p := *s
	// Of a copy: the record is shared by all requests.
	for _, v := range []*float64{&p.Min, &p.P10, &p.Median, &p.P90, &p.Max, &p.Mean} {
		*v *= 100
	}
	return spread(&p, 1, "%")
}

// day writes a date of the form YYYY-MM-DD in words, and other texts as they are.
func day(s string) string {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return site.Clip(s, 40)
	}
	return t.Format("2 January 2006")
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,7}$`)

// tag returns s if it has the form of a BCP 47 tag, for a lang attribute; else "".
func tag(s string) string {
	if !languageTag.MatchString(s) {
		return ""
	}
	return s
}

// outside returns an address if a page may link to it: one of http or https. Otherwise it
// returns "".
func outside(address string) string {
	if len(address) > 2000 || !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return ""
	}
	return address
}
