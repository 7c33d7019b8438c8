package identitytest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"vaak/identity"
	"vaak/internal/fault"
)

// invitation returns invitation n for a person. It is valid for an hour.
func invitation(n int, person string) identity.Invitation {
	hash := sha256.Sum256(fmt.Append(nil, n))
	return identity.Invitation{Hash: hash[:], PersonID: person, Expires: created.Add(time.Hour)}
}

// testInvitations checks that a person has one invitation, which is found by its hash until
// it is taken.
func testInvitations(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Store
	a, b := member(1, o.Orgs[0]), member(2, o.Orgs[1])
	check(t, "CreatePerson", s.CreatePerson(ctx, a))
	check(t, "CreatePerson", s.CreatePerson(ctx, b))
	for n, p := range []identity.Person{a, b, a} {
		check(t, "PutInvitation", s.PutInvitation(ctx, invitation(n, p.ID)))
	}
	_, err := s.Invitation(ctx, invitation(0, "").Hash)
	refused(t, "Invitation that another took the place of", err, fault.NotFound)
	_, err = s.TakeInvitation(ctx, invitation(0, "").Hash)
	refused(t, "TakeInvitation that another took the place of", err, fault.NotFound)
	_, err = s.Invitation(ctx, nil)
	refused(t, "Invitation of no hash", err, fault.NotFound)
	for n, p := range map[int]identity.Person{1: b, 2: a} {
		for range 2 {
			got, err := s.Invitation(ctx, invitation(n, "").Hash)
			check(t, "Invitation", err)
			same(t, "Invitation", got, invitation(n, p.ID))
		}
		got, err := s.TakeInvitation(ctx, invitation(n, "").Hash)
		check(t, "TakeInvitation", err)
		same(t, "TakeInvitation", got, invitation(n, p.ID))
		_, err = s.TakeInvitation(ctx, invitation(n, "").Hash)
		refused(t, "TakeInvitation again", err, fault.NotFound)
		_, err = s.Invitation(ctx, invitation(n, "").Hash)
		refused(t, "Invitation that was taken", err, fault.NotFound)
	}
}

// testTakeAtOnce checks that only one of many concurrent calls takes an invitation.
func testTakeAtOnce(t *testing.T, o Opened) {
	p := member(1, o.Orgs[0])
	check(t, "CreatePerson", o.Store.CreatePerson(t.Context(), p))
	check(t, "PutInvitation", o.Store.PutInvitation(t.Context(), invitation(1, p.ID)))
	stores := o.handles(t)
	one(t, "TakeInvitation", atOnce(func(n int) error {
		_, err := stores[n%2].TakeInvitation(t.Context(), invitation(1, "").Hash)
		return err
	}), fault.NotFound)
}

// testSessions checks that a session is stored byte by byte, and can be replaced and deleted.
func testSessions(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Store
	later := time.Now().Add(time.Hour)
	if data, ok, err := s.Session(ctx, "a"); ok || err != nil {
		t.Errorf("Session before it was kept = %q, %v, %v", data, ok, err)
	}
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for _, want := range [][]byte{every, {}, bytes.Repeat(every, 64)} {
		check(t, "PutSession", s.PutSession(ctx, "a", want, later))
		check(t, "PutSession", s.PutSession(ctx, "A", []byte("of another"), later))
		got, ok, err := s.Session(ctx, "a")
		if check(t, "Session", err); !ok || !bytes.Equal(got, want) {
			t.Errorf("Session = %d bytes, %v; want the %d that were kept", len(got), ok, len(want))
		}
	}
	for range 2 {
		check(t, "DeleteSession", s.DeleteSession(ctx, "a"))
		if _, ok, err := s.Session(ctx, "a"); ok || err != nil {
			t.Errorf("Session after DeleteSession = %v, %v", ok, err)
		}
	}
	if got, ok, err := s.Session(ctx, "A"); !ok || err != nil || string(got) != "of another" {
		t.Errorf("another Session = %q, %v, %v", got, ok, err)
	}
}

