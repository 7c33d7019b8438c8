package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/account/ledger"
)

// monthRow is a row of key_months.
type monthRow struct {
	bun.BaseModel `bun:"table:key_months,alias:m"`

	KeyID      string
	Period     string
	Requests   int64
	Characters int64
	AudioMs    int64
}

// dayRow is a row of usage_days.
type dayRow struct {
	bun.BaseModel `bun:"table:usage_days,alias:d"`

	KeyID      string
	Day        string
	Voice      string
	Language   string
	Requests   int64
	Characters int64
	AudioMs    int64
}

// addUses adds to the sums of months and days, each row of them once.
func (tx *transaction) addUses(ctx context.Context, uses []account.Use) error {
	const sums = ` DO UPDATE SET
		requests = %[1]s.requests + excluded.requests,
		characters = %[1]s.characters + excluded.characters,
		audio_ms = %[1]s.audio_ms + excluded.audio_ms`
	months, days := fold(uses)
	if err := insert(ctx, tx, "months of use", months, "(key_id, period)"+fmt.Sprintf(sums, "m")); err != nil {
		return err
	}
	return insert(ctx, tx, "days of use", days, "(key_id, day, voice, language)"+fmt.Sprintf(sums, "d"))
}

// fold sums uses by month and by day, in the order of their keys.
func fold(uses []account.Use) ([]monthRow, []dayRow) {
	months, days := map[monthRow]*monthRow{}, map[dayRow]*dayRow{}
	for _, u := range uses {
		month := monthRow{KeyID: u.KeyID, Period: string(u.Period())}
		day := dayRow{KeyID: u.KeyID, Day: u.Day, Voice: u.Voice, Language: u.Language}
		m, d := sum(months, month), sum(days, day)
		m.Requests += u.Requests
		m.Characters += u.Characters
		m.AudioMs += u.Audio.Milliseconds()
		d.Requests += u.Requests
		d.Characters += u.Characters
		d.AudioMs += u.Audio.Milliseconds()
	}
	return rowsOf(months, func(a, b monthRow) int {
			return cmp.Or(cmp.Compare(a.KeyID, b.KeyID), cmp.Compare(a.Period, b.Period))
		}), rowsOf(days, func(a, b dayRow) int {
			return cmp.Or(cmp.Compare(a.KeyID, b.KeyID), cmp.Compare(a.Day, b.Day),
				cmp.Compare(a.Voice, b.Voice), cmp.Compare(a.Language, b.Language))
		})
}

// sum returns the row of a map that is for key, whose numbers are 0.
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

// Usage implements [account.UsageStore].
func (s *Store) Usage(ctx context.Context, orgID string, p ledger.Period) ([]account.KeyUsage, error) {
	var rows []monthRow
	err := s.read.NewSelect().
		ColumnExpr("u.key_id, u.period, u.requests, u.characters, u.audio_ms").
		TableExpr("key_months AS u").Join("JOIN api_keys AS k ON k.id = u.key_id").
		Where("k.org_id = ?", orgID).Where("u.period = ?", string(p)).
		Order("u.key_id").Scan(ctx, &rows)
	out := make([]account.KeyUsage, len(rows))
	for i, r := range rows {
		out[i] = account.KeyUsage{
			KeyID: r.KeyID, Period: ledger.Period(r.Period),
			Requests: r.Requests, Characters: r.Characters, Audio: milliseconds(r.AudioMs),
		}
	}
	return out, s.fail(ctx, err, "select usage of %s", orgID)
}

// groupColumn returns the column of usage_days that daily sums are told apart by.
func groupColumn(g account.Grouping) (bun.Ident, error) {
	switch g {
	case account.ByKey:
		return "d.key_id", nil
	case account.ByVoice:
		return "d.voice", nil
	case account.ByLanguage:
		return "d.language", nil
	}
	return "", fmt.Errorf("use cannot be told apart by %q", g)
}

// Daily implements [account.UsageStore].
func (s *Store) Daily(ctx context.Context, orgID string, q account.DailyQuery) ([]account.DailyUsage, error) {
	column, err := groupColumn(q.By)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Day, Part                     string
		Requests, Characters, AudioMs int64
	}
	err = s.read.NewRaw(`SELECT d.day, ? AS part, CAST(sum(d.requests) AS BIGINT) AS requests,
			CAST(sum(d.characters) AS BIGINT) AS characters, CAST(sum(d.audio_ms) AS BIGINT) AS audio_ms
		FROM usage_days AS d JOIN api_keys AS k ON k.id = d.key_id
		WHERE k.org_id = ? AND d.day BETWEEN ? AND ?
		GROUP BY 1, 2 ORDER BY 1, 2`, column, orgID, q.From, q.To).Scan(ctx, &rows)
	out := make([]account.DailyUsage, len(rows))
	for i, r := range rows {
		out[i] = account.DailyUsage{
			Day: r.Day, Group: r.Part, Requests: r.Requests, Characters: r.Characters, Audio: milliseconds(r.AudioMs),
		}
	}
	return out, s.fail(ctx, err, "select daily usage of %s", orgID)
}

// Ping writes one row: it fails when the database cannot be written, be it
// for want of space.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.exec(ctx, "probe",
		"INSERT INTO probes (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at", time.Now().UnixMicro())
	return err
}
