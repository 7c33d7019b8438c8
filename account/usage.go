package account

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

// Use is what was used of one key on one day, with one voice in one language.
type Use struct {
	OrgID      string // of the key
	KeyID      string
	Day        string // UTC, YYYY-MM-DD
	Voice      string
	Language   string
	Requests   int64
	Characters int64
	Audio      time.Duration // whole milliseconds
}

const dayLayout = "2006-01-02"

// Period returns the month of the use.
func (u Use) Period() ledger.Period { return ledger.Period(u.Day[:len("2006-01")]) }

// Part returns what sums by a grouping count the use under.
func (u Use) Part(by Grouping) string {
	switch by {
	case ByVoice:
		return u.Voice
	case ByLanguage:
		return u.Language
	}
	return u.KeyID
}

// KeyUsage is what one key used in one month.
type KeyUsage struct {
	KeyID      string // or ConsoleKey
	Period     ledger.Period
	Requests   int64         // that succeeded
	Characters int64         // code points whose audio was handed over
	Audio      time.Duration // whole milliseconds
}

// DailyQuery asks for the use of some days.
type DailyQuery struct {
	From, To string // YYYY-MM-DD, UTC, both included
	By       Grouping
}

// Grouping says what daily sums are grouped by.
type Grouping string

// The groupings.
const (
	ByKey      Grouping = "key"
	ByVoice    Grouping = "voice"
	ByLanguage Grouping = "language"
)

// Groupings lists the groupings.
func Groupings() []Grouping { return []Grouping{ByKey, ByVoice, ByLanguage} }

// DailyUsage is the sum of a group on a day.
type DailyUsage struct {
	Day        string
	Group      string // id of the key or ConsoleKey, id of the voice, code of the language
	Requests   int64
	Characters int64
	Audio      time.Duration
}

// RequestRecord is what is kept of one request to speak, for a while. It never
// holds text.
type RequestRecord struct {
	ID         string // of the request, as the caller knows it
	At         time.Time
	OrgID      string
	KeyID      string
	Route      string
	Voice      string // "" when it was not resolved
	Language   string
	Engine     string        // that made the first sound, and where, as speech.Info has it; "" when there was none
	Characters int64         // charged
	FirstAudio time.Duration // 0 when there was none
	Audio      time.Duration
	Status     int    // of the answer; 499 when the caller left
	Code       string // of the refusal or failure; "" when it went well
	Seq        int64  // orders records of one instant; set by the store
}

// uses sums uses of the same key, day, voice and language.
type uses map[useKey]Use

type useKey struct{ key, day, voice, language string }

func (s uses) add(u Use) {
	k := useKey{u.KeyID, u.Day, u.Voice, u.Language}
	sum := s[k]
	u.Requests += sum.Requests
	u.Characters += sum.Characters
	u.Audio += sum.Audio
	s[k] = u
}

// list returns the sums in a fixed order, so that all processes write them in the
// same one.
func (s uses) list() []Use {
	out := make([]Use, 0, len(s))
	for _, u := range s {
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b Use) int {
		return cmp.Or(cmp.Compare(a.KeyID, b.KeyID), cmp.Compare(a.Day, b.Day), cmp.Compare(a.Voice, b.Voice), cmp.Compare(a.Language, b.Language))
	})
	return out
}

// Usage returns what each key of an organisation used in a UTC month, by key
// id; keys without use in that month are left out.
func (r *reports) Usage(ctx context.Context, orgID string, p ledger.Period) ([]KeyUsage, error) {
	if _, ok := ledger.ParsePeriod(string(p)); !ok {
		return nil, fault.BadParameter("period", "period %s is not a month of the form YYYY-MM", quote(string(p)))
	}
	if _, err := r.directory.Organisation(ctx, orgID); err != nil {
		return nil, err
	}
	used, err := r.store.Usage(ctx, orgID, p)
	if err != nil {
		return nil, fmt.Errorf("read usage of %s: %w", orgID, err)
	}
	for i := range used {
		used[i].KeyID = shownKey(used[i].KeyID)
	}
	slices.SortFunc(used, func(a, b KeyUsage) int { return cmp.Compare(a.KeyID, b.KeyID) })
	return used, nil
}

// maxDays is the longest span of [Service.Daily].
const maxDays = 366

// Daily returns an organisation's use by day, and the query with its defaults: From is the
// first of this month, To is today, and By is [ByKey].
func (r *reports) Daily(ctx context.Context, orgID string, q DailyQuery) (DailyQuery, []DailyUsage, error) {
	now := r.now().UTC()
	if q.To == "" {
		q.To = now.Format(dayLayout)
	}
	if q.From == "" {
		q.From = now.Format(periodLayout) + "-01"
	}
	if q.By == "" {
		q.By = ByKey
	}
	if err := q.check(); err != nil {
		return q, nil, err
	}
	if _, err := r.directory.Organisation(ctx, orgID); err != nil {
		return q, nil, err
	}
	days, err := r.store.Daily(ctx, orgID, q)
	if err != nil {
		return q, nil, fmt.Errorf("read daily usage of %s: %w", orgID, err)
	}
	if q.By == ByKey {
		showKeys(days)
	}
	return q, days, nil
}

// showKeys replaces the stored ids of keys in sums by key with those that callers see.
func showKeys(days []DailyUsage) {
	for i := range days {
		days[i].Group = shownKey(days[i].Group)
	}
	slices.SortFunc(days, func(a, b DailyUsage) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Group, b.Group))
	})
}

const periodLayout = "2006-01"

func (q DailyQuery) check() error {
	from, ferr := time.Parse(dayLayout, q.From)
	to, terr := time.Parse(dayLayout, q.To)
	switch {
	case ferr != nil:
		return fault.BadParameter("from", "from %s is not a day of the form YYYY-MM-DD", quote(q.From))
	case terr != nil:
		return fault.BadParameter("to", "to %s is not a day of the form YYYY-MM-DD", quote(q.To))
	case to.Before(from):
		return fault.BadParameter("to", "to %s is before from %s", q.To, q.From)
	case to.Sub(from) >= maxDays*24*time.Hour:
		return fault.BadParameter("from", "from %s to %s are more than %d days", q.From, q.To, maxDays)
	case q.By != ByKey && q.By != ByVoice && q.By != ByLanguage:
		return fault.BadParameter("by", "by %s is not one of key, voice, language", quote(string(q.By)))
	}
	return nil
}
