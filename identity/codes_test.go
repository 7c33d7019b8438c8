package identity_test

import (
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vaak/identity"
	"vaak/internal/fault"
)

func TestCodes(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	p := w.owner(t)
	offer, err := w.NewCodes(p)
	must(t, "NewCodes", err)
	u, err := url.Parse(offer.URI)
	if must(t, "Parse", err); u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Vaak:owner@example.org" || u.Query().Get("secret") != offer.Secret ||
		u.Query().Get("issuer") != "Vaak" || u.Query().Get("digits") != "6" || u.Query().Get("period") != "30" || len(offer.Secret) != 32 {
		t.Errorf("URI = %s", offer.URI)
	}
	other := w.join(t, p, memberDraft)
	code := func(by time.Duration) string { return identity.CodeFor(offer.Secret, w.time().Add(by)) }
	_, err = w.TurnOnCodes(ctx, client(1), other.ID, good, offer.Sealed, code(0))
	want(t, "the offer to another", err, fault.Invalid, fault.CodeInvalidParameter)
	_, err = w.TurnOnCodes(ctx, client(1), p.ID, good, offer.Sealed+"x", code(0))
	want(t, "a forged offer", err, fault.Invalid, fault.CodeInvalidParameter)
	_, err = w.TurnOnCodes(ctx, client(1), p.ID, good, offer.Sealed, "12345")
	want(t, "no code", err, fault.Invalid, fault.CodeInvalidParameter)
	_, err = w.TurnOnCodes(ctx, client(1), p.ID, good, offer.Sealed, code(5*time.Minute))
	want(t, "a wrong code", err, fault.Unprocessable, identity.CodeCodeInvalid)
	for _, wrong := range []string{"", "a wrong password"} {
		_, err = w.TurnOnCodes(ctx, client(1), p.ID, wrong, offer.Sealed, code(0))
		want(t, "codes without the password", err, fault.Unprocessable, identity.CodePasswordWrong)
	}
	if kept, err := w.Person(ctx, p.ID); err != nil || kept.HasCodes() || kept.Epoch != p.Epoch {
		t.Errorf("what was refused left codes %v, epoch %d (%v)", kept.HasCodes(), kept.Epoch, err)
	}
	on, err := w.TurnOnCodes(ctx, client(1), p.ID, good, offer.Sealed, code(0))
	if must(t, "TurnOnCodes", err); !on.HasCodes() || on.Epoch != p.Epoch+1 || on.Proof.Codes == "" || on.Proof.Codes == offer.Secret {
		t.Errorf("TurnOnCodes: has codes %v, epoch %d after %d", on.HasCodes(), on.Epoch, p.Epoch)
	}
	w.wantEvents(t, "codes.on code_invalid", "codes.on password_wrong", "codes.on password_wrong", "codes.on done")
	_, err = w.TurnOnCodes(ctx, client(1), p.ID, good, offer.Sealed, code(0))
	want(t, "codes again", err, fault.Conflict, identity.CodeCodesOn)
	_, err = w.NewCodes(on)
	want(t, "NewCodes of somebody with codes", err, fault.Conflict, identity.CodeCodesOn)

	before := w.time()
	w.advance(time.Minute)
	pending, needsCode, err := w.SignIn(ctx, client(2), p.Email, good)
	if must(t, "SignIn", err); !needsCode || pending.ID != p.ID {
		t.Fatalf("SignIn = %v, %v", pending.ID, needsCode)
	}
	w.wantEvents(t, "sign_in.password done")
	if kept, err := w.Person(ctx, p.ID); err != nil || kept.SignedIn.After(before) {
		t.Errorf("signed in at %v without the code (%v)", kept.SignedIn, err)
	}
	for name, wrong := range map[string]string{"two steps ago": code(-time.Minute), "in two steps": code(time.Minute), "no code": "abcdef", "none": ""} {
		_, err := w.CheckCode(ctx, client(2), p.ID, wrong)
		want(t, name, err, fault.Unauthenticated, identity.CodeCodeInvalid)
		w.wantEvents(t, "sign_in code_invalid")
	}
	in, err := w.CheckCode(ctx, client(2), p.ID, " "+code(0)[:3]+" "+code(0)[3:])
	if must(t, "CheckCode", err); !in.SignedIn.Equal(w.time().Truncate(time.Microsecond)) {
		t.Errorf("signed in at %v, want now", in.SignedIn)
	}
	w.wantEvents(t, "sign_in done")
	w.advance(2 * time.Minute)
	_, err = w.CheckCode(ctx, client(2), p.ID, code(30*time.Second))
	must(t, "the next code, early", err)
	for name, used := range map[string]time.Duration{"the same code": 30 * time.Second, "one before it": 0} {
		_, err = w.CheckCode(ctx, client(2), p.ID, code(used))
		want(t, name, err, fault.Unauthenticated, identity.CodeCodeInvalid)
	}
	w.advance(2 * time.Minute)
	_, err = w.another(t, 2).CheckCode(ctx, client(2), p.ID, code(0))
	want(t, "a deployment with another secret", err, fault.Conflict, identity.CodeCodesUnreadable)

	_, err = w.TurnOffCodes(ctx, client(1), p.ID, "a wrong password")
	want(t, "TurnOffCodes", err, fault.Unprocessable, identity.CodePasswordWrong)
	off, err := w.TurnOffCodes(ctx, client(1), p.ID, good)
	if must(t, "TurnOffCodes", err); off.HasCodes() || off.Epoch != on.Epoch+1 || off.Proof.CodesUsed != 0 {
		t.Errorf("TurnOffCodes: has codes %v, epoch %d", off.HasCodes(), off.Epoch)
	}
	w.wantEvents(t, "codes.off password_wrong", "codes.off done")
	_, err = w.TurnOffCodes(ctx, client(1), p.ID, good)
	want(t, "TurnOffCodes again", err, fault.Conflict, identity.CodeCodesOff)
	_, err = w.CheckCode(ctx, client(2), p.ID, code(0))
	want(t, "CheckCode without codes", err, fault.Unauthenticated, identity.CodeSignInRefused)
	w.signIn(t, client(2), p.Email)
}

