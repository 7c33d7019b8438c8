package identity_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vaak/identity"
	"vaak/internal/fault"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	owner := w.owner(t)
	m := w.join(t, owner, memberDraft)
	w.advance(time.Minute)
	p := w.signIn(t, client(5), " MEMBER@example.ORG ")
	if p.ID != m.ID || !p.SignedIn.Equal(w.time().Truncate(time.Microsecond)) {
		t.Errorf("SignIn = %v, signed in %v", p.ID, p.SignedIn)
	}
	w.wantEvents(t, "sign_in done")

	_, _, err := w.Invite(ctx, owner, client(1), identity.Draft{Email: "new@example.org", Name: "New", Role: identity.Operator})
	must(t, "Invite", err)
	disabled := w.join(t, owner, operatorDraft)
	w.codes(t, disabled)
	_, err = w.SetDisabled(ctx, owner, client(1), disabled.ID, true)
	must(t, "SetDisabled", err)
	var sentence string
	for i, tt := range []struct{ email, password string }{
		{"member@example.org", "a wrong password"}, {"member@example.org", ""}, {"member@example.org", strings.ToUpper(good)},
		{"member@example.org", good + "\xff"}, {"member@example.org", strings.Repeat("a", 1<<16)},
		{"nobody@example.org", good}, {"", good}, {"no address", good}, {strings.Repeat("a", 1<<16) + "@example.org", good}, {"member@example.org\x00", good},
		{"new@example.org", ""}, {"new@example.org", good}, {disabled.Email, good}, {disabled.Email, "wrong"},
	} {
		_, needsCode, err := w.SignIn(ctx, client(10+i), tt.email, tt.password)
		want(t, tt.email, err, fault.Unauthenticated, identity.CodeSignInRefused)
		if sentence == "" {
			sentence = err.Error()
		}
		if needsCode || err.Error() != sentence {
			t.Errorf("%.30q is told by %v, %q", tt.email, needsCode, err)
		}
		w.wantEvents(t, "sign_in sign_in_refused")
	}
	events, err := w.Events(ctx, identity.EventQuery{Limit: 1})
	must(t, "Events", err)
	if e := events[0]; e.Actor != "" || e.Target != disabled.ID || e.Address != client(23).Address.String() {
		t.Errorf("the event of a refusal is %+v", e)
	}
}

// TestSignInNFC checks that a password matches whether its characters are composed or not.
func TestSignInNFC(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, token, err := w.Invite(t.Context(), w.owner(t), client(1), memberDraft)
	must(t, "Invite", err)
	_, err = w.Accept(t.Context(), client(1), token, "ein schönes Passwort")
	must(t, "Accept", err)
	if _, _, err := w.SignIn(t.Context(), client(1), "member@example.org", "ein scho\u0308nes Passwort"); err != nil {
		t.Errorf("the decomposed password: %v", err)
	}
}

// TestSignInStoreAway checks that an attempt during an outage is refused and not counted.
func TestSignInStoreAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner(t)
	away := fault.Down(fault.CodeStoreUnavailable, time.Second, errors.New("cable"), "the store is away")
	w.store.Fail(away)
	for range 30 {
		if _, _, err := w.SignIn(t.Context(), client(2), "owner@example.org", good); !errors.Is(err, away) {
			t.Fatalf("SignIn: %v, want %v", err, away)
		}
	}
	w.Note(t.Context(), client(100), identity.Event{Action: "test"}, nil)
	w.store.Fail(nil)
	w.signIn(t, client(2), "owner@example.org")
	if log := w.log.String(); !strings.Contains(log, "action=test") || strings.Contains(log, "198.51") || strings.Contains(log, "@") {
		t.Errorf("log = %q, want the action and no address", log)
	}
}

// TestSignInCancelled checks that a cancelled attempt is no failure, and holds no place afterwards.
func TestSignInCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 30 {
		if _, _, err := w.SignIn(ctx, client(2), "owner@example.org", good); fault.KindOf(err) != fault.Cancelled {
			t.Fatalf("SignIn: %v, want Cancelled", err)
		}
	}
	w.signIn(t, client(2), "owner@example.org")
}

// TestSignInChanged checks that a change which happens while the password is checked takes
// precedence.
func TestSignInChanged(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	owner := w.owner(t)
	m := w.join(t, owner, memberDraft)
	for name, meanwhile := range map[string]func(*identity.Person){
		"disabled":         func(p *identity.Person) { p.Disabled = w.time() },
		"another password": func(p *identity.Person) { p.Disabled, p.Proof.Password = time.Time{}, "$other" },
	} {
		w.store.before = func() {
			_, err := w.store.Memory.ChangePerson(ctx, m.ID, func(p *identity.Person) error { meanwhile(p); return nil })
			if err != nil {
				t.Error(err)
			}
		}
		_, _, err := w.SignIn(ctx, client(5), m.Email, good)
		want(t, name, err, fault.Unauthenticated, identity.CodeSignInRefused)
		_, err = w.store.Memory.ChangePerson(ctx, m.ID, func(p *identity.Person) error { *p = m; return nil })
		must(t, "ChangePerson", err)
	}
}

