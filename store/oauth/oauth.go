// Package oauth keeps the applications that people connect: clients, codes, grants and tokens.
package oauth

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"vaak/oauth"
	"vaak/store/database"
)

// OAuth keeps them in a database.
type OAuth struct{ db *database.DB }

var _ oauth.Store = (*OAuth)(nil)

// New returns the applications of a database.
func New(db *database.DB) *OAuth { return &OAuth{db} }

// clientRow is a row of oauth_clients.
type clientRow struct {
	bun.BaseModel `bun:"table:oauth_clients,alias:c"`

	ID        string `bun:",pk"`
	Name      string
	URI       string
	Redirects string // one a line
	CreatedAt int64
	UsedAt    int64
}

// AddClient implements [oauth.Store]. Clients that are added at the same time do not see each
// other, so together they may exceed most.
func (s *OAuth) AddClient(ctx context.Context, c oauth.Client, most int) (added bool, err error) {
	r := clientRow{
		ID: c.ID, Name: c.Name, URI: c.URI, Redirects: strings.Join(c.Redirects, "\n"),
		CreatedAt: database.Micros(c.Created), UsedAt: database.Micros(c.Used),
	}
	if err := database.CheckTexts(r.ID, r.Name, r.URI, r.Redirects); err != nil {
		return false, err
	}
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		n, err := tx.NewSelect().Model((*clientRow)(nil)).Count(ctx)
		if err != nil || n >= int64(most) {
			return tx.Fail(ctx, err, "count clients")
		}
		added = true
		_, err = tx.NewInsert().Model(&r).Returning("NULL").Exec(ctx)
		return tx.Fail(ctx, err, "insert a client")
	})
	return added && err == nil, err
}

// Client implements [oauth.Store].
func (s *OAuth) Client(ctx context.Context, id string) (oauth.Client, error) {
	var r clientRow
	err := error(sql.ErrNoRows)
	if database.IsID(id) {
		err = s.db.Read.NewSelect().Model(&r).Where("c.id = ?", id).Scan(ctx)
	}
	if err != nil {
		return oauth.Client{}, s.db.Fail(ctx, err, "select a client")
	}
	return oauth.Client{
		ID: r.ID, Name: r.Name, URI: r.URI, Redirects: strings.Split(r.Redirects, "\n"),
		Created: database.Instant(r.CreatedAt), Used: database.Instant(r.UsedAt),
	}, nil
}

// UseClient implements [oauth.Store].
func (s *OAuth) UseClient(ctx context.Context, id string, at time.Time) error {
	_, err := s.db.Execute(ctx, "use a client", func(tx *database.Tx) database.Statement {
		return tx.NewUpdate().Model((*clientRow)(nil)).Set("used_at = ?", database.Micros(at)).Where("id = ?", id)
	})
	return err
}

// codeRow is a row of oauth_codes.
type codeRow struct {
	bun.BaseModel `bun:"table:oauth_codes,alias:o"`

	Hash      []byte `bun:",pk"`
	Asked     string
	GrantID   string
	ExpiresAt int64
}

// AddCode implements [oauth.Store].
func (s *OAuth) AddCode(ctx context.Context, c oauth.Code) error {
	r := codeRow{Hash: c.Hash, Asked: database.EncodeJSON(c.Allowed), GrantID: c.GrantID, ExpiresAt: database.Micros(c.Expires)}
	if err := database.CheckTexts(r.Asked); err != nil {
		return err
	}
	_, err := s.db.Execute(ctx, "insert a code", func(tx *database.Tx) database.Statement {
		return tx.NewInsert().Model(&r).Returning("NULL")
	})
	return err
}

// Code implements [oauth.Store].
func (s *OAuth) Code(ctx context.Context, hash []byte) (c oauth.Code, err error) {
	var r codeRow
	if err := s.db.Read.NewSelect().Model(&r).Where("o.hash = ?", hash).Scan(ctx); err != nil {
		return c, s.db.Fail(ctx, err, "select a code")
	}
	if err := json.Unmarshal([]byte(r.Asked), &c.Allowed); err != nil {
		return c, fmt.Errorf("read what a code allows: %w", err)
	}
	c.Hash, c.GrantID, c.Expires = r.Hash, r.GrantID, database.Instant(r.ExpiresAt)
	return c, nil
}

// grantRow is a row of oauth_grants.
type grantRow struct {
	bun.BaseModel `bun:"table:oauth_grants,alias:g"`

	ID         string `bun:",pk"`
	ClientID   string
	Name       string
	PersonID   string
	OrgID      string
	KeyID      string
	Resource   string
	Scopes     string
	MonthlyCap int64
	CreatedAt  int64
	ExpiresAt  int64
	EndedAt    int64
}

