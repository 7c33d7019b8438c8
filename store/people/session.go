package people

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"vaak/identity"
	"vaak/store/database"
)

// invitationRow is a row of invitations.
type invitationRow struct {
	bun.BaseModel `bun:"table:invitations,alias:i"`

	PersonID  string `bun:",pk"`
	Hash      []byte
	ExpiresAt int64
}

func (r invitationRow) invitation() identity.Invitation {
	return identity.Invitation{Hash: r.Hash, PersonID: r.PersonID, Expires: database.Instant(r.ExpiresAt)}
}

// bytesOf returns b, or no bytes for nil, which would be written as NULL.
func bytesOf(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// PutInvitation implements [identity.InvitationStore]. It is NotFound when the person does
// not exist.
func (s *People) PutInvitation(ctx context.Context, v identity.Invitation) error {
	if err := database.CheckTexts(v.PersonID); err != nil {
		return err
	}
	r := invitationRow{PersonID: v.PersonID, Hash: bytesOf(v.Hash), ExpiresAt: database.Micros(v.Expires)}
	_, err := s.db.Execute(ctx, "put an invitation", func(tx *database.Tx) database.Statement {
		return tx.NewInsert().Model(&r).On("CONFLICT (person_id) DO UPDATE").Returning("NULL")
	})
	return err
}

// Invitation implements [identity.InvitationStore].
func (s *People) Invitation(ctx context.Context, hash []byte) (identity.Invitation, error) {
	var r invitationRow
	if err := s.db.Read.NewSelect().Model(&r).Where("i.hash = ?", bytesOf(hash)).Scan(ctx); err != nil {
		return identity.Invitation{}, s.db.Fail(ctx, err, "select an invitation")
	}
	return r.invitation(), nil
}

// TakeInvitation implements [identity.InvitationStore].
func (s *People) TakeInvitation(ctx context.Context, hash []byte) (v identity.Invitation, err error) {
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		var taken []invitationRow
		_, err := tx.NewDelete().Model((*invitationRow)(nil)).Where("hash = ?", bytesOf(hash)).Returning("*").Exec(ctx, &taken)
		if err == nil && len(taken) == 0 {
			err = sql.ErrNoRows
		}
		if err != nil {
			return tx.Fail(ctx, err, "take an invitation")
		}
		v = taken[0].invitation()
		return nil
	})
	if err != nil {
		return identity.Invitation{}, err
	}
	return v, nil
}

// sessionRow is a row of sessions.
type sessionRow struct {
	bun.BaseModel `bun:"table:sessions,alias:s"`

	Token     string `bun:",pk"`
	Data      []byte
	ExpiresAt int64
}

// PutSession implements [identity.SessionStore].
func (s *People) PutSession(ctx context.Context, token string, data []byte, expires time.Time) error {
	if err := database.CheckTexts(token); err != nil {
		return err
	}
	r := sessionRow{Token: token, Data: bytesOf(data), ExpiresAt: database.Micros(expires)}
	_, err := s.db.Execute(ctx, "put a session", func(tx *database.Tx) database.Statement {
		return tx.NewInsert().Model(&r).On("CONFLICT (token) DO UPDATE").Returning("NULL")
	})
	return err
}

// UpdateSession implements [identity.SessionStore].
func (s *People) UpdateSession(ctx context.Context, token string, data []byte, expires time.Time) error {
	if !database.IsID(token) {
		return nil
	}
	r := sessionRow{Token: token, Data: bytesOf(data), ExpiresAt: database.Micros(expires)}
	_, err := s.db.Execute(ctx, "update a session", func(tx *database.Tx) database.Statement {
		return tx.NewUpdate().Model(&r).WherePK()
	})
	return err
}

// Session implements [identity.SessionStore]. It has expired by the clock of the database
// on PostgreSQL, which all processes share, and by that of the machine on SQLite.
func (s *People) Session(ctx context.Context, token string) ([]byte, bool, error) {
	if !database.IsID(token) {
		return nil, false, nil
	}
	var r sessionRow
	err := s.db.Read.NewSelect().Model(&r).Where("s.token = ?", token).Where("s.expires_at > ?", s.db.Clock()).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return slices.Clone(r.Data), err == nil, s.db.Fail(ctx, err, "select a session")
}

// DeleteSession implements [identity.SessionStore].
func (s *People) DeleteSession(ctx context.Context, token string) error {
	if !database.IsID(token) {
		return nil
	}
	_, err := s.db.Execute(ctx, "delete a session", func(tx *database.Tx) database.Statement {
		return tx.NewDelete().Model((*sessionRow)(nil)).Where("token = ?", token)
	})
	return err
}

// PruneSessions implements [identity.SessionStore].
func (s *People) PruneSessions(ctx context.Context, before time.Time) (int, error) {
	at := database.Micros(before)
	n, err := s.db.Prune(ctx, "delete sessions", func(tx *database.Tx, limit int) database.Statement {
		old := tx.NewSelect().Model((*sessionRow)(nil)).Column("token").Where("expires_at < ?", at).Limit(int64(limit))
		return tx.NewDelete().Model((*sessionRow)(nil)).Where("token IN (?)", old)
	})
	if err != nil {
		return n, err
	}
	more, err := s.db.Prune(ctx, "delete invitations", func(tx *database.Tx, limit int) database.Statement {
		old := tx.NewSelect().Model((*invitationRow)(nil)).Column("person_id").Where("expires_at < ?", at).Limit(int64(limit))
		return tx.NewDelete().Model((*invitationRow)(nil)).Where("person_id IN (?)", old)
	})
	return n + more, err
}
