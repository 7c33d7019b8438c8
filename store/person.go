package store

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"

	"vaak/identity"
)

// Identity is the part of a store that holds people, their invitations and sessions,
// and what they have done. It is good for as long as the store is open.
//
// No error holds an address, a token, or what proves who somebody is.
type Identity struct{ store *Store }

var _ identity.Store = (*Identity)(nil)

// Identity returns the part that holds people.
func (s *Store) Identity() *Identity { return &Identity{s} }

const personColumns = `id, email, name, role, coalesce(org_id, ''), created_at, signed_in_at, disabled_at, epoch,
	password, codes, codes_used, coalesce(subject, '')`

func scanPerson(r row) (p identity.Person, err error) {
	var made, signedIn, disabled int64
	proof := &p.Proof
	err = r.Scan(&p.ID, &p.Email, &p.Name, &p.Role, &p.OrgID, &made, &signedIn, &disabled, &p.Epoch,
		&proof.Password, &proof.Codes, &proof.CodesUsed, &proof.Subject)
	p.Created, p.SignedIn, p.Disabled = instant(made), instant(signedIn), instant(disabled)
	return p, err
}

// checkPerson refuses text that cannot be kept.
func checkPerson(p identity.Person) error {
	return checkTexts(p.ID, p.Email, p.Name, string(p.Role), p.OrgID, p.Proof.Password, p.Proof.Codes, p.Proof.Subject)
}

// CreateFirst implements [identity.PersonStore].
func (i *Identity) CreateFirst(ctx context.Context, p identity.Person) (first bool, err error) {
	if err := checkPerson(p); err != nil {
		return false, err
	}
	err = i.store.transact(ctx, func(ctx context.Context, tx *transaction) error {
		first = false
		if i.store.postgres() { // so that nobody adds a person until the end; SQLite has one writer
			if err := tx.exec(ctx, "LOCK TABLE people IN SHARE ROW EXCLUSIVE MODE"); err != nil {
				return i.store.fail(ctx, err, "lock people")
			}
		}
		var n int
		err := tx.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM people LIMIT 1) AS anybody").Scan(&n)
		if err != nil || n > 0 {
			return i.store.fail(ctx, err, "look for people")
		}
		first = true
		return tx.addPerson(ctx, p)
	})
	return first && err == nil, err
}

// CreatePerson implements [identity.PersonStore]. It is NotFound when there is no
// organisation that a member is to be of.
func (i *Identity) CreatePerson(ctx context.Context, p identity.Person) error {
	if err := checkPerson(p); err != nil {
		return err
	}
	return i.store.transact(ctx, func(ctx context.Context, tx *transaction) error { return tx.addPerson(ctx, p) })
}

func (tx *transaction) addPerson(ctx context.Context, p identity.Person) error {
	err := tx.exec(ctx, `INSERT INTO people (id, email, name, role, org_id, created_at, signed_in_at, disabled_at, epoch,
			password, codes, codes_used, subject)
		VALUES (?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?, ?, nullif(?, ''))`,
		p.ID, p.Email, p.Name, p.Role, p.OrgID, micros(p.Created), micros(p.SignedIn), micros(p.Disabled), p.Epoch,
		p.Proof.Password, p.Proof.Codes, p.Proof.CodesUsed, p.Proof.Subject)
	return tx.store.fail(ctx, err, "insert a person")
}

// Person implements [identity.PersonStore].
func (i *Identity) Person(ctx context.Context, id string) (identity.Person, error) {
	return i.person(ctx, i.store.read, "id = ?", id)
}

// PersonByEmail implements [identity.PersonStore].
func (i *Identity) PersonByEmail(ctx context.Context, email string) (identity.Person, error) {
	return i.person(ctx, i.store.read, "email = ?", email)
}

// PersonBySubject implements [identity.PersonStore].
func (i *Identity) PersonBySubject(ctx context.Context, subject string) (identity.Person, error) {
	return i.person(ctx, i.store.read, "subject = ?", subject)
}

// person returns the one for whom a condition with one value holds.
func (i *Identity) person(ctx context.Context, db bun.IDB, which, value string) (identity.Person, error) {
	var p identity.Person
	err := error(sql.ErrNoRows)
	if names(value) {
		var found bool
		p, found, err = first(ctx, db, scanPerson, "SELECT "+personColumns+" FROM people WHERE "+which, value)
		if err == nil && !found {
			err = sql.ErrNoRows
		}
	}
	return p, i.store.fail(ctx, err, "select a person")
}

// People implements [identity.PersonStore].
func (i *Identity) People(ctx context.Context) ([]identity.Person, error) {
	all, err := collect(ctx, i.store.read, scanPerson, "SELECT "+personColumns+" FROM people ORDER BY email")
	return all, i.store.fail(ctx, err, "select people")
}

// ChangePerson implements [identity.PersonStore]. Change must not use the store. What it
// does to the id is not kept.
func (i *Identity) ChangePerson(ctx context.Context, id string, change func(*identity.Person) error) (p identity.Person, err error) {
	which := "id = ?"
	if i.store.postgres() { // SQLite has one writer
		which += " FOR NO KEY UPDATE"
	}
	err = i.store.transact(ctx, func(ctx context.Context, tx *transaction) (err error) {
		if p, err = i.person(ctx, tx, which, id); err != nil {
			return err
		}
		if err = change(&p); err != nil {
			return err
		}
		p.ID = id
		if err = checkPerson(p); err != nil {
			return err
		}
		// As it is kept: to the microsecond, in UTC.
		p.Created, p.SignedIn, p.Disabled = instant(micros(p.Created)), instant(micros(p.SignedIn)), instant(micros(p.Disabled))
		return tx.putPerson(ctx, p)
	})
	if err != nil {
		return identity.Person{}, err
	}
	return p, nil
}

func (tx *transaction) putPerson(ctx context.Context, p identity.Person) error {
	err := tx.exec(ctx, `UPDATE people SET email = ?, name = ?, role = ?, org_id = nullif(?, ''), created_at = ?, signed_in_at = ?,
			disabled_at = ?, epoch = ?, password = ?, codes = ?, codes_used = ?, subject = nullif(?, '')
		WHERE id = ?`,
		p.Email, p.Name, p.Role, p.OrgID, micros(p.Created), micros(p.SignedIn),
		micros(p.Disabled), p.Epoch, p.Proof.Password, p.Proof.Codes, p.Proof.CodesUsed, p.Proof.Subject, p.ID)
	return tx.store.fail(ctx, err, "update a person")
}