// TestLimitOfClient checks that a client has 20 failures a minute, over all accounts.
func TestLimitOfClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner(t)
	for n := range 20 {
		want(t, "guess", w.guess(t, client(7), strings.Repeat("a", n+1)+"@example.org"), fault.Unauthenticated, identity.CodeSignInRefused)
	}
	wait := limited(t, "the 21st guess", w.guess(t, client(7), "b@example.org"), 61*time.Second)
	w.wantEvents(t, "sign_in sign_in_refused", "sign_in rate_limit_exceeded")
	_, _, err := w.SignIn(t.Context(), client(7), "owner@example.org", good)
	limited(t, "the right password after that", err, 61*time.Second)
	w.wantEvents(t, "sign_in sign_in_refused", "sign_in rate_limit_exceeded") // one a minute
	w.signIn(t, client(8), "owner@example.org")
	w.advance(wait)
	w.signIn(t, client(7), "owner@example.org")
}

// TestLimitOfAccount checks that an account, whether it exists or not, has 10 failures a minute and
// 100 an hour, by clients that are not known and have failed with it.
func TestLimitOfAccount(t *testing.T) {
	t.Parallel()
	for _, email := range []string{"owner@example.org", "nobody@example.org"} {
		t.Run(email, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.owner(t)
			refusedOnce := func(n int) {
				t.Helper()
				want(t, "guess", w.guess(t, client(n), email), fault.Unauthenticated, identity.CodeSignInRefused)
			}
			for n := range 10 {
				refusedOnce(100 + n)
			}
			limited(t, "the 11th guess, of a client that failed", w.guess(t, client(100), email), 61*time.Second)
			refusedOnce(200) // a client that has not failed there
			limited(t, "its second", w.guess(t, client(200), email), 61*time.Second)
			for n := range 89 { // 11 failures so far; 10 more a minute
				if n%10 == 0 {
					w.advance(61 * time.Second)
				}
				refusedOnce(100 + n%12)
			}
			w.advance(61 * time.Second)
			if wait := limited(t, "after 100 in the hour", w.guess(t, client(100), email), 62*time.Minute); wait < time.Minute {
				t.Errorf("retry after %v, want what is left of the hour", wait)
			}
			for n := range 200 { // clients that have not failed there, up to 300
				refusedOnce(300 + n)
				if n%10 == 9 {
					w.advance(time.Second)
				}
			}
			limited(t, "a client that has not failed after 300", w.guess(t, client(900), email), 62*time.Minute)
			w.advance(62 * time.Minute)
			refusedOnce(100)
		})
	}
}

// TestLimitOfPair checks that one client can spend a fifth of the hour of an account, and that then
// only this client is refused.
func TestLimitOfPair(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner(t)
	for n := range 20 {
		want(t, "guess", w.guess(t, client(7), "owner@example.org"), fault.Unauthenticated, identity.CodeSignInRefused)
		if n%5 == 4 {
			w.advance(time.Minute + time.Second)
		}
	}
	limited(t, "the 21st guess in the hour", w.guess(t, client(7), "owner@example.org"), 62*time.Minute)
	w.signIn(t, client(8), "owner@example.org")
	want(t, "another account", w.guess(t, client(7), "a@example.org"), fault.Unauthenticated, identity.CodeSignInRefused)
}

// TestOwnerIsNotLockedOut checks that the owner of an account under attack can sign in from a known
// client, where only the owner's failures count.
func TestOwnerIsNotLockedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner(t) // from client 1
	w.signIn(t, client(2), "owner@example.org")
	for n := range 400 {
		w.guess(t, client(100+n), "owner@example.org")
	}
	limited(t, "a stranger", w.guess(t, client(900), "owner@example.org"), 62*time.Minute)
	for n := range 20 {
		w.signIn(t, client(1+n%2), "owner@example.org")
	}
	for range 10 {
		want(t, "a typo", w.guess(t, client(1), "owner@example.org"), fault.Unauthenticated, identity.CodeSignInRefused)
	}
	_, _, err := w.SignIn(t.Context(), client(1), "owner@example.org", good)
	limited(t, "after ten typos", err, 61*time.Second)
	w.advance(61 * time.Second)
	w.signIn(t, client(1), "owner@example.org")
	for n := range 90 {
		if n%10 == 0 {
			w.advance(61 * time.Second)
		}
		want(t, "a typo", w.guess(t, client(1), "owner@example.org"), fault.Unauthenticated, identity.CodeSignInRefused)
	}
	w.advance(61 * time.Second)
	_, _, err = w.SignIn(t.Context(), client(1), "owner@example.org", good)
	limited(t, "after a hundred typos in the hour", err, 62*time.Minute)
	w.signIn(t, client(2), "owner@example.org")
	w.advance(31 * 24 * time.Hour)
	w.signIn(t, client(1), "owner@example.org")
}

