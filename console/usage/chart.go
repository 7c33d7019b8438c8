package usage

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vaak/account"
	"vaak/console/chart"
	"vaak/console/page"
	"vaak/internal/fault"
)

// alternative is a link that chooses how something is shown.
type alternative struct {
	Text, Href string
	Current    bool
}

// useChart is what was used by day.
type useChart struct {
	Spans, Groupings []alternative
	By               string // what a series is of: key, voice or language
	SVG              template.HTML
	Legend           []legendLine
	Rows             []dayRow // the latest first
	Sum              dayRow   // over all days
	Requests         int64    // that succeeded
	Audio            time.Duration
}

// legendLine is a series of the chart.
type legendLine struct{ Class, Name, Characters string }

// dayRow is a day of the table, with a value for each series of the chart.
type dayRow struct {
	Day    string
	Values []int64
	Total  int64
}

// useSpans are how many days may be shown.
var useSpans = []int{7, 30, 90}

const usualSpan = 30

// useQuery reads how many days to show, and what to group by.
func useQuery(q url.Values) (days int, by account.Grouping, err error) {
	days = usualSpan
	if s := q.Get("days"); s != "" {
		if days, err = strconv.Atoi(s); err != nil || !slices.Contains(useSpans, days) {
			return 0, "", fault.BadParameter("days", "days %.40q is not one of 7, 30 and 90", s)
		}
	}
	by = account.Grouping(cmp.Or(q.Get("by"), string(account.ByKey)))
	if !slices.Contains(account.Groupings(), by) {
		return 0, "", fault.BadParameter("by", "by %.40q is not one of key, voice and language", string(by))
	}
	return days, by, nil
}

// useChart returns what was used in the days that the address asks for. The last day is
// today, and days are those of UTC.
func (ps *pages) useChart(v *page.Visit, ctx context.Context, now time.Time, keys keyNames) (useChart, error) {
	days, by, err := useQuery(v.R.URL.Query())
	if err != nil {
		return useChart{}, err
	}
	drawn := chart.Chart{Unit: "characters"}
	year, month, today := now.UTC().Date()
	// time.Date carries a day below 1 over into the month before.
	for i := range days {
		drawn.Days = append(drawn.Days, time.Date(year, month, today-days+1+i, 0, 0, 0, 0, time.UTC))
	}
	_, used, err := ps.Accounts.Daily(ctx, v.Org.ID, account.DailyQuery{
		From: drawn.Days[0].Format(time.DateOnly), To: drawn.Days[days-1].Format(time.DateOnly), By: by,
	})
	if err != nil {
		return useChart{}, err
	}
	name := map[account.Grouping]func(string) string{
		account.ByKey: keys.Of, account.ByVoice: page.VoiceNames(ps.Voices), account.ByLanguage: page.LanguageName,
	}[by]
	drawn.Series = chart.Fold(seriesOf(used, drawn.Days, name), chart.MaxSeries, func(n int) string { return strconv.Itoa(n) + " others" })
	u := useChart{By: string(by), SVG: template.HTML(drawn.SVG())} //nolint:gosec // names are escaped there
	u.choose(v.At(""), days, by)
	u.count(drawn, used)
	return u, nil
}

// seriesOf returns a series for each group, with a value for each of the days. Use on other
// days is left out.
func seriesOf(used []account.DailyUsage, days []time.Time, name func(string) string) []chart.Series {
	at := make(map[string]int, len(days))
	for i, d := range days {
		at[d.Format(time.DateOnly)] = i
	}
	var all []chart.Series
	index := map[string]int{} // among all, by group
	for _, u := range used {
		day, shown := at[u.Day]
		if !shown {
			continue
		}
		n, known := index[u.Group]
		if !known {
			// Groups get their series in the order in which they come; Fold sorts them later.
			n, index[u.Group] = len(all), len(all)
			all = append(all, chart.Series{Name: cmp.Or(name(u.Group), "not known"), Values: make([]int64, len(days))})
		}
		all[n].Values[day] += u.Characters
	}
	return all
}

// choose makes the links to the other charts.
func (u *useChart) choose(at string, days int, by account.Grouping) {
	to := func(days int, by account.Grouping) string { return fmt.Sprintf("%s?days=%d&by=%s", at, days, by) }
	for _, n := range useSpans {
		u.Spans = append(u.Spans, alternative{strconv.Itoa(n) + " days", to(n, by), n == days})
	}
	for _, g := range account.Groupings() {
		u.Groupings = append(u.Groupings, alternative{"By " + string(g), to(days, g), g == by})
	}
}

// count makes the table of the numbers that are drawn, and the sums.
func (u *useChart) count(drawn chart.Chart, used []account.DailyUsage) {
	u.Sum.Values = make([]int64, len(drawn.Series))
	for i, d := range drawn.Days {
		row := dayRow{Day: d.Format(time.DateOnly)}
		for n, s := range drawn.Series {
			row.Values = append(row.Values, s.Values[i])
			row.Total += s.Values[i]
			u.Sum.Values[n] += s.Values[i]
		}
		u.Sum.Total += row.Total
		u.Rows = append(u.Rows, row)
	}
	slices.Reverse(u.Rows)
	for n, s := range drawn.Series {
		u.Legend = append(u.Legend, legendLine{chart.Class(n), s.Name, page.Whole(u.Sum.Values[n])})
	}
	for _, d := range used {
		u.Requests += d.Requests
		u.Audio += d.Audio
	}
}

// percent writes a share in percent, rounded down: 4,999 of 5,000 are 99.9%, so that 100%
// means all.
func percent(part, of int) string {
	if of == 0 {
		return "–"
	}
	tenths := part * 1000 / of
	return strings.TrimSuffix(fmt.Sprintf("%d.%d", tenths/10, tenths%10), ".0") + "%"
}
