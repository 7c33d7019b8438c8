// Package tokens keeps single-use tokens.
package tokens

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"vaak/store/database"
	"vaak/token"
)

// Tokens keeps tokens in a database.
type Tokens struct{ db *database.DB }

var _ token.Store = (*Tokens)(nil)

// New returns the tokens of a database.
func New(db *database.DB) *Tokens { return &Tokens{db} }

// row is a row of single_use_tokens.
type row struct {
	bun.BaseModel `bun:"table:single_use_tokens,alias:t"`

	ID            string `bun:",pk"`
	OrgID         string
	KeyID         string
	Hash          []byte
	Voice         string
	Language      string
	MaxCharacters int
	MaxSession    int
	Origins       string
	CreatedAt     int64
	ExpiresAt     int64
	UsedAt        int64 `bun:",nullzero"`
}

func (r row) token() (token.Token, error) {
	t := token.Token{
		Limits: token.Limits{Voice: r.Voice, Language: r.Language, MaxCharacters: r.MaxCharacters, MaxSession: r.MaxSession},
		ID:     r.ID, OrgID: r.OrgID, KeyID: r.KeyID,
		Created: database.Instant(r.CreatedAt), Expires: database.Instant(r.ExpiresAt), Used: database.Instant(r.UsedAt),
	}
	return t, database.DecodeJSON(r.Origins, &t.Origins, "the origins of a token")
}

// lock is the first key of advisory locks of PostgreSQL: the letters "tokn". The second is
// the hash of a key's id.
const lock = 0x746f6b6e

// Create implements [token.Store].
func (s *Tokens) Create(ctx context.Context, t token.Token, hash []byte, most int) (ok bool, err error) {
	if err := database.CheckTexts(t.ID, t.OrgID, t.KeyID, t.Voice, t.Language); err != nil {
		return false, err
	}
	r := row{
		ID: t.ID, OrgID: t.OrgID, KeyID: t.KeyID, Hash: hash, Voice: t.Voice, Language: t.Language,
		MaxCharacters: t.MaxCharacters, MaxSession: t.MaxSession, Origins: database.EncodeJSON(t.Origins),
		CreatedAt: database.Micros(t.Created), ExpiresAt: database.Micros(t.Expires),
	}
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		ok = false
		// The lock comes first: the count then includes what the last holder wrote. SQLite
		// has one writer. The lock is a function of PostgreSQL, not a table for the builder.
		if s.db.Postgres() {
			if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(?, hashtext(?))", lock, t.OrgID+t.KeyID); err != nil {
				return tx.Fail(ctx, err, "wait for others who make tokens")
			}
		}
		n, err := tx.NewSelect().Model((*row)(nil)).Where("t.org_id = ?", t.OrgID).Where("t.key_id = ?", t.KeyID).
			Where("t.used_at IS NULL").Where("t.expires_at > ?", r.CreatedAt).Count(ctx)
		if err != nil || n >= int64(most) {
			return tx.Fail(ctx, err, "count tokens")
		}
		_, err = tx.NewInsert().Model(&r).Returning("NULL").Exec(ctx)
		ok = err == nil
		return tx.Fail(ctx, err, "write a token")
	})
	return ok && err == nil, err
}

// ByHash implements [token.Store].
func (s *Tokens) ByHash(ctx context.Context, hash []byte) (token.Token, error) {
	var r row
	if err := s.db.Read.NewSelect().Model(&r).Where("t.hash = ?", hash).Scan(ctx); err != nil {
		return token.Token{}, s.db.Fail(ctx, err, "select a token")
	}
	return r.token()
}

// Use implements [token.Store]. Of two that use a token at the same time, the second waits
// for the row and then finds it used.
func (s *Tokens) Use(ctx context.Context, id string, at time.Time) (bool, error) {
	if !database.IsID(id) {
		return false, nil
	}
	n, err := s.db.Execute(ctx, "use a token", func(tx *database.Tx) database.Statement {
		return tx.NewUpdate().Model((*row)(nil)).Set("used_at = ?", database.Micros(at)).
			Where("id = ?", id).Where("used_at IS NULL").Where("expires_at > ?", database.Micros(at))
	})
	return n == 1, err
}

// Open implements [token.Store].
func (s *Tokens) Open(ctx context.Context, orgID string, at time.Time, limit int) ([]token.Token, error) {
	if !database.IsID(orgID) {
		return nil, nil
	}
	all, err := database.All(ctx, s.db.Read.NewSelect().Where("t.org_id = ?", orgID).Where("t.used_at IS NULL").
		Where("t.expires_at > ?", database.Micros(at)).Order("t.created_at DESC", "t.id").Limit(int64(limit)), row.token)
	return all, s.db.Fail(ctx, err, "list tokens of %s", orgID)
}

// Delete implements [token.Store].
func (s *Tokens) Delete(ctx context.Context, orgID, id string, at time.Time) (bool, error) {
	if !database.IsID(orgID) || !database.IsID(id) {
		return false, nil
	}
	n, err := s.db.Execute(ctx, "delete a token", func(tx *database.Tx) database.Statement {
		return tx.NewDelete().Model((*row)(nil)).Where("id = ?", id).Where("org_id = ?", orgID).
			Where("used_at IS NULL").Where("expires_at > ?", database.Micros(at))
	})
	return n == 1, err
}

// Prune implements [token.Store].
func (s *Tokens) Prune(ctx context.Context, before time.Time) (int, error) {
	return s.db.Prune(ctx, "delete tokens", func(tx *database.Tx, limit int) database.Statement {
		old := tx.NewSelect().Model((*row)(nil)).Column("id").Where("t.expires_at < ?", database.Micros(before)).
			Order("t.expires_at").Limit(int64(limit))
		return tx.NewDelete().Model((*row)(nil)).Where("id IN (?)", old)
	})
}