// TestLimitAtOnce checks that concurrent attempts have no more failures than sequential ones, and
// that successful attempts hold no place afterwards.
func TestLimitAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner(t)
	var wrong, over atomic.Int64
	var all sync.WaitGroup
	for n := range 64 {
		all.Go(func() {
			_, _, err := w.SignIn(t.Context(), client(100+n%4), "owner@example.org", "a wrong password")
			switch fault.KindOf(err) {
			case fault.Unauthenticated:
				wrong.Add(1)
			case fault.RateLimited:
				over.Add(1)
			default:
				t.Errorf("SignIn: %v", err)
			}
		})
	}
	all.Wait()
	if n := wrong.Load(); n < 10 || n > 10+4 || n+over.Load() != 64 { // each client may have its first
		t.Errorf("%d of 64 wrong passwords were looked at and %d refused, want 10 to 14", n, over.Load())
	}
	for range 50 {
		all.Go(func() {
			if _, _, err := w.SignIn(t.Context(), client(1), "owner@example.org", good); err != nil && fault.KindOf(err) != fault.RateLimited {
				t.Errorf("SignIn: %v", err)
			}
		})
	}
	all.Wait()
	w.advance(61 * time.Second)
	w.signIn(t, client(1), "owner@example.org")
}

// TestLimitOfNetwork checks that when many people share a client, one of them who guesses passwords
// keeps out only people who have not signed in from there.
func TestLimitOfNetwork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(t, w.owner(t), memberDraft)
	w.signIn(t, client(7), "owner@example.org")
	for n := range 25 {
		w.guess(t, client(7), strings.Repeat("a", n+1)+"@example.org")
	}
	_, _, err := w.SignIn(t.Context(), client(7), "member@example.org", good)
	limited(t, "somebody who is not known there", err, 61*time.Second)
	w.signIn(t, client(7), "owner@example.org")
	want(t, "a typo", w.guess(t, client(7), "owner@example.org"), fault.Unauthenticated, identity.CodeSignInRefused)
	for range 9 {
		w.guess(t, client(7), "owner@example.org")
	}
	limited(t, "after ten typos", w.guess(t, client(7), "owner@example.org"), 61*time.Second)
}

// TestLimitOfSuccess checks that a person can prove who they are 30 times a minute, over all clients
// and means, since each time costs a session and an event.
func TestLimitOfSuccess(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	p := w.owner(t)
	v := identity.Vouched{Issuer: "https://id.example.org", Subject: "1", Email: p.Email, EmailVerified: true}
	for n := range 28 {
		w.signIn(t, client(n%3), p.Email)
	}
	_, err := w.SetPassword(ctx, client(1), p.ID, good, good+"!")
	must(t, "SetPassword", err)
	_, err = w.SignInAs(ctx, client(1), v)
	must(t, "SignInAs", err)
	_, _, err = w.SignIn(ctx, client(50), p.Email, good+"!")
	limited(t, "SignIn", err, 61*time.Second)
	_, err = w.SignInAs(ctx, client(51), v)
	limited(t, "SignInAs", err, 61*time.Second)
	_, err = w.SetPassword(ctx, client(52), p.ID, good+"!", good)
	wait := limited(t, "SetPassword", err, 61*time.Second)
	events, err := w.Events(ctx, identity.EventQuery{Limit: 3})
	must(t, "Events", err)
	for _, e := range events { // one a client and minute
		if e.Outcome != fault.CodeRateLimited || e.Actor != "" {
			t.Errorf("event = %+v, want a refusal", e)
		}
	}
	w.advance(wait)
	_, _, err = w.SignIn(ctx, client(50), p.Email, good+"!")
	must(t, "SignIn after that", err)
}

