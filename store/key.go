package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/account"
)

// keyRow is a row of api_keys.
type keyRow struct {
	bun.BaseModel `bun:"table:api_keys,alias:k"`

	ID         string `bun:",pk"`
	OrgID      string
	Label      string
	Hash       []byte
	LastFour   string
	MonthlyCap int64
	CreatedAt  int64
	ExpiresAt  int64 `bun:",nullzero"`
	RevokedAt  int64 `bun:",nullzero"`
	LastUsedAt int64 `bun:",nullzero"`
}

func (r keyRow) key() account.Key {
	return account.Key{
		ID: r.ID, OrgID: r.OrgID, Label: r.Label, Hash: r.Hash, LastFour: r.LastFour, MonthlyCap: r.MonthlyCap,
		Created: instant(r.CreatedAt), Expires: instant(r.ExpiresAt),
		Revoked: instant(r.RevokedAt), LastUsed: instant(r.LastUsedAt),
	}
}

// CreateKey implements [account.KeyStore].
func (s *Store) CreateKey(ctx context.Context, k account.Key) error {
	row := keyRow{
		ID: k.ID, OrgID: k.OrgID, Label: k.Label, Hash: k.Hash, LastFour: k.LastFour, MonthlyCap: k.MonthlyCap,
		CreatedAt: micros(k.Created), ExpiresAt: micros(k.Expires),
		RevokedAt: micros(k.Revoked), LastUsedAt: micros(k.LastUsed),
	}
	return s.transact(ctx, func(ctx context.Context, tx *transaction) error {
		_, err := tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
		return s.fail(ctx, err, "insert key %s", k.ID)
	})
}

// Key implements [account.KeyStore].
func (s *Store) Key(ctx context.Context, id string) (account.Key, error) {
	var row keyRow
	err := s.read.NewSelect().Model(&row).Where("k.id = ?", id).Scan(ctx)
	if err != nil {
		return account.Key{}, s.fail(ctx, err, "select key %s", id)
	}
	return row.key(), nil
}

// Keys implements [account.KeyStore].
func (s *Store) Keys(ctx context.Context, orgID string) ([]account.Key, error) {
	var rows []keyRow
	err := s.read.NewSelect().Model(&rows).Where("k.org_id = ?", orgID).Order("k.created_at", "k.id").Scan(ctx)
	keys := make([]account.Key, len(rows))
	for i, r := range rows {
		keys[i] = r.key()
	}
	return keys, s.fail(ctx, err, "select keys of %s", orgID)
}

// ValidKeys implements [account.KeyStore].
func (s *Store) ValidKeys(ctx context.Context, orgIDs []string, at time.Time, except []string) (map[string]int, error) {
	var rows []struct {
		OrgID string
		N     int
	}
	q := s.read.NewSelect().ColumnExpr("k.org_id, count(*) AS n").TableExpr("api_keys AS k").
		Where("k.org_id IN (?)", bun.List(orgIDs)).Where("k.revoked_at IS NULL").
		Where("k.expires_at IS NULL OR k.expires_at > ?", at.UnixMicro()).GroupExpr("k.org_id")
	if len(except) > 0 {
		q = q.Where("k.id NOT IN (?)", bun.List(except))
	}
	err := q.Scan(ctx, &rows)
	n := make(map[string]int, len(rows))
	for _, r := range rows {
		n[r.OrgID] = r.N
	}
	return n, s.fail(ctx, err, "count keys")
}

// RevokeKey implements [account.KeyStore].
func (s *Store) RevokeKey(ctx context.Context, id string, at time.Time) error {
	return s.transact(ctx, func(ctx context.Context, tx *transaction) error {
		res, err := tx.ExecContext(ctx,
			"UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", at.UnixMicro(), id)
		if err == nil {
			err = someRow(res)
		}
		if err != nil {
			return s.fail(ctx, err, "revoke key %s", id)
		}
		return tx.changed(ctx, account.Change{Topic: account.TopicKey, ID: id})
	})
}

// usedRow says when a key was used.
type usedRow struct {
	ID string
	At int64
}

// TouchKeys implements [account.KeyStore]. A key keeps the later of two times;
// one that is not there is left out.
func (s *Store) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	if len(used) == 0 {
		return nil
	}
	ids := sorted(used)
	rows := make([]usedRow, len(ids))
	for i, id := range ids {
		rows[i] = usedRow{id, used[id].UnixMicro()}
	}
	return s.transact(ctx, func(ctx context.Context, tx *transaction) error {
		if s.postgres() { // in one order, so that two who touch the same keys do not wait for each other
			if err := tx.exec(ctx, "SELECT FROM api_keys WHERE id IN (?) ORDER BY id FOR NO KEY UPDATE", bun.List(ids)); err != nil {
				return s.fail(ctx, err, "lock keys")
			}
		}
		_, err := tx.NewUpdate().With("used", tx.NewValues(&rows)).Table("api_keys").TableExpr("used").
			Set("last_used_at = used.at").Where("api_keys.id = used.id").
			Where("api_keys.last_used_at IS NULL OR api_keys.last_used_at < used.at").Exec(ctx)
		return s.fail(ctx, err, "touch keys")
	})
}