// TestCodeAtOnce checks that of many concurrent sign-ins with one code one succeeds.
func TestCodeAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.owner(t)
	secret := w.codes(t, p)
	w.advance(time.Minute)
	services := []*identity.Service{w.Service, w.another(t, 1)}
	var in atomic.Int64
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			_, err := services[n%2].CheckCode(t.Context(), client(n), p.ID, identity.CodeFor(secret, w.time()))
			if err == nil {
				in.Add(1)
			} else if outcome := fault.KindOf(err); outcome != fault.Unauthenticated && outcome != fault.RateLimited {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if in.Load() != 1 {
		t.Errorf("one code let %d in", in.Load())
	}
}

// TestLimitOfCodes checks that wrong codes are limited to 5 a minute and 20 an hour, from all
// clients together, and that the owner can still sign in from a known client.
func TestLimitOfCodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.owner(t)
	secret := w.codes(t, p)
	guess := func(from identity.Client) error {
		_, err := w.CheckCode(t.Context(), from, p.ID, "000000")
		return err
	}
	n := 0
	for range 4 {
		w.advance(61 * time.Second)
		for range 5 {
			want(t, "guess", guess(client(100+n)), fault.Unauthenticated, identity.CodeCodeInvalid)
			n++
		}
		limited(t, "one more", guess(client(200)), 62*time.Minute)
	}
	w.advance(61 * time.Second)
	limited(t, "after 20 in the hour", guess(client(201)), 62*time.Minute)
	_, err := w.CheckCode(t.Context(), client(1), p.ID, identity.CodeFor(secret, w.time()))
	must(t, "the owner's code", err)
	w.advance(62 * time.Minute)
	want(t, "an hour later", guess(client(201)), fault.Unauthenticated, identity.CodeCodeInvalid)
}

// TestCodesChanged checks that codes are not turned on with a password that is changed meanwhile.
func TestCodesChanged(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	p := w.owner(t)
	offer, err := w.NewCodes(p)
	must(t, "NewCodes", err)
	w.store.before = func() {
		_, err := w.store.Memory.ChangePerson(ctx, p.ID, func(p *identity.Person) error { p.Proof.Password = "$other"; return nil })
		if err != nil {
			t.Error(err)
		}
	}
	_, err = w.TurnOnCodes(ctx, client(1), p.ID, good, offer.Sealed, identity.CodeFor(offer.Secret, w.time()))
	want(t, "TurnOnCodes", err, fault.Conflict, identity.CodeChanged)
}

// TestCodesGuessed checks that a person who is signed in cannot guess the password more often
// than the limit of codes allows.
func TestCodesGuessed(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	p := w.owner(t)
	offer, err := w.NewCodes(p)
	must(t, "NewCodes", err)
	for n := range 6 {
		_, err = w.TurnOnCodes(ctx, client(7), p.ID, "a wrong password", offer.Sealed, identity.CodeFor(offer.Secret, w.time()))
		if n < 5 {
			want(t, "guess", err, fault.Unprocessable, identity.CodePasswordWrong)
		}
	}
	limited(t, "the sixth guess", err, 61*time.Second)
}

// TestCodesNeedPassword checks that codes need an account with a password. Without one, the
// identity provider asks for further proofs.
func TestCodesNeedPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.owner(t)
	_, _, err := w.Invite(t.Context(), owner, client(1), memberDraft)
	must(t, "Invite", err)
	p, err := w.SignInAs(t.Context(), client(1), identity.Vouched{Issuer: "https://id.example.org", Subject: "1", Email: memberDraft.Email, EmailVerified: true})
	must(t, "SignInAs", err)
	_, err = w.NewCodes(p)
	want(t, "NewCodes", err, fault.Conflict, identity.CodeNoPassword)
	_, err = w.SetPassword(t.Context(), client(1), p.ID, "", good)
	want(t, "SetPassword", err, fault.Conflict, identity.CodeNoPassword)
}
