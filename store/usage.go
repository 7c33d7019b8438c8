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

// addUses adds to the sums of months and days, each row of them once. Who posts has
// locked the books of the organisations, so that no two wait for each other's rows.
func (tx *transaction) addUses(ctx context.Context, uses []account.Use) error {
	const sums = ` DO UPDATE SET
		requests = %[1]s.requests + excluded.requests,
		characters = %[1]s.characters + excluded.characters,
		audio_ms = %[1]s.audio_ms + excluded.audio_ms`
	months, days, parts := fold(uses)
	if err := insert(ctx, tx, "months of use", months, "(key_id, period)"+fmt.Sprintf(sums, "m")); err != nil {
		return err
	}
	if err := insert(ctx, tx, "days of use", days, "(key_id, day, voice, language)"+fmt.Sprintf(sums, "d")); err != nil {
		return err
	}
	return insert(ctx, tx, "days of organisations", parts, "(org_id, kind, day, part)"+fmt.Sprintf(sums, "p"))
}

// fold sums uses by month, by day, and by day and what it is told apart by, each in
// the order of its keys.
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

// Characters implements [account.UsageStore].
func (s *Store) Characters(ctx context.Context, orgIDs []string, p ledger.Period) (map[string]int64, error) {
	var rows []struct {
		OrgID      string
		Characters int64
	}
	err := s.read.NewSelect().
		ColumnExpr("k.org_id, CAST(sum(u.characters) AS bigint) AS characters").
		TableExpr("key_months AS u").Join("JOIN api_keys AS k ON k.id = u.key_id").
		Where("k.org_id IN (?)", bun.List(orgIDs)).Where("u.period = ?", string(p)).
		GroupExpr("k.org_id").Scan(ctx, &rows)
	sums := make(map[string]int64, len(rows))
	for _, r := range rows {
		sums[r.OrgID] = r.Characters
	}
	return sums, s.fail(ctx, err, "sum usage of organisations")
}

// Daily implements [account.UsageStore].
func (s *Store) Daily(ctx context.Context, orgID string, q account.DailyQuery) ([]account.DailyUsage, error) {
	if !slices.Contains(account.Groupings(), q.By) {
		return nil, fmt.Errorf("use cannot be told apart by %q", q.By)
	}
	var rows []partRow
	err := s.read.NewSelect().Model(&rows).
		Where("p.org_id = ?", orgID).Where("p.kind = ?", string(q.By)).Where("p.day BETWEEN ? AND ?", q.From, q.To).
		Order("p.day", "p.part").Scan(ctx)
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

// Answers reads one row.
func (s *Store) Answers(ctx context.Context) error {
	var one int
	return s.fail(ctx, s.read.QueryRowContext(ctx, "SELECT 1").Scan(&one), "read")
}
