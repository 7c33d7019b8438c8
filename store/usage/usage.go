// Package usage keeps what keys and organisations have used: sums by month and by day,
// and a record of each request.
package usage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/store/database"
)

// Usage reads sums, and keeps the records of requests. The sums themselves are written
// by [Add], in the transaction of the charge.
type Usage struct{ db *database.DB }

var _ account.UsageStore = (*Usage)(nil)

// New returns the usage of a database.
func New(db *database.DB) *Usage { return &Usage{db} }

// milliseconds is the time that a column of whole milliseconds holds.
func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// Usage implements [account.UsageStore].
func (s *Usage) Usage(ctx context.Context, orgID string, p ledger.Period) ([]account.KeyUsage, error) {
	var rows []monthRow
	err := s.db.Read.NewSelect().Model(&rows).Join("JOIN api_keys AS k ON k.id = m.key_id").
		Where("k.org_id = ?", orgID).Where("m.period = ?", string(p)).
		Order("m.key_id").Scan(ctx)
	out := make([]account.KeyUsage, len(rows))
	for i, r := range rows {
		out[i] = account.KeyUsage{
			KeyID: r.KeyID, Period: ledger.Period(r.Period),
			Requests: r.Requests, Characters: r.Characters, Audio: milliseconds(r.AudioMs),
		}
	}
	return out, s.db.Fail(ctx, err, "select usage of %s", orgID)
}

// Characters implements [account.UsageStore].
func (s *Usage) Characters(ctx context.Context, orgIDs []string, p ledger.Period) (map[string]int64, error) {
	var rows []struct {
		OrgID      string
		Characters int64
	}
	err := s.db.Read.NewSelect().Model((*monthRow)(nil)).
		// PostgreSQL sums bigint as numeric, which the cast turns back.
		ColumnExpr("k.org_id, CAST(sum(m.characters) AS bigint) AS characters").
		Join("JOIN api_keys AS k ON k.id = m.key_id").
		Where("k.org_id IN (?)", bun.List(orgIDs)).Where("m.period = ?", string(p)).
		GroupExpr("k.org_id").Scan(ctx, &rows)
	sums := make(map[string]int64, len(rows))
	for _, r := range rows {
		sums[r.OrgID] = r.Characters
	}
	return sums, s.db.Fail(ctx, err, "sum usage of organisations")
}

// Daily implements [account.UsageStore].
func (s *Usage) Daily(ctx context.Context, orgID string, q account.DailyQuery) ([]account.DailyUsage, error) {
	if !slices.Contains(account.Groupings(), q.By) {
		return nil, fmt.Errorf("use cannot be told apart by %q", q.By)
	}
	var rows []partRow
	err := s.db.Read.NewSelect().Model(&rows).
		Where("p.org_id = ?", orgID).Where("p.kind = ?", string(q.By)).Where("p.day BETWEEN ? AND ?", q.From, q.To).
		Order("p.day", "p.part").Scan(ctx)
	out := make([]account.DailyUsage, len(rows))
	for i, r := range rows {
		out[i] = account.DailyUsage{
			Day: r.Day, Group: r.Part, Requests: r.Requests, Characters: r.Characters, Audio: milliseconds(r.AudioMs),
		}
	}
	return out, s.db.Fail(ctx, err, "select daily usage of %s", orgID)
}