// testSessionsExpire checks that an expired session is not found before it is pruned, and
// that its id can be used again.
func testSessionsExpire(t *testing.T, o Opened) {
	ctx, s, now := t.Context(), o.Store, time.Now()
	for i, tt := range []struct {
		expires time.Time
		want    bool
	}{{now.Add(time.Hour), true}, {now.Add(-time.Hour), false}, {now.Add(2 * time.Hour), true}, {time.Unix(1, 0), false}} {
		check(t, "PutSession", s.PutSession(ctx, "a", []byte("data"), tt.expires))
		if _, ok, err := s.Session(ctx, "a"); ok != tt.want || err != nil {
			t.Errorf("step %d: Session that expires in %v = %v, %v; want %v", i, tt.expires.Sub(now), ok, err, tt.want)
		}
	}
}

// testSessionsAtOnce checks that concurrent calls may store the same session.
func testSessionsAtOnce(t *testing.T, o Opened) {
	stores, later := o.handles(t), time.Now().Add(time.Hour)
	for _, err := range atOnce(func(n int) error {
		return stores[n%2].PutSession(t.Context(), "a", []byte{byte(n)}, later)
	}) {
		check(t, "PutSession", err)
	}
	got, ok, err := o.Store.Session(t.Context(), "a")
	if check(t, "Session", err); !ok || len(got) != 1 || got[0] >= many {
		t.Errorf("Session = %v, %v; want what one of them kept", got, ok)
	}
}

// testPrune checks that pruning deletes what expired before a time, and nothing else.
func testPrune(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Store
	now := time.Now().Truncate(time.Microsecond)
	for n := range 6 {
		expires := now.Add(time.Duration(n-3) * time.Hour) // three have expired
		p := member(n, o.Orgs[0])
		check(t, "CreatePerson", s.CreatePerson(ctx, p))
		i := invitation(n, p.ID)
		i.Expires = expires
		check(t, "PutInvitation", s.PutInvitation(ctx, i))
		check(t, "PutSession", s.PutSession(ctx, fmt.Sprint(n), []byte("data"), expires))
	}
	for i, tt := range []struct {
		before time.Time
		want   int
	}{{now.Add(-4 * time.Hour), 0}, {now.Add(-3 * time.Hour), 0}, {now.Add(-3*time.Hour + time.Microsecond), 2}, {now, 4}, {now, 0}} {
		if n, err := s.PruneSessions(ctx, tt.before); n != tt.want || err != nil {
			t.Errorf("step %d: PruneSessions = %d, %v; want %d", i, n, err, tt.want)
		}
	}
	for n := range 6 {
		_, err := s.Invitation(ctx, invitation(n, "").Hash)
		if gone := fault.KindOf(err) == fault.NotFound; gone != (n < 3) || !gone && err != nil {
			t.Errorf("Invitation %d after PruneSessions: %v", n, err)
		}
		if _, ok, err := s.Session(ctx, fmt.Sprint(n)); n > 3 && (!ok || err != nil) { // the fourth expires by now
			t.Errorf("Session %d after PruneSessions = %v, %v", n, ok, err)
		}
	}
}

// event returns event n of an organisation.
func event(n int, org string) identity.Event {
	return identity.Event{
		At: created.Add(time.Duration(n) * time.Microsecond), Actor: operator(n).ID, OrgID: org, Action: "key.create",
		Target: fmt.Sprintf("key_%016d", n), Outcome: identity.OutcomeDone, Address: "2001:db8::1",
	}
}

// pages reads all events in pages of a size, and checks that their Seq decreases.
func pages(t *testing.T, s identity.Store, org string, size int) []identity.Event {
	t.Helper()
	var all []identity.Event
	for q := (identity.EventQuery{OrgID: org, Limit: size}); ; {
		page, err := s.Events(t.Context(), q)
		check(t, "Events", err)
		if len(page) > size {
			t.Fatalf("Events returns %d, want at most %d", len(page), size)
		}
		for _, e := range page {
			if e.Seq <= 0 || q.Before != 0 && e.Seq >= q.Before {
				t.Fatalf("event %d follows %d", e.Seq, q.Before)
			}
			q.Before = e.Seq
			all = append(all, e.Event)
		}
		if len(page) < size {
			return all
		}
	}
}

