// Package identitytest has a store of people in memory, for tests of other packages, and a
// suite of tests that every store of people must pass. Each implementation runs the suite.
package identitytest

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"vaak/identity"
	"vaak/internal/fault"
)

// Memory is a store in memory. The zero Memory is empty and ready, and safe for
// concurrent use.
type Memory struct {
	// Now is the clock by which sessions expire; nil is time.Now. Set it before the first call.
	Now func() time.Time

	mu          sync.Mutex
	people      []identity.Person
	invitations []identity.Invitation
	sessions    map[string]session
	events      []identity.Logged // oldest first
	lastEvent   int64             // Seq of the latest
	down        error
}

var _ identity.Store = (*Memory)(nil)

type session struct {
	data    []byte
	expires time.Time
}

// Fail makes every later call return err, until Fail is called with nil.
func (m *Memory) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = err
}

// enter locks the store for a call, and returns the error of [Memory.Fail] if there is one.
// The caller unlocks the store in either case.
func (m *Memory) enter(ctx context.Context) error {
	m.mu.Lock()
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Cancelled, fault.CodeStoreUnavailable, "", "the caller went away")
	}
	return m.down
}

func (m *Memory) now() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}

// stored returns a time in the resolution that stores keep.
func stored(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Microsecond)
}

// storedPerson returns p with its times in that resolution.
func storedPerson(p identity.Person) identity.Person {
	p.Created, p.SignedIn, p.Disabled = stored(p.Created), stored(p.SignedIn), stored(p.Disabled)
	return p
}

func missing(what string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "", "there is no such %s", what)
}

// find returns the index of the first person for whom is returns true, or NotFound.
func (m *Memory) find(is func(identity.Person) bool) (int, error) {
	if i := slices.IndexFunc(m.people, is); i >= 0 {
		return i, nil
	}
	return 0, missing("person")
}

// clash returns Conflict when a person other than the one at index except has a value of p
// that must be unique.
func (m *Memory) clash(p identity.Person, except int) error {
	for i, other := range m.people {
		if i != except && (other.ID == p.ID || other.Email == p.Email ||
			p.Proof.Subject != "" && other.Proof.Subject == p.Proof.Subject) {
			return fault.New(fault.Conflict, "person_exists", "", "there is such a person already")
		}
	}
	return nil
}

// CreateFirst implements [identity.PersonStore].
func (m *Memory) CreateFirst(ctx context.Context, p identity.Person) (bool, error) {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err != nil || len(m.people) > 0 {
		return false, err
	}
	m.people = append(m.people, storedPerson(p))
	return true, nil
}

// CreatePerson implements [identity.PersonStore].
func (m *Memory) CreatePerson(ctx context.Context, p identity.Person) error {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err == nil {
		err = m.clash(p, -1)
	}
	if err == nil {
		m.people = append(m.people, storedPerson(p))
	}
	return err
}

func (m *Memory) person(ctx context.Context, is func(identity.Person) bool) (identity.Person, error) {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return identity.Person{}, err
	}
	i, err := m.find(is)
	if err != nil {
		return identity.Person{}, err
	}
	return m.people[i], nil
}

// Person implements [identity.PersonStore].
func (m *Memory) Person(ctx context.Context, id string) (identity.Person, error) {
	return m.person(ctx, func(p identity.Person) bool { return p.ID == id })
}

// PersonByEmail implements [identity.PersonStore].
func (m *Memory) PersonByEmail(ctx context.Context, email string) (identity.Person, error) {
	return m.person(ctx, func(p identity.Person) bool { return p.Email == email })
}

// PersonBySubject implements [identity.PersonStore].
func (m *Memory) PersonBySubject(ctx context.Context, subject string) (identity.Person, error) {
	return m.person(ctx, func(p identity.Person) bool { return subject != "" && p.Proof.Subject == subject })
}

// People implements [identity.PersonStore].
func (m *Memory) People(ctx context.Context) ([]identity.Person, error) {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(slices.Values(m.people), func(a, b identity.Person) int { return strings.Compare(a.Email, b.Email) }), nil
}

// ChangePerson implements [identity.PersonStore].
func (m *Memory) ChangePerson(ctx context.Context, id string, change func(*identity.Person) error) (identity.Person, error) {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return identity.Person{}, err
	}
	i, err := m.find(func(p identity.Person) bool { return p.ID == id })
	if err != nil {
		return identity.Person{}, err
	}
	p := m.people[i]
	if err := change(&p); err != nil {
		return identity.Person{}, err
	}
	if err := m.clash(p, i); err != nil {
		return identity.Person{}, err
	}
	m.people[i] = storedPerson(p)
	return m.people[i], nil
}

// PutInvitation implements [identity.InvitationStore].
func (m *Memory) PutInvitation(ctx context.Context, i identity.Invitation) error {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return err
	}
	m.invitations = slices.DeleteFunc(m.invitations, func(old identity.Invitation) bool { return old.PersonID == i.PersonID })
	i.Hash, i.Expires = bytes.Clone(i.Hash), stored(i.Expires)
	m.invitations = append(m.invitations, i)
	return nil
}

func (m *Memory) invitation(ctx context.Context, hash []byte, take bool) (identity.Invitation, error) {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return identity.Invitation{}, err
	}
	at := slices.IndexFunc(m.invitations, func(i identity.Invitation) bool { return bytes.Equal(i.Hash, hash) })
	if at < 0 {
		return identity.Invitation{}, missing("invitation")
	}
	i := m.invitations[at]
	i.Hash = bytes.Clone(i.Hash)
	if take {
		m.invitations = slices.Delete(m.invitations, at, at+1)
	}
	return i, nil
}

// Invitation implements [identity.InvitationStore].
func (m *Memory) Invitation(ctx context.Context, hash []byte) (identity.Invitation, error) {
	return m.invitation(ctx, hash, false)
}

// TakeInvitation implements [identity.InvitationStore].
func (m *Memory) TakeInvitation(ctx context.Context, hash []byte) (identity.Invitation, error) {
	return m.invitation(ctx, hash, true)
}

// AddEvent implements [identity.EventStore].
func (m *Memory) AddEvent(ctx context.Context, e identity.Event) error {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return err
	}
	e.At = stored(e.At)
	m.lastEvent++
	m.events = append(m.events, identity.Logged{Event: e, Seq: m.lastEvent})
	return nil
}

// PruneEvents implements [identity.EventStore].
func (m *Memory) PruneEvents(ctx context.Context, before time.Time) (int, error) {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return 0, err
	}
	n := len(m.events)
	m.events = slices.DeleteFunc(m.events, func(e identity.Logged) bool { return e.At.Before(before) })
	return n - len(m.events), nil
}

// Events implements [identity.EventStore].
func (m *Memory) Events(ctx context.Context, q identity.EventQuery) ([]identity.Logged, error) {
	err := m.enter(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return nil, err
	}
	var page []identity.Logged
	for _, e := range slices.Backward(m.events) {
		if len(page) < q.Limit && (q.OrgID == "" || e.OrgID == q.OrgID) && (q.Before == 0 || e.Seq < q.Before) {
			page = append(page, e)
		}
	}
	return page, nil
}
