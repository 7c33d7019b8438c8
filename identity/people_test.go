package identity_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/identity"
	"vaak/internal/fault"
)

func TestInvite(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	owner := w.owner(t)
	m := w.join(t, owner, memberDraft)
	for field, d := range map[string]identity.Draft{
		"email":        {Email: "a@b@", Name: "A", Role: identity.Operator},
		"name":         {Email: "a@example.org", Name: "A\x07", Role: identity.Operator},
		"role":         {Email: "a@example.org", Name: "A", Role: "owner"},
		"organisation": {Email: "a@example.org", Name: "A", Role: identity.Member},
	} {
		_, _, err := w.Invite(ctx, owner, client(1), d)
		if e, _ := errors.AsType[*fault.Error](err); e == nil || e.Field != field || e.Kind != fault.Invalid {
			t.Errorf("Invite with a bad %s: %v", field, err)
		}
	}
	_, _, err := w.Invite(ctx, owner, client(1), identity.Draft{Email: "a@example.org", Name: "A", Role: identity.Operator, OrgID: org})
	want(t, "an operator of an organisation", err, fault.Invalid, fault.CodeInvalidParameter)
	again := memberDraft
	again.Email = "MEMBER@example.org"
	_, _, err = w.Invite(ctx, owner, client(1), again)
	want(t, "the same address", err, fault.Conflict, identity.CodePersonExists)
	w.wantEvents(t, "person.invite person_exists")
	_, _, err = w.Invite(ctx, m, client(1), operatorDraft)
	want(t, "Invite by a member", err, fault.Forbidden, identity.CodeOperatorsOnly)
	forged := m
	forged.Role = identity.Operator
	_, _, err = w.Invite(ctx, forged, client(1), operatorDraft)
	want(t, "Invite by somebody who was an operator", err, fault.Forbidden, identity.CodeOperatorsOnly)

	p, token, err := w.Invite(ctx, owner, client(1), operatorDraft)
	must(t, "Invite", err)
	w.wantEvents(t, "person.invite done")
	if p.Ready() || len(token) != 43 || !p.Operates() {
		t.Errorf("Invite = ready %v, token %q", p.Ready(), token)
	}
	if in, err := w.Invited(ctx, token); err != nil || in.ID != p.ID {
		t.Errorf("Invited = %v, %v", in.ID, err)
	}
	for _, bad := range []string{"", "x", token + "A", strings.ToUpper(token), strings.Repeat("A", 43)} {
		_, err := w.Invited(ctx, bad)
		want(t, "Invited by another token", err, fault.NotFound, identity.CodeInvitationInvalid)
		_, err = w.Accept(ctx, client(2), bad, good)
		want(t, "Accept by another token", err, fault.NotFound, identity.CodeInvitationInvalid)
	}
	w.wantEvents(t, "person.accept invitation_invalid")
	_, err = w.Accept(ctx, client(2), token, "short")
	want(t, "Accept with a short password", err, fault.Invalid, fault.CodeInvalidParameter)
	in, err := w.Accept(ctx, client(2), token, good)
	if must(t, "Accept", err); in.ID != p.ID || !in.Ready() || in.Epoch <= p.Epoch || in.SignedIn.IsZero() {
		t.Errorf("Accept = %+v", in)
	}
	w.wantEvents(t, "person.accept done")
	_, err = w.Accept(ctx, client(2), token, good)
	want(t, "Accept again", err, fault.NotFound, identity.CodeInvitationInvalid)
	w.signIn(t, client(4), operatorDraft.Email)
}