// TestFoldedAddress checks that letters outside ASCII whose lower case is in ASCII, such as the
// Kelvin sign, do not match an address.
func TestFoldedAddress(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	owner := w.owner(t)
	_, _, err := w.Invite(ctx, owner, client(1), identity.Draft{Email: "mika@example.org", Name: "Mika", Role: identity.Operator})
	must(t, "Invite", err)
	for _, email := range []string{"m\u0130ka@example.org", "mi\u212Aa@example.org", "M\u0130\u212Aa@example.org"} {
		_, err := w.SignInAs(ctx, client(2), identity.Vouched{Issuer: "https://id.example.org", Subject: email, Email: email, EmailVerified: true})
		want(t, email, err, fault.Unauthenticated, identity.CodeSignInRefused)
		_, _, err = w.Invite(ctx, owner, client(1), identity.Draft{Email: email, Name: "Other", Role: identity.Operator})
		want(t, "to invite "+email, err, fault.Invalid, fault.CodeInvalidParameter)
	}
	if p, err := w.SignInAs(ctx, client(2), identity.Vouched{Issuer: "https://id.example.org", Subject: "1", Email: " MIKA@Example.org", EmailVerified: true}); err != nil || p.Email != "mika@example.org" {
		t.Errorf("the address in upper case: %v, %v", p.ID, err)
	}
}

// TestReinviteUnlinks checks that a new link removes the link to an identity provider.
func TestReinviteUnlinks(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	owner := w.owner(t)
	m, _, err := w.Invite(ctx, owner, client(1), memberDraft)
	must(t, "Invite", err)
	stranger := identity.Vouched{Issuer: "https://id.example.org", Subject: "1", Email: m.Email, EmailVerified: true}
	_, err = w.SignInAs(ctx, client(2), stranger)
	must(t, "SignInAs", err)
	token, err := w.Reinvite(ctx, owner, client(1), m.ID)
	must(t, "Reinvite", err)
	stranger.Email, stranger.EmailVerified = "", false
	_, err = w.SignInAs(ctx, client(2), stranger)
	want(t, "the subject of before", err, fault.Unauthenticated, identity.CodeSignInRefused)
	p, err := w.Accept(ctx, client(3), token, good)
	if must(t, "Accept", err); p.Proof.Subject != "" {
		t.Errorf("the subject is %q", p.Proof.Subject)
	}
}

func TestSignInAs(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	owner := w.owner(t)
	m, token, err := w.Invite(ctx, owner, client(1), memberDraft)
	must(t, "Invite", err)
	v := identity.Vouched{Issuer: "https://id.example.org", Subject: "42", Email: "Member@Example.org", EmailVerified: true}
	not := func(name string, v identity.Vouched) {
		t.Helper()
		_, err := w.SignInAs(ctx, client(2), v)
		want(t, name, err, fault.Unauthenticated, identity.CodeSignInRefused)
		if err != nil && !strings.Contains(err.Error(), "invite") && !strings.Contains(err.Error(), "cannot sign in") {
			t.Errorf("%s: %q does not say what to do", name, err)
		}
	}
	not("an address that is not verified", identity.Vouched{Issuer: v.Issuer, Subject: v.Subject, Email: v.Email})
	not("nobody's address", identity.Vouched{Issuer: v.Issuer, Subject: "1", Email: "nobody@example.org", EmailVerified: true})
	not("no address", identity.Vouched{Issuer: v.Issuer, Subject: "1", EmailVerified: true})
	not("no subject", identity.Vouched{Issuer: v.Issuer, Email: v.Email, EmailVerified: true})
	not("an issuer with a blank", identity.Vouched{Issuer: "a b", Subject: "1", Email: v.Email, EmailVerified: true})
	not("a long subject", identity.Vouched{Issuer: v.Issuer, Subject: strings.Repeat("1", 1000), Email: v.Email, EmailVerified: true})
	p, err := w.SignInAs(ctx, client(2), v)
	must(t, "SignInAs", err)
	if p.ID != m.ID || !p.Ready() || p.SignedIn.IsZero() || p.Proof.Subject != "https://id.example.org 42" {
		t.Errorf("SignInAs = %v, ready %v", p.ID, p.Ready())
	}
	w.wantEvents(t, "sign_in.link done")
	_, err = w.Invited(ctx, token)
	want(t, "the invitation after that", err, fault.NotFound, identity.CodeInvitationInvalid)
	v.Email, v.EmailVerified = "changed@example.org", false
	p, err = w.SignInAs(ctx, client(2), v)
	if must(t, "SignInAs again", err); p.ID != m.ID {
		t.Errorf("SignInAs again = %v", p.ID)
	}
	w.wantEvents(t, "sign_in.link done", "sign_in.provider done")
	not("another subject with the address", identity.Vouched{Issuer: v.Issuer, Subject: "43", Email: m.Email, EmailVerified: true})
	w.codes(t, owner)
	not("somebody with codes", identity.Vouched{Issuer: v.Issuer, Subject: "44", Email: owner.Email, EmailVerified: true})
	_, err = w.SetDisabled(ctx, owner, client(1), m.ID, true)
	must(t, "SetDisabled", err)
	not("somebody who is disabled", v)
}
