package identitytest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"vaak/identity"
	"vaak/internal/fault"
)

// testCreateFirst checks that CreateFirst adds a person only while there is none.
func testCreateFirst(t *testing.T, o Opened) {
	ctx := t.Context()
	for n, want := range []bool{true, false, false} {
		ok, err := o.Store.CreateFirst(ctx, operator(n))
		if check(t, "CreateFirst", err); ok != want {
			t.Errorf("CreateFirst %d = %v, want %v", n, ok, want)
		}
	}
	people, err := o.Store.People(ctx)
	check(t, "People", err)
	same(t, "People", people, []identity.Person{operator(0)})
}

// testCreateFirstAtOnce checks that of many concurrent calls, in two processes, one adds a
// person.
func testCreateFirstAtOnce(t *testing.T, o Opened) {
	stores := o.handles(t)
	var first atomic.Int64
	for _, err := range atOnce(func(n int) error {
		ok, err := stores[n%2].CreateFirst(t.Context(), operator(n))
		if ok {
			first.Add(1)
		}
		return err
	}) {
		check(t, "CreateFirst", err)
	}
	people, err := o.Store.People(t.Context())
	check(t, "People", err)
	if first.Load() != 1 || len(people) != 1 {
		t.Errorf("CreateFirst was true %d times and added %d people, want 1 and 1", first.Load(), len(people))
	}
}

// testPeople checks that a person is found by id, address and subject, with all fields.
func testPeople(t *testing.T, o Opened) {
	ctx := t.Context()
	want := []identity.Person{member(2, o.Orgs[0]), member(3, o.Orgs[1]), operator(1)}
	for _, p := range want {
		check(t, "CreatePerson", o.Store.CreatePerson(ctx, p))
	}
	for _, p := range want {
		got, err := o.Store.Person(ctx, p.ID)
		check(t, "Person", err)
		same(t, "Person", got, p)
		got, err = o.Store.PersonByEmail(ctx, p.Email)
		check(t, "PersonByEmail", err)
		same(t, "PersonByEmail", got, p)
	}
	got, err := o.Store.PersonBySubject(ctx, operator(1).Proof.Subject)
	check(t, "PersonBySubject", err)
	same(t, "PersonBySubject", got, operator(1))
	people, err := o.Store.People(ctx)
	check(t, "People", err)
	same(t, "People", people, want)
}

// testPeopleInOrder checks that people are listed in the order of the bytes of their
// addresses, whatever the collation of the database is.
func testPeopleInOrder(t *testing.T, o Opened) {
	ctx := t.Context()
	want := []string{"a+b@example.org", "a-c@example.org", "a.b@example.org", "a_a@example.org", "aa@example.org", "b@example.org"}
	for n := range want {
		p := member(n, o.Orgs[0])
		p.Email = want[(n*5+2)%len(want)]
		check(t, "CreatePerson", o.Store.CreatePerson(ctx, p))
	}
	people, err := o.Store.People(ctx)
	check(t, "People", err)
	var got []string
	for _, p := range people {
		got = append(got, p.Email)
	}
	same(t, "addresses", got, want)
}

// testUnique checks that addresses and subjects are unique, and that many people may have no
// subject.
func testUnique(t *testing.T, o Opened) {
	ctx := t.Context()
	check(t, "CreatePerson", o.Store.CreatePerson(ctx, operator(1)))
	for name, change := range map[string]func(*identity.Person){
		"id":      func(p *identity.Person) { p.ID = operator(1).ID },
		"e-mail":  func(p *identity.Person) { p.Email = operator(1).Email },
		"subject": func(p *identity.Person) { p.Proof.Subject = operator(1).Proof.Subject },
	} {
		p := operator(2)
		change(&p)
		refused(t, "CreatePerson with the "+name+" of another", o.Store.CreatePerson(ctx, p), fault.Conflict)
	}
	for n := range 3 {
		check(t, "CreatePerson without subject", o.Store.CreatePerson(ctx, member(10+n, o.Orgs[0])))
	}
	people, err := o.Store.People(ctx)
	check(t, "People", err)
	if len(people) != 4 {
		t.Errorf("there are %d people, want 4", len(people))
	}
}