// testEvents checks that pages return the events that were added last first, with all
// fields, whatever their times are.
func testEvents(t *testing.T, o Opened) {
	if got := pages(t, o.Store, "", 10); len(got) != 0 {
		t.Errorf("there are %d events before one was added", len(got))
	}
	var want []identity.Event
	for n := range 11 {
		e := event(-n, o.Orgs[n%2]) // a clock that goes back
		if n == 5 {
			e = identity.Event{At: e.At, Action: "sign_in", Outcome: "sign_in_refused"} // of nobody, nowhere
		}
		check(t, "AddEvent", o.Store.AddEvent(t.Context(), e))
		want = append([]identity.Event{e}, want...)
	}
	for _, size := range []int{1, 3, 11, 500} {
		same(t, fmt.Sprintf("events by pages of %d", size), pages(t, o.Store, "", size), want)
	}
	e := event(1, "")
	e.At = created.Add(1999).In(time.FixedZone("west", -3600))
	check(t, "AddEvent", o.Store.AddEvent(t.Context(), e))
	page, err := o.Store.Events(t.Context(), identity.EventQuery{Limit: 1})
	check(t, "Events", err)
	if len(page) != 1 || !page[0].At.Equal(created.Add(time.Microsecond)) || page[0].At.Location() != time.UTC {
		t.Errorf("the latest event is %+v, want one to the microsecond, in UTC", page)
	}
}

// testEventsOfOrganisation checks that a query for an organisation returns only its events.
func testEventsOfOrganisation(t *testing.T, o Opened) {
	want := map[string][]identity.Event{}
	for n := range 20 {
		org := []string{o.Orgs[0], o.Orgs[1], ""}[n*n%3%3]
		if n%5 == 4 {
			org = o.Orgs[1]
		}
		e := event(n, org)
		check(t, "AddEvent", o.Store.AddEvent(t.Context(), e))
		want[org] = append([]identity.Event{e}, want[org]...)
	}
	for _, org := range o.Orgs {
		same(t, "events of "+org, pages(t, o.Store, org, 2), want[org])
	}
	same(t, "events of nobody", pages(t, o.Store, "org_aaaaaaaaaaaaaaaa", 2), []identity.Event(nil))
}

// testEventsAtOnce checks that of many concurrent events none is lost, and that each has a
// Seq of its own.
func testEventsAtOnce(t *testing.T, o Opened) {
	stores := o.handles(t)
	for _, err := range atOnce(func(n int) error { return stores[n%2].AddEvent(t.Context(), event(n, o.Orgs[0])) }) {
		check(t, "AddEvent", err)
	}
	if got := pages(t, o.Store, "", 5); len(got) != many {
		t.Errorf("there are %d events, want %d", len(got), many)
	}
}

// testPruneEvents checks that events from before a time are deleted, and that the others
// keep their Seq.
func testPruneEvents(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Store
	const many = 1_200 // more than one batch of the pruning
	for n := range many {
		check(t, "AddEvent", s.AddEvent(ctx, event(n, o.Orgs[n%2])))
	}
	newest, err := s.Events(ctx, identity.EventQuery{Limit: 1})
	check(t, "Events", err)
	at := func(n int) time.Time { return event(n, "").At }
	for i, tt := range []struct {
		before time.Time
		want   int
	}{{at(0), 0}, {at(1), 1}, {at(1), 0}, {at(many - 2), many - 3}, {at(many - 2), 0}} {
		if n, err := s.PruneEvents(ctx, tt.before); n != tt.want || err != nil {
			t.Errorf("step %d: PruneEvents = %d, %v; want %d", i, n, err, tt.want)
		}
	}
	same(t, "the events that are left", pages(t, s, "", 10), []identity.Event{event(many-1, o.Orgs[1]), event(many-2, o.Orgs[0])})
	check(t, "AddEvent", s.AddEvent(ctx, event(0, o.Orgs[0])))
	next, err := s.Events(ctx, identity.EventQuery{Limit: 1})
	check(t, "Events", err)
	if next[0].Seq <= newest[0].Seq {
		t.Errorf("after some were forgotten an event has the number %d, not above %d", next[0].Seq, newest[0].Seq)
	}
	if n, err := s.PruneEvents(ctx, at(many)); n != 3 || err != nil {
		t.Errorf("PruneEvents of all = %d, %v; want 3", n, err)
	}
}
