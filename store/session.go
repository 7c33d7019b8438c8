package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"vaak/identity"
)

// PutInvitation implements [identity.InvitationStore]. It is NotFound when there is no
// such person.
func (i *Identity) PutInvitation(ctx context.Context, v identity.Invitation) error {
	if err := checkTexts(v.PersonID); err != nil {
		return err
	}
	_, err := i.store.exec(ctx, "put an invitation", `INSERT INTO invitations (person_id, hash, expires_at) VALUES (?, ?, ?)
		ON CONFLICT (person_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`,
		v.PersonID, bytesOf(v.Hash), micros(v.Expires))
	return err
}

// bytesOf returns b, and never the nil that would be written as NULL.
func bytesOf(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

const invitationColumns = "hash, person_id, expires_at"

func scanInvitation(r row) (v identity.Invitation, err error) {
	var expires int64
	err = r.Scan(&v.Hash, &v.PersonID, &expires)
	v.Expires = instant(expires)
	return v, err
}

// Invitation implements [identity.InvitationStore].
func (i *Identity) Invitation(ctx context.Context, hash []byte) (identity.Invitation, error) {
	v, ok, err := first(ctx, i.store.read, scanInvitation, "SELECT "+invitationColumns+" FROM invitations WHERE hash = ?", bytesOf(hash))
	if err == nil && !ok {
		err = sql.ErrNoRows
	}
	return v, i.store.fail(ctx, err, "select an invitation")
}

// TakeInvitation implements [identity.InvitationStore].
func (i *Identity) TakeInvitation(ctx context.Context, hash []byte) (v identity.Invitation, err error) {
	err = i.store.transact(ctx, func(ctx context.Context, tx *transaction) error {
		var ok bool
		v, ok, err = first(ctx, tx, scanInvitation, "DELETE FROM invitations WHERE hash = ? RETURNING "+invitationColumns, bytesOf(hash))
		if err == nil && !ok {
			err = sql.ErrNoRows
		}
		return i.store.fail(ctx, err, "take an invitation")
	})
	if err != nil {
		return identity.Invitation{}, err
	}
	return v, nil
}

// PutSession implements [identity.SessionStore].
func (i *Identity) PutSession(ctx context.Context, token string, data []byte, expires time.Time) error {
	if err := checkTexts(token); err != nil {
		return err
	}
	_, err := i.store.exec(ctx, "put a session", `INSERT INTO sessions (token, data, expires_at) VALUES (?, ?, ?)
		ON CONFLICT (token) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at`,
		token, bytesOf(data), micros(expires))
	return err
}

// UpdateSession implements [identity.SessionStore].
func (i *Identity) UpdateSession(ctx context.Context, token string, data []byte, expires time.Time) error {
	if !names(token) {
		return nil
	}
	_, err := i.store.exec(ctx, "update a session", "UPDATE sessions SET data = ?, expires_at = ? WHERE token = ?",
		bytesOf(data), micros(expires), token)
	return err
}

// Session implements [identity.SessionStore]. Whether it has expired is a matter of the
// database's clock on PostgreSQL, which all processes share, and of the machine's on
// SQLite.
func (i *Identity) Session(ctx context.Context, token string) ([]byte, bool, error) {
	if !names(token) {
		return nil, false, nil
	}
	data, ok, err := first(ctx, i.store.read, scanOne[[]byte],
		"SELECT data FROM sessions WHERE token = ? AND expires_at > ?", token, i.store.clock())
	return slices.Clone(data), ok, i.store.fail(ctx, err, "select a session")
}

// DeleteSession implements [identity.SessionStore].
func (i *Identity) DeleteSession(ctx context.Context, token string) error {
	if !names(token) {
		return nil
	}
	_, err := i.store.exec(ctx, "delete a session", "DELETE FROM sessions WHERE token = ?", token)
	return err
}

// PruneSessions implements [identity.SessionStore].
func (i *Identity) PruneSessions(ctx context.Context, before time.Time) (int, error) {
	n, err := i.store.prune(ctx, "delete sessions",
		"DELETE FROM sessions WHERE token IN (SELECT token FROM sessions WHERE expires_at < ? LIMIT ?)", before)
	if err != nil {
		return n, err
	}
	more, err := i.store.prune(ctx, "delete invitations",
		"DELETE FROM invitations WHERE person_id IN (SELECT person_id FROM invitations WHERE expires_at < ? LIMIT ?)", before)
	return n + more, err
}