// TestInvitationEnds checks that an invitation ends after a week, with a new invitation, and when
// its person is disabled.
func TestInvitationEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, w *world, owner, p identity.Person){
		"a week":   func(_ *testing.T, w *world, _, _ identity.Person) { w.advance(7 * 24 * time.Hour) },
		"disabled": func(t *testing.T, w *world, owner, p identity.Person) { w.disable(t, owner, p, true) },
		"disabled and enabled": func(t *testing.T, w *world, owner, p identity.Person) {
			w.disable(t, owner, p, true)
			w.disable(t, owner, p, false)
		},
		"another link": func(t *testing.T, w *world, owner, p identity.Person) {
			_, err := w.Reinvite(t.Context(), owner, client(1), p.ID)
			must(t, "Reinvite", err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			owner := w.owner(t)
			p, token, err := w.Invite(t.Context(), owner, client(1), memberDraft)
			must(t, "Invite", err)
			w.advance(7*24*time.Hour - time.Minute)
			_, err = w.Invited(t.Context(), token)
			must(t, "Invited", err)
			end(t, w, owner, p)
			_, err = w.Invited(t.Context(), token)
			want(t, "Invited", err, fault.NotFound, identity.CodeInvitationInvalid)
			_, err = w.Accept(t.Context(), client(2), token, good)
			want(t, "Accept", err, fault.NotFound, identity.CodeInvitationInvalid)
		})
	}
}

// TestAcceptChanged checks that a change which happens while an invitation is accepted takes
// precedence.
func TestAcceptChanged(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	owner := w.owner(t)
	p, token, err := w.Invite(ctx, owner, client(1), memberDraft)
	must(t, "Invite", err)
	var next string
	w.store.before = func() {
		if next, err = w.Reinvite(ctx, owner, client(1), p.ID); err != nil {
			t.Error(err)
		}
	}
	_, err = w.Accept(ctx, client(2), token, good)
	want(t, "Accept while another link is made", err, fault.NotFound, identity.CodeInvitationInvalid)
	_, err = w.store.Memory.ChangePerson(ctx, p.ID, func(p *identity.Person) error { p.Disabled = w.time(); return nil })
	must(t, "ChangePerson", err)
	_, err = w.Invited(ctx, next)
	want(t, "Invited of somebody who is disabled", err, fault.NotFound, identity.CodeInvitationInvalid)
}

func (w *world) disable(t *testing.T, by, p identity.Person, disabled bool) identity.Person {
	t.Helper()
	p, err := w.SetDisabled(t.Context(), by, client(1), p.ID, disabled)
	must(t, "SetDisabled", err)
	return p
}

// TestReinvite checks that a new link removes the password and the codes, and ends the sessions.
func TestReinvite(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	owner := w.owner(t)
	m := w.join(t, owner, memberDraft)
	w.codes(t, m)
	m, err := w.Person(ctx, m.ID)
	must(t, "Person", err)
	token, err := w.Reinvite(ctx, owner, client(1), m.ID)
	must(t, "Reinvite", err)
	w.wantEvents(t, "person.reinvite done")
	now, err := w.Person(ctx, m.ID)
	if must(t, "Person", err); now.Ready() || now.HasCodes() || now.Epoch <= m.Epoch {
		t.Errorf("after Reinvite: ready %v, codes %v, epoch %d after %d", now.Ready(), now.HasCodes(), now.Epoch, m.Epoch)
	}
	_, _, err = w.SignIn(ctx, client(2), m.Email, good)
	want(t, "the old password", err, fault.Unauthenticated, identity.CodeSignInRefused)
	_, err = w.Accept(ctx, client(2), token, "another long secret")
	must(t, "Accept", err)
	_, err = w.Reinvite(ctx, owner, client(1), owner.ID)
	want(t, "Reinvite of oneself", err, fault.Conflict, identity.CodeOwnAccount)
	_, err = w.Reinvite(ctx, m, client(1), owner.ID)
	want(t, "Reinvite by a member", err, fault.Forbidden, identity.CodeOperatorsOnly)
	_, err = w.Reinvite(ctx, owner, client(1), "usr_aaaaaaaaaaaaaaaa")
	want(t, "Reinvite of nobody", err, fault.NotFound, identity.CodePersonNotFound)
	w.disable(t, owner, m, true)
	_, err = w.Reinvite(ctx, owner, client(1), m.ID)
	want(t, "Reinvite of somebody disabled", err, fault.Conflict, identity.CodePersonDisabled)
}

