// Package people keeps the people who sign in to the console, their invitations and
// sessions, and the journal of what they did.
package people

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"

	"vaak/identity"
	"vaak/store/database"
)

// People keeps people in a database. No error holds an address, a token, or what proves
// who somebody is.
type People struct{ db *database.DB }

var _ identity.Store = (*People)(nil)

// New returns the people of a database.
func New(db *database.DB) *People { return &People{db} }

// row is a row of people.
type row struct {
	bun.BaseModel `bun:"table:people,alias:p"`

	ID         string `bun:",pk"`
	Email      string
	Name       string
	Role       string
	OrgID      string `bun:",nullzero"`
	CreatedAt  int64
	SignedInAt int64
	DisabledAt int64
	Epoch      int64
	Password   string
	Codes      string
	CodesUsed  int64
	Subject    string `bun:",nullzero"`
}

func rowOf(p identity.Person) row {
	return row{
		ID: p.ID, Email: p.Email, Name: p.Name, Role: string(p.Role), OrgID: p.OrgID,
		CreatedAt: database.Micros(p.Created), SignedInAt: database.Micros(p.SignedIn), DisabledAt: database.Micros(p.Disabled),
		Epoch: p.Epoch, Password: p.Proof.Password, Codes: p.Proof.Codes, CodesUsed: p.Proof.CodesUsed, Subject: p.Proof.Subject,
	}
}

func (r row) person() identity.Person {
	return identity.Person{
		ID: r.ID, Email: r.Email, Name: r.Name, Role: identity.Role(r.Role), OrgID: r.OrgID,
		Created: database.Instant(r.CreatedAt), SignedIn: database.Instant(r.SignedInAt), Disabled: database.Instant(r.DisabledAt),
		Epoch: r.Epoch,
		Proof: identity.Proof{Password: r.Password, Codes: r.Codes, CodesUsed: r.CodesUsed, Subject: r.Subject},
	}
}

// check refuses a person with a text that cannot be stored.
func check(p identity.Person) error {
	return database.CheckTexts(p.ID, p.Email, p.Name, string(p.Role), p.OrgID, p.Proof.Password, p.Proof.Codes, p.Proof.Subject)
}

// CreateFirst implements [identity.PersonStore].
func (s *People) CreateFirst(ctx context.Context, p identity.Person) (first bool, err error) {
	if err := check(p); err != nil {
		return false, err
	}
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
		first = false
		if s.db.Postgres() {
			// Nobody else may add a person between the look and the insert. SQLite has one
			// writer. The builder has no LOCK TABLE.
			if _, err := tx.ExecContext(ctx, "LOCK TABLE people IN SHARE ROW EXCLUSIVE MODE"); err != nil {
				return tx.Fail(ctx, err, "lock people")
			}
		}
		anybody, err := tx.NewSelect().Model((*row)(nil)).Exists(ctx)
		if err != nil || anybody {
			return tx.Fail(ctx, err, "look for people")
		}
		first = true
		return add(ctx, tx, p)
	})
	return first && err == nil, err
}

// CreatePerson implements [identity.PersonStore]. It is NotFound when the organisation of
// a member does not exist.
func (s *People) CreatePerson(ctx context.Context, p identity.Person) error {
	if err := check(p); err != nil {
		return err
	}
	return s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error { return add(ctx, tx, p) })
}

func add(ctx context.Context, tx *database.Tx, p identity.Person) error {
	r := rowOf(p)
	_, err := tx.NewInsert().Model(&r).Returning("NULL").Exec(ctx)
	return tx.Fail(ctx, err, "insert a person")
}

// Person implements [identity.PersonStore].
func (s *People) Person(ctx context.Context, id string) (identity.Person, error) {
	return s.person(ctx, s.db.Read.NewSelect().Where("p.id = ?", id), id)
}

// PersonByEmail implements [identity.PersonStore].
func (s *People) PersonByEmail(ctx context.Context, email string) (identity.Person, error) {
	return s.person(ctx, s.db.Read.NewSelect().Where("p.email = ?", email), email)
}

// PersonBySubject implements [identity.PersonStore].
func (s *People) PersonBySubject(ctx context.Context, subject string) (identity.Person, error) {
	return s.person(ctx, s.db.Read.NewSelect().Where("p.subject = ?", subject), subject)
}

// person returns the person that a select by one value finds.
func (s *People) person(ctx context.Context, q *bun.SelectQuery, value string) (identity.Person, error) {
	var r row
	err := error(sql.ErrNoRows)
	if database.IsID(value) {
		err = q.Model(&r).Scan(ctx)
	}
	if err != nil {
		return identity.Person{}, s.db.Fail(ctx, err, "select a person")
	}
	return r.person(), nil
}

// People implements [identity.PersonStore].
func (s *People) People(ctx context.Context) ([]identity.Person, error) {
	var rows []row
	err := s.db.Read.NewSelect().Model(&rows).Order("p.email").Scan(ctx)
	var all []identity.Person
	for _, r := range rows {
		all = append(all, r.person())
	}
	return all, s.db.Fail(ctx, err, "select people")
}

// ChangePerson implements [identity.PersonStore]. Change must not use the store. The id
// stays as it was, whatever change does to it.
func (s *People) ChangePerson(ctx context.Context, id string, change func(*identity.Person) error) (p identity.Person, err error) {
	err = s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		q := tx.NewSelect().Where("p.id = ?", id)
		if s.db.Postgres() { // SQLite has one writer
			q = q.For("NO KEY UPDATE")
		}
		if p, err = s.person(ctx, q, id); err != nil {
			return err
		}
		if err = change(&p); err != nil {
			return err
		}
		p.ID = id
		if err = check(p); err != nil {
			return err
		}
		r := rowOf(p)
		p = r.person() // with times as they are stored: in UTC, to the microsecond
		_, err = tx.NewUpdate().Model(&r).WherePK().Exec(ctx)
		return tx.Fail(ctx, err, "update a person")
	})
	if err != nil {
		return identity.Person{}, err
	}
	return p, nil
}