func (r grantRow) grant() oauth.Grant {
	return oauth.Grant{
		ID: r.ID, ClientID: r.ClientID, Name: r.Name, PersonID: r.PersonID, OrgID: r.OrgID, KeyID: r.KeyID, Resource: r.Resource,
		Scopes: strings.Fields(r.Scopes), MonthlyCap: r.MonthlyCap, Created: database.Instant(r.CreatedAt), Expires: database.Instant(r.ExpiresAt), Ended: database.Instant(r.EndedAt),
	}
}

// tokenRow is a row of oauth_tokens.
type tokenRow struct {
	bun.BaseModel `bun:"table:oauth_tokens,alias:t"`

	Hash      []byte `bun:",pk"`
	GrantID   string
	Refresh   int
	Scopes    string
	ExpiresAt int64
	UsedAt    int64
}

func tokenRows(tokens []oauth.Token) []tokenRow {
	rows := make([]tokenRow, len(tokens))
	for i, t := range tokens {
		rows[i] = tokenRow{Hash: t.Hash, GrantID: t.GrantID, Scopes: strings.Join(t.Scopes, " "), ExpiresAt: database.Micros(t.Expires), UsedAt: database.Micros(t.Used)}
		if t.Refresh {
			rows[i].Refresh = 1
		}
	}
	return rows
}

// Exchange implements [oauth.Store].
func (s *OAuth) Exchange(ctx context.Context, hash []byte, g oauth.Grant, tokens []oauth.Token) (done bool, err error) {
	r := grantRow{
		ID: g.ID, ClientID: g.ClientID, Name: g.Name, PersonID: g.PersonID, OrgID: g.OrgID, KeyID: g.KeyID, Resource: g.Resource,
		Scopes: strings.Join(g.Scopes, " "), MonthlyCap: g.MonthlyCap, CreatedAt: database.Micros(g.Created), ExpiresAt: database.Micros(g.Expires), EndedAt: database.Micros(g.Ended),
	}
	rows := tokenRows(tokens)
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		// The update is the lock: of two transactions the second one finds no row.
		n, err := tx.Execute(ctx, tx.NewUpdate().Model((*codeRow)(nil)).Set("grant_id = ?", g.ID).Where("hash = ?", hash).Where("grant_id = ''"))
		if done = err == nil && n == 1; !done {
			return tx.Fail(ctx, err, "exchange a code")
		}
		n, err = tx.Execute(ctx, tx.NewUpdate().Model(&r).Column("scopes", "expires_at").Where("id = ?", g.ID).Where("ended_at = 0"))
		if err != nil {
			return tx.Fail(ctx, err, "renew a grant")
		}
		if n == 0 {
			if _, err := tx.NewInsert().Model(&r).Returning("NULL").Exec(ctx); err != nil {
				return tx.Fail(ctx, err, "insert a grant")
			}
		}
		_, err = tx.NewInsert().Model(&rows).Returning("NULL").Exec(ctx)
		return tx.Fail(ctx, err, "insert tokens")
	})
	return done && err == nil, err
}

// Rotate implements [oauth.Store].
func (s *OAuth) Rotate(ctx context.Context, hash []byte, at, expires time.Time, tokens []oauth.Token) (done bool, err error) {
	rows := tokenRows(tokens)
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		done = false
		n, err := tx.Execute(ctx, tx.NewUpdate().Model((*tokenRow)(nil)).Set("used_at = ?", database.Micros(at)).
			Where("hash = ?", hash).Where("refresh = 1").Where("used_at = 0"))
		if err != nil || n == 0 {
			return tx.Fail(ctx, err, "rotate a token")
		}
		n, err = tx.Execute(ctx, tx.NewUpdate().Model((*grantRow)(nil)).Set("expires_at = ?", database.Micros(expires)).
			Where("id = ?", rows[0].GrantID).Where("ended_at = 0"))
		if done = err == nil && n == 1; !done {
			return tx.Fail(ctx, err, "renew a grant")
		}
		_, err = tx.NewInsert().Model(&rows).Returning("NULL").Exec(ctx)
		return tx.Fail(ctx, err, "insert tokens")
	})
	return done && err == nil, err
}

// Token implements [oauth.Store].
func (s *OAuth) Token(ctx context.Context, hash []byte) (oauth.Token, oauth.Grant, error) {
	var r tokenRow
	if err := s.db.Read.NewSelect().Model(&r).Where("t.hash = ?", hash).Scan(ctx); err != nil {
		return oauth.Token{}, oauth.Grant{}, s.db.Fail(ctx, err, "select a token")
	}
	g, err := s.Grant(ctx, r.GrantID)
	if err != nil {
		return oauth.Token{}, oauth.Grant{}, err
	}
	return oauth.Token{
		Hash: r.Hash, GrantID: r.GrantID, Refresh: r.Refresh == 1, Scopes: strings.Fields(r.Scopes),
		Expires: database.Instant(r.ExpiresAt), Used: database.Instant(r.UsedAt),
	}, g, nil
}