func TestSetPassword(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	p := w.owner(t)
	_, err := w.SetPassword(ctx, client(1), p.ID, good, "owner@example.org")
	want(t, "a weak password", err, fault.Invalid, fault.CodeInvalidParameter)
	const second = "another long secret"
	changed, err := w.SetPassword(ctx, client(1), p.ID, good, second)
	if must(t, "SetPassword", err); changed.Epoch != p.Epoch+1 {
		t.Errorf("epoch = %d after %d", changed.Epoch, p.Epoch)
	}
	w.wantEvents(t, "password.change done")
	if _, _, err := w.SignIn(ctx, client(1), p.Email, second); err != nil {
		t.Errorf("SignIn with the new password: %v", err)
	}
	want(t, "the old password", w.guess(t, client(1), p.Email), fault.Unauthenticated, identity.CodeSignInRefused)
	for range 5 {
		_, err := w.SetPassword(ctx, client(1), p.ID, good, second)
		want(t, "a wrong old password", err, fault.Unprocessable, identity.CodePasswordWrong)
	}
	w.wantEvents(t, "password.change password_wrong")
	_, err = w.SetPassword(ctx, client(1), p.ID, second, good)
	limited(t, "after five of them", err, 61*time.Second)
	_, err = w.SetPassword(ctx, client(1), "usr_aaaaaaaaaaaaaaaa", good, second)
	want(t, "SetPassword of nobody", err, fault.NotFound, identity.CodePersonNotFound)

	out, err := w.SignOutEverywhere(ctx, client(1), p.ID)
	if must(t, "SignOutEverywhere", err); out.Epoch != changed.Epoch+1 {
		t.Errorf("epoch = %d after %d", out.Epoch, changed.Epoch)
	}
	w.wantEvents(t, "sign_out.everywhere done")
}

func TestSetDisabledAndRole(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	owner := w.owner(t)
	m := w.join(t, owner, memberDraft)
	for name, do := range map[string]func(by identity.Person, id string) error{
		"SetDisabled": func(by identity.Person, id string) error {
			_, err := w.SetDisabled(ctx, by, client(1), id, true)
			return err
		},
		"SetRole": func(by identity.Person, id string) error {
			_, err := w.SetRole(ctx, by, client(1), id, identity.Member, org)
			return err
		},
	} {
		want(t, name+" of oneself", do(owner, owner.ID), fault.Conflict, identity.CodeOwnAccount)
		want(t, name+" by a member", do(m, owner.ID), fault.Forbidden, identity.CodeOperatorsOnly)
		want(t, name+" of nobody", do(owner, "usr_aaaaaaaaaaaaaaaa"), fault.NotFound, identity.CodePersonNotFound)
		want(t, name+" of no id", do(owner, "'"), fault.NotFound, identity.CodePersonNotFound)
	}
	off := w.disable(t, owner, m, true)
	w.wantEvents(t, "person.disable done")
	if off.Active() || off.Epoch != m.Epoch+1 || !off.Disabled.Equal(w.time().Truncate(time.Microsecond)) {
		t.Errorf("disabled = %+v", off)
	}
	w.advance(time.Hour)
	if again := w.disable(t, owner, m, true); again != off {
		t.Errorf("disabled again = %+v", again)
	}
	on := w.disable(t, owner, m, false)
	w.wantEvents(t, "person.enable done")
	if !on.Active() || on.Epoch != off.Epoch {
		t.Errorf("enabled = %+v", on)
	}
	w.signIn(t, client(2), m.Email)

	_, err := w.SetRole(ctx, owner, client(1), m.ID, identity.Operator, org)
	want(t, "an operator of an organisation", err, fault.Invalid, fault.CodeInvalidParameter)
	up, err := w.SetRole(ctx, owner, client(1), m.ID, identity.Operator, "")
	if must(t, "SetRole", err); !up.Operates() || up.OrgID != "" || up.Epoch != on.Epoch+1 {
		t.Errorf("SetRole = %+v", up)
	}
	w.wantEvents(t, "person.role done")
	if same, err := w.SetRole(ctx, owner, client(1), m.ID, identity.Operator, ""); err != nil || same.Epoch != up.Epoch {
		t.Errorf("SetRole to the same = epoch %d, %v", same.Epoch, err)
	}
	down, err := w.SetRole(ctx, up, client(1), owner.ID, identity.Member, org)
	if must(t, "SetRole", err); down.Operates() || !down.MayEnter(org) {
		t.Errorf("SetRole = %+v", down)
	}
	_, err = w.SetDisabled(ctx, owner, client(1), up.ID, true)
	want(t, "SetDisabled by one who was an operator", err, fault.Forbidden, identity.CodeOperatorsOnly)
}

