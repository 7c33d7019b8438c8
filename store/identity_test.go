package store

import (
	"testing"
	"time"

	"vaak/identity"
	"vaak/identity/identitytest"
	"vaak/internal/fault"
	"vaak/store/database/databasetest"
)

func runIdentity(t *testing.T, dsn func(t *testing.T) string, shared bool) {
	identitytest.Run(t, func(t *testing.T) identitytest.Opened {
		dsn := dsn(t)
		s := openDSN(t, dsn)
		o := identitytest.Opened{Store: s.Identity()}
		for n := range o.Orgs {
			org := testOrganisation(n)
			if err := s.CreateOrganisation(t.Context(), org); err != nil {
				t.Fatal(err)
			}
			o.Orgs[n] = org.ID
		}
		if shared {
			o.Again = func(t *testing.T) identity.Store { return openDSN(t, dsn).Identity() }
		}
		return o
	})
}

func TestIdentitySQLite(t *testing.T) {
	t.Parallel()
	runIdentity(t, sqliteDSN, true)
}

func TestIdentityMemory(t *testing.T) {
	t.Parallel()
	runIdentity(t, func(*testing.T) string { return "sqlite::memory:" }, false)
}

func TestIdentityPostgres(t *testing.T) {
	t.Parallel()
	runIdentity(t, func(t *testing.T) string { return databasetest.Postgres(t) }, true)
}

// bothStores runs a test on a store of each database.
func bothStores(t *testing.T, test func(t *testing.T, s *Store)) {
	for name, dsn := range map[string]func(*testing.T) string{
		"SQLite":     sqliteDSN,
		"PostgreSQL": func(t *testing.T) string { return databasetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, openDSN(t, dsn(t)))
		})
	}
}

// TestIdentityOddText: what cannot be kept is refused, and finds nothing.
func TestIdentityOddText(t *testing.T) {
	t.Parallel()
	bothStores(t, func(t *testing.T, s *Store) {
		ctx, i := t.Context(), s.Identity()
		good := identity.Person{ID: "usr_a", Email: "a@example.org", Role: identity.Operator}
		if err := i.CreatePerson(ctx, good); err != nil {
			t.Fatal(err)
		}
		want := func(what string, err error, kind fault.Kind) {
			t.Helper()
			if got := fault.KindOf(err); got != kind {
				t.Errorf("%s: kind %q (%v), want %q", what, got, err, kind)
			}
		}
		for _, odd := range []string{"\x00", "a\x00b", "\xff", "a\xc3"} {
			for what, change := range map[string]func(*identity.Person){
				"id": func(p *identity.Person) { p.ID = odd }, "e-mail": func(p *identity.Person) { p.Email = odd },
				"name": func(p *identity.Person) { p.Name = odd }, "organisation": func(p *identity.Person) { p.Role, p.OrgID = identity.Member, odd },
				"password": func(p *identity.Person) { p.Proof.Password = odd }, "subject": func(p *identity.Person) { p.Proof.Subject = odd },
			} {
				p := identity.Person{ID: "usr_b", Email: "b@example.org", Role: identity.Operator}
				change(&p)
				want("CreatePerson with an odd "+what, i.CreatePerson(ctx, p), fault.Invalid)
				_, err := i.CreateFirst(ctx, p)
				want("CreateFirst with an odd "+what, err, fault.Invalid)
				if what != "id" {
					_, err = i.ChangePerson(ctx, good.ID, func(p *identity.Person) error { change(p); return nil })
					want("ChangePerson to an odd "+what, err, fault.Invalid)
				}
			}
			_, err := i.Person(ctx, odd)
			want("Person", err, fault.NotFound)
			_, err = i.PersonByEmail(ctx, odd)
			want("PersonByEmail", err, fault.NotFound)
			_, err = i.PersonBySubject(ctx, odd)
			want("PersonBySubject", err, fault.NotFound)
			_, err = i.ChangePerson(ctx, odd, nil)
			want("ChangePerson", err, fault.NotFound)
			want("PutInvitation", i.PutInvitation(ctx, identity.Invitation{Hash: []byte("h"), PersonID: odd}), fault.Invalid)
			want("PutSession", i.PutSession(ctx, odd, nil, time.Now()), fault.Invalid)
			if _, ok, err := i.Session(ctx, odd); ok || err != nil {
				t.Errorf("Session(%q) = %v, %v", odd, ok, err)
			}
			want("DeleteSession", i.DeleteSession(ctx, odd), "")
			want("AddEvent", i.AddEvent(ctx, identity.Event{Action: "a", Target: odd}), fault.Invalid)
			if got, err := i.Events(ctx, identity.EventQuery{OrgID: odd, Limit: 1}); len(got) > 0 || err != nil {
				t.Errorf("Events of %q = %v, %v", odd, got, err)
			}
		}
		want("a member of no organisation", i.CreatePerson(ctx, identity.Person{ID: "usr_c", Email: "c@example.org", Role: identity.Member, OrgID: "org_none"}), fault.NotFound)
		want("an invitation of nobody", i.PutInvitation(ctx, identity.Invitation{Hash: []byte("h"), PersonID: "usr_none"}), fault.NotFound)
		if got, err := i.Person(ctx, good.ID); got != good || err != nil {
			t.Errorf("Person = %+v, %v, want it as it was", got, err)
		}
	})
}

// TestIdentityClosed: a store that is closed is away, whatever is asked.
func TestIdentityClosed(t *testing.T) {
	t.Parallel()
	bothStores(t, func(t *testing.T, s *Store) {
		ctx, i := t.Context(), s.Identity()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		_, first := i.CreateFirst(ctx, identity.Person{})
		_, person := i.Person(ctx, "usr_a")
		_, people := i.People(ctx)
		_, change := i.ChangePerson(ctx, "usr_a", nil)
		_, take := i.TakeInvitation(ctx, []byte("h"))
		_, _, session := i.Session(ctx, "t")
		_, prune := i.PruneSessions(ctx, time.Now())
		_, pruneEvents := i.PruneEvents(ctx, time.Now())
		_, events := i.Events(ctx, identity.EventQuery{Limit: 1})
		for what, err := range map[string]error{
			"CreateFirst": first, "Person": person, "People": people, "ChangePerson": change, "TakeInvitation": take,
			"Session": session, "PruneSessions": prune, "PruneEvents": pruneEvents, "Events": events,
			"PutSession": i.PutSession(ctx, "t", nil, time.Now()), "AddEvent": i.AddEvent(ctx, identity.Event{}),
		} {
			if got := fault.KindOf(err); got != fault.Unavailable {
				t.Errorf("%s: kind %q (%v), want %q", what, got, err, fault.Unavailable)
			}
		}
	})
}
