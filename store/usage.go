package store

import (
	"context"
	"errors"
	"time"

	"vaak/account"
)

const addUsageQuery = `INSERT INTO key_months (key_id, period, requests, characters, audio_ms) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT (key_id, period) DO UPDATE SET
		requests = requests + excluded.requests,
		characters = characters + excluded.characters,
		audio_ms = audio_ms + excluded.audio_ms`

// AddUsage implements [account.UsageStore].
func (s *Store) AddUsage(ctx context.Context, records []account.KeyUsage) error {
	st, err := s.addUsage.get(ctx)
	if err != nil {
		return s.fail(ctx, err, "prepare usage")
	}
	if len(records) == 1 { // a statement alone is a transaction
		_, err := st.ExecContext(ctx, usageArgs(records[0])...)
		return s.fail(ctx, err, "add usage of %s", records[0].KeyID)
	}
	tx, err := s.write.DB.BeginTx(ctx, nil)
	if err != nil {
		return s.fail(ctx, err, "begin usage")
	}
	st = tx.StmtContext(ctx, st)
	for _, u := range records {
		if _, err := st.ExecContext(ctx, usageArgs(u)...); err != nil {
			// Rolling back is all that is left; its own error would add nothing.
			return s.fail(ctx, errors.Join(err, tx.Rollback()), "add usage of %s", u.KeyID)
		}
	}
	return s.fail(ctx, tx.Commit(), "commit usage")
}

func usageArgs(u account.KeyUsage) []any {
	return []any{u.KeyID, string(u.Period), u.Requests, u.Characters, u.Audio.Milliseconds()}
}

// usageRow is a row of key_months.
type usageRow struct {
	KeyID      string
	Period     string
	Requests   int64
	Characters int64
	AudioMs    int64
}

// Usage implements [account.UsageStore].
func (s *Store) Usage(ctx context.Context, orgID string, p account.Period) ([]account.KeyUsage, error) {
	var rows []usageRow
	err := s.read.NewSelect().
		ColumnExpr("u.key_id, u.period, u.requests, u.characters, u.audio_ms").
		TableExpr("key_months AS u").Join("JOIN api_keys AS k ON k.id = u.key_id").
		Where("k.org_id = ?", orgID).Where("u.period = ?", string(p)).
		Order("u.key_id").Scan(ctx, &rows)
	out := make([]account.KeyUsage, len(rows))
	for i, r := range rows {
		out[i] = account.KeyUsage{
			KeyID: r.KeyID, Period: account.Period(r.Period),
			Requests: r.Requests, Characters: r.Characters,
			Audio: time.Duration(r.AudioMs) * time.Millisecond,
		}
	}
	return out, s.fail(ctx, err, "select usage of %s", orgID)
}