// testUniqueAtOnce checks that of many concurrent calls with one address one adds a person.
func testUniqueAtOnce(t *testing.T, o Opened) {
	stores := o.handles(t)
	one(t, "CreatePerson", atOnce(func(n int) error {
		p := member(n, o.Orgs[n%2])
		p.Email = "same@example.org"
		return stores[n%2].CreatePerson(t.Context(), p)
	}), fault.Conflict)
}

// testNobody checks that no query finds a person who does not exist.
func testNobody(t *testing.T, o Opened) {
	ctx := t.Context()
	check(t, "CreatePerson", o.Store.CreatePerson(ctx, member(1, o.Orgs[0])))
	_, err := o.Store.Person(ctx, "usr_aaaaaaaaaaaaaaaa")
	refused(t, "Person", err, fault.NotFound)
	_, err = o.Store.Person(ctx, "")
	refused(t, "Person of no id", err, fault.NotFound)
	_, err = o.Store.PersonByEmail(ctx, "nobody@example.org")
	refused(t, "PersonByEmail", err, fault.NotFound)
	_, err = o.Store.PersonBySubject(ctx, "https://id.example.org 1")
	refused(t, "PersonBySubject", err, fault.NotFound)
	_, err = o.Store.PersonBySubject(ctx, "")
	refused(t, "PersonBySubject of none", err, fault.NotFound)
	_, err = o.Store.ChangePerson(ctx, "usr_aaaaaaaaaaaaaaaa", func(*identity.Person) error {
		t.Error("ChangePerson changes nobody")
		return nil
	})
	refused(t, "ChangePerson", err, fault.NotFound)
}

// testTimes checks that times are stored to the microsecond and returned in UTC.
func testTimes(t *testing.T, o Opened) {
	ctx := t.Context()
	east := time.FixedZone("east", 5*3600+1800)
	p := operator(1)
	p.Created, p.SignedIn, p.Disabled = created.Add(999).In(east), created.Add(1001).In(east), time.Time{}
	check(t, "CreatePerson", o.Store.CreatePerson(ctx, p))
	p.Created, p.SignedIn = created, created.Add(time.Microsecond)
	got, err := o.Store.Person(ctx, p.ID)
	check(t, "Person", err)
	same(t, "Person", got, p)
	for what, at := range map[string]time.Time{"Created": got.Created, "SignedIn": got.SignedIn} {
		if at.Location() != time.UTC {
			t.Errorf("%s is in %v, want UTC", what, at.Location())
		}
	}
	changed, err := o.Store.ChangePerson(ctx, p.ID, func(p *identity.Person) error {
		p.Disabled = created.Add(1500).In(east)
		return nil
	})
	check(t, "ChangePerson", err)
	p.Disabled = created.Add(time.Microsecond)
	same(t, "ChangePerson", changed, p)
}

// testChangePerson checks that a change is stored with all fields, and that a refused change
// stores nothing.
func testChangePerson(t *testing.T, o Opened) {
	ctx := t.Context()
	check(t, "CreatePerson", o.Store.CreatePerson(ctx, member(1, o.Orgs[0])))
	check(t, "CreatePerson", o.Store.CreatePerson(ctx, member(2, o.Orgs[0])))
	want := operator(1)
	got, err := o.Store.ChangePerson(ctx, want.ID, func(p *identity.Person) error {
		same(t, "before the change", *p, member(1, o.Orgs[0]))
		*p = want
		return nil
	})
	check(t, "ChangePerson", err)
	same(t, "ChangePerson", got, want)

	no := errors.New("no")
	_, err = o.Store.ChangePerson(ctx, want.ID, func(p *identity.Person) error {
		p.Name, p.Epoch, p.Proof = "changed", 99, identity.Proof{}
		return no
	})
	if !errors.Is(err, no) {
		t.Errorf("ChangePerson: %v, want the error of the change", err)
	}
	refusal := fault.New(fault.Unauthenticated, "code_invalid", "", "no")
	_, err = o.Store.ChangePerson(ctx, want.ID, func(*identity.Person) error { return refusal })
	refused(t, "ChangePerson that refuses", err, fault.Unauthenticated)
	got, err = o.Store.Person(ctx, want.ID)
	check(t, "Person", err)
	same(t, "Person", got, want)
	got, err = o.Store.Person(ctx, member(2, "").ID)
	check(t, "Person", err)
	same(t, "another person", got, member(2, o.Orgs[0]))
}