// TestLastOperator checks that one operator remains when operators disable and demote each other
// concurrently, in two processes.
func TestLastOperator(t *testing.T) {
	t.Parallel()
	for range 50 {
		w, ctx := newWorld(t), t.Context()
		a := w.owner(t)
		b := w.join(t, a, operatorDraft)
		other := w.another(t, 1)
		begin := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			<-begin
			_, err := w.SetDisabled(ctx, a, client(1), b.ID, true)
			if k := fault.KindOf(err); err != nil && k != fault.Forbidden && k != fault.Conflict {
				t.Error(err)
			}
		})
		all.Go(func() {
			<-begin
			_, err := other.SetRole(ctx, b, client(2), a.ID, identity.Member, org)
			if k := fault.KindOf(err); err != nil && k != fault.Forbidden && k != fault.Conflict {
				t.Error(err)
			}
		})
		close(begin)
		all.Wait()
		w.wantOperators(t, 1, 2)
	}
}

func (w *world) wantOperators(t *testing.T, least, most int) {
	t.Helper()
	people, err := w.People(t.Context())
	must(t, "People", err)
	n := 0
	for _, p := range people {
		if p.Operates() && p.Active() {
			n++
		}
	}
	if n < least || n > most {
		t.Errorf("there are %d operators, want %d to %d", n, least, most)
	}
}

// TestLastOperatorPutBack checks that of two operators who disable each other, the later one
// undoes its change.
func TestLastOperatorPutBack(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	a := w.owner(t)
	b := w.join(t, a, operatorDraft)
	w.store.before = func() { // another process has begun before, and is done before the change
		if _, err := w.store.Memory.ChangePerson(ctx, a.ID, func(p *identity.Person) error { p.Disabled = w.time(); return nil }); err != nil {
			t.Error(err)
		}
	}
	_, err := w.SetDisabled(ctx, a, client(1), b.ID, true)
	want(t, "SetDisabled", err, fault.Conflict, identity.CodeLastOperator)
	if kept, err := w.Person(ctx, b.ID); err != nil || !kept.Active() || !kept.Operates() || kept.Epoch <= b.Epoch {
		t.Errorf("the other is %+v, %v; want an operator who has to sign in again", kept, err)
	}
	w.wantEvents(t, "person.disable last_operator")
	w.wantOperators(t, 1, 1)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	w.owner(t)
	for _, q := range []identity.EventQuery{{Limit: -1}, {Limit: 501}, {Before: -1}} {
		_, err := w.Events(ctx, q)
		want(t, "Events", err, fault.Invalid, fault.CodeInvalidParameter)
	}
	for range 120 {
		w.Note(ctx, client(1), identity.Event{Action: "key.create"}, nil)
	}
	page, err := w.Events(ctx, identity.EventQuery{})
	if must(t, "Events", err); len(page) != identity.DefaultEvents || !page[0].At.Equal(w.time().Truncate(time.Microsecond)) {
		t.Errorf("a page has %d events, the latest of %v", len(page), page[0].At)
	}
}

