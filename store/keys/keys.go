// Package keys keeps API keys, and answers on every request what the key with a hash
// stands for.
package keys

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"vaak/account"
	"vaak/store/database"
)

// Keys keeps keys in a database.
type Keys struct {
	db   *database.DB
	ring *keyring
}

var (
	_ account.KeyStore    = (*Keys)(nil)
	_ account.ChangeStore = (*Keys)(nil)
)

// New returns the keys of a database. What it keeps in memory is closed with the
// database.
func New(db *database.DB) *Keys {
	k := &Keys{db: db}
	k.ring = newKeyring(db, k.lookup, k.Watch)
	db.OnChange(k.ring.evictChanges)
	db.OnClose(k.ring.close)
	return k
}

// row is a row of api_keys.
type row struct {
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

func (r row) key() account.Key {
	return account.Key{
		ID: r.ID, OrgID: r.OrgID, Label: r.Label, Hash: r.Hash, LastFour: r.LastFour, MonthlyCap: r.MonthlyCap,
		Created: database.Instant(r.CreatedAt), Expires: database.Instant(r.ExpiresAt),
		Revoked: database.Instant(r.RevokedAt), LastUsed: database.Instant(r.LastUsedAt),
	}
}

// CreateKey implements [account.KeyStore].
func (k *Keys) CreateKey(ctx context.Context, key account.Key) error {
	r := row{
		ID: key.ID, OrgID: key.OrgID, Label: key.Label, Hash: key.Hash, LastFour: key.LastFour, MonthlyCap: key.MonthlyCap,
		CreatedAt: database.Micros(key.Created), ExpiresAt: database.Micros(key.Expires),
		RevokedAt: database.Micros(key.Revoked), LastUsedAt: database.Micros(key.LastUsed),
	}
	_, err := k.db.Execute(ctx, "insert key "+key.ID, func(tx *database.Tx) database.Statement {
		return tx.NewInsert().Model(&r).Returning("NULL")
	})
	return err
}

// Key implements [account.KeyStore].
func (k *Keys) Key(ctx context.Context, id string) (account.Key, error) {
	var r row
	if err := k.db.Read.NewSelect().Model(&r).Where("k.id = ?", id).Scan(ctx); err != nil {
		return account.Key{}, k.db.Fail(ctx, err, "select key %s", id)
	}
	return r.key(), nil
}

// Keys implements [account.KeyStore].
func (k *Keys) Keys(ctx context.Context, orgID string) ([]account.Key, error) {
	var rows []row
	err := k.db.Read.NewSelect().Model(&rows).Where("k.org_id = ?", orgID).Order("k.created_at", "k.id").Scan(ctx)
	keys := make([]account.Key, len(rows))
	for i, r := range rows {
		keys[i] = r.key()
	}
	return keys, k.db.Fail(ctx, err, "select keys of %s", orgID)
}

// ValidKeys implements [account.KeyStore].
func (k *Keys) ValidKeys(ctx context.Context, orgIDs []string, at time.Time, except []string) (map[string]int, error) {
	var rows []struct {
		OrgID string
		N     int
	}
	q := k.db.Read.NewSelect().Model((*row)(nil)).ColumnExpr("k.org_id, count(*) AS n").
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
	return n, k.db.Fail(ctx, err, "count keys")
}

// RevokeKey implements [account.KeyStore].
func (k *Keys) RevokeKey(ctx context.Context, id string, at time.Time) error {
	return k.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		err := tx.ExecuteOne(ctx, tx.NewUpdate().Model((*row)(nil)).
			Set("revoked_at = coalesce(revoked_at, ?)", at.UnixMicro()).Where("id = ?", id))
		if err != nil {
			return tx.Fail(ctx, err, "revoke key %s", id)
		}
		return tx.Changed(ctx, database.Change{Topic: database.Topic(account.TopicKey), ID: id})
	})
}

// usedRow says when a key was used.
type usedRow struct {
	ID string
	At int64
}

// TouchKeys implements [account.KeyStore]. A key keeps the later of two times. A key that
// does not exist is left out.
func (k *Keys) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	if len(used) == 0 {
		return nil
	}
	ids := database.Sorted(used)
	rows := make([]usedRow, len(ids))
	for i, id := range ids {
		rows[i] = usedRow{id, used[id].UnixMicro()}
	}
	return k.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		if k.db.Postgres() {
			// An update locks rows in the order in which it finds them. Locking them in one
			// order first keeps two processes that touch the same keys out of a deadlock.
			_, err := tx.NewSelect().Model((*row)(nil)).ColumnExpr("1").
				Where("id IN (?)", bun.List(ids)).Order("id").For("NO KEY UPDATE").Exec(ctx)
			if err != nil {
				return tx.Fail(ctx, err, "lock keys")
			}
		}
		_, err := tx.NewUpdate().With("used", tx.NewValues(&rows)).Table("api_keys").TableExpr("used").
			Set("last_used_at = used.at").Where("api_keys.id = used.id").
			Where("api_keys.last_used_at IS NULL OR api_keys.last_used_at < used.at").Exec(ctx)
		return tx.Fail(ctx, err, "touch keys")
	})
}

// accountTopics are the topics that [Keys.Watch] reports: what accounts keep in memory
// depends on no other.
var accountTopics = []account.Topic{account.TopicKey, account.TopicOrganisation, account.TopicPlan, account.TopicAdvance}

// Watch implements [account.ChangeStore].
func (k *Keys) Watch(ctx context.Context, seen func(account.Change)) error {
	return k.db.Watch(ctx, func() {}, func(t database.Topic, id string) {
		if t := account.Topic(t); slices.Contains(accountTopics, t) {
			seen(account.Change{Topic: t, ID: id})
		}
	})
}
