package usage

import (
	"context"
	"net/http"
	"time"

	"vaak/account"
	"vaak/lang"
	"vaak/rest/frame"
	"vaak/voice"
)

type dailyInput struct {
	From string `query:"from" doc:"First day, YYYY-MM-DD, UTC. The first of this month when left out." example:"2026-02-01"`
	To   string `query:"to" doc:"Last day, at most 366 days in all. Today when left out." example:"2026-02-28"`
	By   string `query:"by" enum:"key,voice,language" default:"key" doc:"What the sums of a day are told apart by."`
}

// dailyUsageRecord is the answer of GET /v1/usage/daily.
type dailyUsageRecord struct {
	From string           `json:"from" example:"2026-02-01"`
	To   string           `json:"to" example:"2026-02-28"`
	By   account.Grouping `json:"by" enum:"key,voice,language"`
	Days []usageDayRecord `json:"days" nullable:"false" doc:"Every day from the first to the last, with or without use."`
}

// usageDayRecord is a day of a chart.
type usageDayRecord struct {
	Date   string             `json:"date" example:"2026-02-14"`
	Groups []usageGroupRecord `json:"groups" nullable:"false" doc:"Those with use on the day, by id."`
}

type usageGroupRecord struct {
	ID           string  `json:"id" doc:"Of the key or the voice, or the code of the language; console is what was spoken in the console."`
	Label        string  `json:"label,omitempty" doc:"For display; absent when there is none."`
	Requests     int64   `json:"requests" doc:"That were answered."`
	Characters   int64   `json:"characters" doc:"That were charged."`
	AudioSeconds float64 `json:"audio_seconds"`
}

// getDailyUsage serves GET /v1/usage/daily.
func (a *api) getDailyUsage(w http.ResponseWriter, r *http.Request, in *dailyInput) error {
	caller := frame.Caller(r)
	q, used, err := a.Accounts.Daily(r.Context(), caller.OrgID, account.DailyQuery{From: in.From, To: in.To, By: account.Grouping(in.By)})
	if err != nil {
		return err
	}
	label, err := a.labels(r.Context(), caller.OrgID, q.By)
	if err != nil {
		return err
	}
	return frame.AnswerJSON(w, r, dailyOf(q, used, label))
}

// labels returns a function that returns the name of a group of daily sums for display.
func (a *api) labels(ctx context.Context, orgID string, by account.Grouping) (func(id string) string, error) {
	switch by {
	case account.ByVoice:
		return func(id string) string {
			v, _ := a.Voices.ByID(voice.ID(id))
			return v.Name
		}, nil
	case account.ByLanguage:
		return func(id string) string {
			l, _ := lang.Lookup(lang.Code(id))
			return l.Name
		}, nil
	}
	keys, err := a.Accounts.Keys(ctx, orgID)
	names := make(map[string]string, len(keys))
	for _, k := range keys {
		names[k.ID] = k.Label
	}
	names[account.ConsoleKey] = "console"
	return func(id string) string { return names[id] }, err
}

// dailyOf lists the days of a query with what was used on them; used is ordered
// by day.
func dailyOf(q account.DailyQuery, used []account.DailyUsage, label func(id string) string) dailyUsageRecord {
	rec := dailyUsageRecord{From: q.From, To: q.To, By: q.By, Days: []usageDayRecord{}}
	day, _ := time.Parse(time.DateOnly, q.From) // both were checked
	last, _ := time.Parse(time.DateOnly, q.To)
	for ; !day.After(last); day = day.AddDate(0, 0, 1) {
		d := usageDayRecord{Date: day.Format(time.DateOnly), Groups: []usageGroupRecord{}}
		for len(used) > 0 && used[0].Day == d.Date {
			u := used[0]
			used = used[1:]
			d.Groups = append(d.Groups, usageGroupRecord{
				ID: u.Group, Label: label(u.Group), Requests: u.Requests, Characters: u.Characters,
				AudioSeconds: float64(u.Audio.Milliseconds()) / 1000,
			})
		}
		rec.Days = append(rec.Days, d)
	}
	return rec
}