func TestNote(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err     error
		outcome string // "" is no event
	}{
		"done":       {nil, identity.OutcomeDone},
		"refused":    {fault.New(fault.Conflict, "taken", "", "taken"), "taken"},
		"a defect":   {errors.New("oops"), fault.CodeInternal},
		"away":       {fault.Down(fault.CodeStoreUnavailable, time.Second, errors.New("cable"), "away"), fault.CodeStoreUnavailable},
		"mistyped":   {fault.BadParameter("label", "too long"), ""},
		"too large":  {fault.New(fault.TooLarge, fault.CodeBodyTooLarge, "", "too large"), ""},
		"limited":    {fault.New(fault.RateLimited, fault.CodeRateLimited, "", "too many"), ""},
		"gone again": {fault.New(fault.Cancelled, "cancelled", "", "gone"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, ctx := newWorld(t), t.Context()
			for _, from := range []identity.Client{client(7), {}} {
				w.Note(ctx, from, identity.Event{Actor: "a", OrgID: "b", Action: "c.d", Target: "e", Outcome: "made up", Address: "made up"}, tt.err)
			}
			got, err := w.Events(ctx, identity.EventQuery{})
			must(t, "Events", err)
			if tt.outcome == "" {
				if len(got) > 0 {
					t.Errorf("events = %+v, want none", got)
				}
				return
			}
			wantEvent := identity.Event{At: w.time().UTC().Truncate(time.Microsecond), Actor: "a", OrgID: "b", Action: "c.d", Target: "e", Outcome: tt.outcome}
			if len(got) != 2 || got[0].Event != wantEvent { // of a client that is not known
				t.Fatalf("events = %+v, want %+v", got, wantEvent)
			}
			if wantEvent.Address = "198.51.0.7"; got[1].Event != wantEvent {
				t.Errorf("event = %+v, want %+v", got[1], wantEvent)
			}
		})
	}
}

func TestPrune(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	_, _, err := w.Invite(ctx, w.owner(t), client(1), memberDraft)
	must(t, "Invite", err)
	must(t, "PutSession", w.store.PutSession(ctx, "a", nil, w.time().Add(time.Hour)))
	for i, tt := range []struct {
		after time.Duration
		want  int
	}{{0, 0}, {time.Hour + time.Second, 1}, {8 * 24 * time.Hour, 1}, {0, 0}, {356 * 24 * time.Hour, 0}, {24 * time.Hour, 2}, {0, 0}} {
		w.advance(tt.after)
		if n, err := identity.Prune(ctx, w.store, w.time()); n != tt.want || err != nil {
			t.Errorf("step %d: Prune = %d, %v; want %d", i, n, err, tt.want)
		}
	}
}

func TestNewNeeds(t *testing.T) {
	t.Parallel()
	if s, err := identity.New(identity.Config{}); err == nil {
		t.Errorf("New without anything = %v", s)
	}
}

// TestFind checks that a person is found by id and by address, and that other texts find nobody.
func TestFind(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	p := w.owner(t)
	for _, who := range []string{p.ID, p.Email, " OWNER@example.ORG "} {
		if got, err := w.Find(ctx, who); err != nil || got.ID != p.ID {
			t.Errorf("Find(%q) = %v, %v", who, got.ID, err)
		}
	}
	for _, who := range []string{"", "owner", "owner@example.com", "usr_aaaaaaaaaaaaaaaa", "owner@example.org\x00", "machine"} {
		_, err := w.Find(ctx, who)
		want(t, who, err, fault.NotFound, identity.CodePersonNotFound)
	}
}

// TestMachine checks that commands on the machine can reinvite the only operator, and that nobody
// can sign in as the machine.
func TestMachine(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	p := w.owner(t)
	w.codes(t, p)
	token, err := w.Reinvite(ctx, identity.Machine(), identity.Client{}, p.ID)
	must(t, "Reinvite", err)
	events, err := w.Events(ctx, identity.EventQuery{Limit: 1})
	must(t, "Events", err)
	if e := events[0]; e.Action != "person.reinvite" || !e.IsMachine() || e.Target != p.ID || e.Address != "" {
		t.Errorf("event = %+v", e)
	}
	in, err := w.Accept(ctx, client(1), token, good)
	if must(t, "Accept", err); in.HasCodes() || !in.Operates() {
		t.Errorf("who accepts is %+v", in)
	}
	if _, err := w.Person(ctx, identity.Machine().ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("the machine is a person: %v", err)
	}
}