// DeleteToken implements [oauth.Store].
func (s *OAuth) DeleteToken(ctx context.Context, hash []byte) error {
	_, err := s.db.Execute(ctx, "delete a token", func(tx *database.Tx) database.Statement {
		return tx.NewDelete().Model((*tokenRow)(nil)).Where("hash = ?", hash)
	})
	return err
}

// Grant implements [oauth.Store].
func (s *OAuth) Grant(ctx context.Context, id string) (oauth.Grant, error) {
	var r grantRow
	err := error(sql.ErrNoRows)
	if database.IsID(id) {
		err = s.db.Read.NewSelect().Model(&r).Where("g.id = ?", id).Scan(ctx)
	}
	if err != nil {
		return oauth.Grant{}, s.db.Fail(ctx, err, "select a grant")
	}
	return r.grant(), nil
}

// all returns the grants that a select finds.
func (s *OAuth) all(ctx context.Context, q *bun.SelectQuery, what string) ([]oauth.Grant, error) {
	all, err := database.All(ctx, q, func(r grantRow) (oauth.Grant, error) { return r.grant(), nil })
	return all, s.db.Fail(ctx, err, "%s", what)
}

// Grants implements [oauth.Store].
func (s *OAuth) Grants(ctx context.Context, orgID string) ([]oauth.Grant, error) {
	if !database.IsID(orgID) {
		return nil, nil
	}
	return s.all(ctx, s.db.Read.NewSelect().Where("g.org_id = ?", orgID).Where("g.ended_at = 0").Order("g.created_at DESC", "g.id"), "select grants")
}

// PersonGrants implements [oauth.Store].
func (s *OAuth) PersonGrants(ctx context.Context, personID string) (int, error) {
	n, err := s.db.Read.NewSelect().Model((*grantRow)(nil)).Where("g.person_id = ?", personID).Where("g.ended_at = 0").Count(ctx)
	return int(n), s.db.Fail(ctx, err, "count grants")
}

// EndGrant implements [oauth.Store].
func (s *OAuth) EndGrant(ctx context.Context, id string, at time.Time) (ended bool, err error) {
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		n, err := tx.Execute(ctx, tx.NewUpdate().Model((*grantRow)(nil)).Set("ended_at = ?", database.Micros(at)).Where("id = ?", id).Where("ended_at = 0"))
		if err != nil {
			return tx.Fail(ctx, err, "end a grant")
		}
		ended = n == 1
		_, err = tx.NewDelete().Model((*tokenRow)(nil)).Where("grant_id = ?", id).Exec(ctx)
		return tx.Fail(ctx, err, "delete the tokens of a grant")
	})
	return ended && err == nil, err
}

// Lapsed implements [oauth.Store].
func (s *OAuth) Lapsed(ctx context.Context, before time.Time, limit int) ([]oauth.Grant, error) {
	return s.all(ctx, s.db.Read.NewSelect().Where("g.ended_at = 0").Where("g.expires_at < ?", database.Micros(before)).Order("g.expires_at").Limit(int64(limit)), "select grants that have expired")
}

// Prune implements [oauth.Store].
func (s *OAuth) Prune(ctx context.Context, expired, unused, old time.Time) (n int, err error) {
	at := database.Micros(expired)
	for _, one := range []struct {
		what string
		do   func(tx *database.Tx, limit int) database.Statement
	}{
		{"delete tokens", func(tx *database.Tx, limit int) database.Statement {
			q := tx.NewSelect().Model((*tokenRow)(nil)).Column("hash").Where("expires_at < ?", at).Limit(int64(limit))
			return tx.NewDelete().Model((*tokenRow)(nil)).Where("hash IN (?)", q)
		}},
		{"delete codes", func(tx *database.Tx, limit int) database.Statement {
			q := tx.NewSelect().Model((*codeRow)(nil)).Column("hash").Where("expires_at < ?", at).Limit(int64(limit))
			return tx.NewDelete().Model((*codeRow)(nil)).Where("hash IN (?)", q)
		}},
		{"delete clients", func(tx *database.Tx, limit int) database.Statement {
			live := tx.NewSelect().Model((*grantRow)(nil)).ColumnExpr("1").Where("g.client_id = c.id").Where("g.ended_at = 0")
			q := tx.NewSelect().Model((*clientRow)(nil)).Column("id").
				Where("c.used_at = 0 AND c.created_at < ? OR c.used_at > 0 AND c.used_at < ?", database.Micros(unused), database.Micros(old)).
				Where("NOT EXISTS (?)", live).Limit(int64(limit))
			return tx.NewDelete().Model((*clientRow)(nil)).Where("id IN (?)", q)
		}},
	} {
		more, err := s.db.Prune(ctx, one.what, one.do)
		n += more
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