// testChangeClash checks that a change cannot give a person the address or subject of
// another.
func testChangeClash(t *testing.T, o Opened) {
	ctx := t.Context()
	check(t, "CreatePerson", o.Store.CreatePerson(ctx, operator(1)))
	check(t, "CreatePerson", o.Store.CreatePerson(ctx, member(2, o.Orgs[0])))
	for name, change := range map[string]func(*identity.Person){
		"e-mail":  func(p *identity.Person) { p.Email = operator(1).Email },
		"subject": func(p *identity.Person) { p.Proof.Subject = operator(1).Proof.Subject },
	} {
		_, err := o.Store.ChangePerson(ctx, member(2, "").ID, func(p *identity.Person) error {
			change(p)
			return nil
		})
		refused(t, "ChangePerson to the "+name+" of another", err, fault.Conflict)
	}
	got, err := o.Store.Person(ctx, member(2, "").ID)
	check(t, "Person", err)
	same(t, "Person", got, member(2, o.Orgs[0]))
}

// testChangeAtOnce checks that of many concurrent changes none is lost, whichever process
// makes it.
func testChangeAtOnce(t *testing.T, o Opened) {
	const times = 5
	check(t, "CreatePerson", o.Store.CreatePerson(t.Context(), member(1, o.Orgs[0])))
	stores := o.handles(t)
	for _, err := range atOnce(func(n int) error {
		for range times {
			if _, err := stores[n%2].ChangePerson(t.Context(), member(1, "").ID, func(p *identity.Person) error {
				p.Epoch++
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	}) {
		check(t, "ChangePerson", err)
	}
	got, err := o.Store.Person(t.Context(), member(1, "").ID)
	check(t, "Person", err)
	if got.Epoch != many*times {
		t.Errorf("after %d changes the epoch is %d", many*times, got.Epoch)
	}
}

// testChangeOnce checks that of many concurrent changes that use something up, one succeeds.
func testChangeOnce(t *testing.T, o Opened) {
	check(t, "CreatePerson", o.Store.CreatePerson(t.Context(), member(1, o.Orgs[0])))
	stores := o.handles(t)
	one(t, "ChangePerson", atOnce(func(n int) error {
		_, err := stores[n%2].ChangePerson(t.Context(), member(1, "").ID, func(p *identity.Person) error {
			if p.Proof.CodesUsed >= 7 {
				return fault.New(fault.Unauthenticated, "code_invalid", "", "used")
			}
			p.Proof.CodesUsed, p.Name = 7, fmt.Sprint("winner ", n)
			return nil
		})
		return err
	}), fault.Unauthenticated)
}

// testReopened checks that another process reads all that was stored.
func testReopened(t *testing.T, o Opened) {
	if o.Again == nil {
		t.Skip("only one may open it")
	}
	ctx := t.Context()
	check(t, "CreatePerson", o.Store.CreatePerson(ctx, operator(1)))
	check(t, "PutInvitation", o.Store.PutInvitation(ctx, invitation(1, operator(1).ID)))
	check(t, "PutSession", o.Store.PutSession(ctx, "token", []byte("data"), time.Now().Add(time.Hour)))
	check(t, "AddEvent", o.Store.AddEvent(ctx, event(1, o.Orgs[0])))
	again := o.Again(t)
	p, err := again.Person(ctx, operator(1).ID)
	check(t, "Person", err)
	same(t, "Person", p, operator(1))
	i, err := again.Invitation(ctx, invitation(1, "").Hash)
	check(t, "Invitation", err)
	same(t, "Invitation", i, invitation(1, operator(1).ID))
	data, ok, err := again.Session(ctx, "token")
	if check(t, "Session", err); !ok || string(data) != "data" {
		t.Errorf("Session = %q, %v; want what was kept", data, ok)
	}
	events, err := again.Events(ctx, identity.EventQuery{Limit: 10})
	check(t, "Events", err)
	if len(events) != 1 {
		t.Fatalf("there are %d events, want 1", len(events))
	}
	same(t, "event", events[0].Event, event(1, o.Orgs[0]))
}
