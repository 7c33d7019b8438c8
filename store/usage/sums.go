package usage

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/store/database"
)

// amounts are what rows sum.
type amounts struct {
	Requests   int64
	Characters int64
	AudioMs    int64
}

func (a *amounts) add(u account.Use) {
	a.Requests += u.Requests
	a.Characters += u.Characters
	a.AudioMs += u.Audio.Milliseconds()
}

// monthRow is a row of key_months.
type monthRow struct {
	bun.BaseModel `bun:"table:key_months,alias:m"`

	KeyID  string
	Period string
	amounts
}

// dayRow is a row of usage_days.
type dayRow struct {
	bun.BaseModel `bun:"table:usage_days,alias:d"`

	KeyID    string
	Day      string
	Voice    string
	Language string
	amounts
}

// partRow is a row of organisation_days.
type partRow struct {
	bun.BaseModel `bun:"table:organisation_days,alias:p"`

	OrgID string
	Kind  string // an account.Grouping
	Day   string
	Part  string
	amounts
}

// Add adds uses to the sums of months and days, each row once. The caller has locked the
// books of the organisations, so no other transaction waits for these rows while it
// holds rows that this one waits for.
func Add(ctx context.Context, tx *database.Tx, uses []account.Use) error {
	const add = ` DO UPDATE SET
		requests = %[1]s.requests + excluded.requests,
		characters = %[1]s.characters + excluded.characters,
		audio_ms = %[1]s.audio_ms + excluded.audio_ms`
	// Folded first: one statement must not update the same row twice, which PostgreSQL
	// refuses.
	months, days, parts := fold(uses)
	if err := database.Insert(ctx, tx, "months of use", months, "(key_id, period)"+fmt.Sprintf(add, "m")); err != nil {
		return err
	}
	if err := database.Insert(ctx, tx, "days of use", days, "(key_id, day, voice, language)"+fmt.Sprintf(add, "d")); err != nil {
		return err
	}
	return database.Insert(ctx, tx, "days of organisations", parts, "(org_id, kind, day, part)"+fmt.Sprintf(add, "p"))
}

// fold sums uses by month, by day, and by day and [account.Grouping], each in the order
// of its keys.
func fold(uses []account.Use) ([]monthRow, []dayRow, []partRow) {
	months, days, parts := map[monthRow]*monthRow{}, map[dayRow]*dayRow{}, map[partRow]*partRow{}
	for _, u := range uses {
		sum(months, monthRow{KeyID: u.KeyID, Period: string(u.Period())}).add(u)
		sum(days, dayRow{KeyID: u.KeyID, Day: u.Day, Voice: u.Voice, Language: u.Language}).add(u)
		for _, by := range account.Groupings() {
			sum(parts, partRow{OrgID: u.OrgID, Kind: string(by), Day: u.Day, Part: u.Part(by)}).add(u)
		}
	}
	return rowsOf(months, func(a, b monthRow) int {
			return cmp.Or(cmp.Compare(a.KeyID, b.KeyID), cmp.Compare(a.Period, b.Period))
		}), rowsOf(days, func(a, b dayRow) int {
			return cmp.Or(cmp.Compare(a.KeyID, b.KeyID), cmp.Compare(a.Day, b.Day),
				cmp.Compare(a.Voice, b.Voice), cmp.Compare(a.Language, b.Language))
		}), rowsOf(parts, func(a, b partRow) int {
			return cmp.Or(cmp.Compare(a.OrgID, b.OrgID), cmp.Compare(a.Kind, b.Kind),
				cmp.Compare(a.Day, b.Day), cmp.Compare(a.Part, b.Part))
		})
}

// sum returns the row of a map for key, which is a row whose amounts are 0.
func sum[R comparable](rows map[R]*R, key R) *R {
	r := rows[key]
	if r == nil {
		r = &key
		rows[*r] = r
	}
	return r
}

func rowsOf[R comparable](rows map[R]*R, order func(a, b R) int) []R {
	out := make([]R, 0, len(rows))
	for _, r := range rows {
		out = append(out, *r)
	}
	slices.SortFunc(out, order)
	return out
}
