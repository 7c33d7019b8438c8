package identity_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"vaak/identity"
	"vaak/identity/identitytest"
	"vaak/internal/fault"
	"vaak/internal/seal"
)

const (
	good = "a long enough secret"
	org  = "org_aaaaaaaaaaaaaaaa"
)

// world is a service on a store in memory, with a clock that a test sets.
type world struct {
	*identity.Service
	store *hooked
	file  string
	log   *bytes.Buffer

	mu  sync.Mutex
	now time.Time
}

// hooked is a store that runs something once, before the next change.
type hooked struct {
	*identitytest.Memory

	mu     sync.Mutex
	before func()
}

func (h *hooked) ChangePerson(ctx context.Context, id string, change func(*identity.Person) error) (identity.Person, error) {
	h.mu.Lock()
	before := h.before
	h.before = nil
	h.mu.Unlock()
	if before != nil {
		before()
	}
	return h.Memory.ChangePerson(ctx, id, change)
}

func (w *world) time() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) advance(by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(by)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{file: filepath.Join(t.TempDir(), "setup"), log: &bytes.Buffer{}, now: time.Unix(1_800_000_000, 123_456_789)}
	w.store = &hooked{Memory: &identitytest.Memory{Now: w.time}}
	w.Service = w.another(t, 1)
	return w
}

// another returns the service of another process on the same store, with a secret.
func (w *world) another(t *testing.T, secret byte) *identity.Service {
	t.Helper()
	s, err := identity.New(identity.Config{
		Store: w.store, Secret: seal.New(bytes.Repeat([]byte{secret}, seal.MinBytes)), SetupFile: w.file,
		Now: w.time, Log: slog.New(slog.NewTextHandler(w.log, nil)),
	})
	must(t, "New", err)
	return s
}

func client(n int) identity.Client {
	a := netip.AddrFrom4([4]byte{198, 51, byte(n >> 8), byte(n)})
	return identity.Client{Address: a, Scope: a.String()}
}

// owner sets the console up and returns its first operator.
func (w *world) owner(t *testing.T) identity.Person {
	t.Helper()
	token, err := w.SetupToken(t.Context())
	must(t, "SetupToken", err)
	p, err := w.SetUp(t.Context(), client(1), token, identity.Draft{Email: " Owner@Example.org", Name: "Owner One", Password: good})
	must(t, "SetUp", err)
	return p
}

var (
	memberDraft   = identity.Draft{Email: "member@example.org", Name: "Member", Role: identity.Member, OrgID: org}
	operatorDraft = identity.Draft{Email: "second@example.org", Name: "Second", Role: identity.Operator}
)

// join adds a person who has chosen the good password.
func (w *world) join(t *testing.T, by identity.Person, d identity.Draft) identity.Person {
	t.Helper()
	_, token, err := w.Invite(t.Context(), by, client(1), d)
	must(t, "Invite", err)
	p, err := w.Accept(t.Context(), client(3), token, good)
	must(t, "Accept", err)
	return p
}

// codes turns on one-time codes and returns the secret.
func (w *world) codes(t *testing.T, p identity.Person) string {
	t.Helper()
	offer, err := w.NewCodes(p)
	must(t, "NewCodes", err)
	_, err = w.TurnOnCodes(t.Context(), client(1), p.ID, good, offer.Sealed, identity.CodeFor(offer.Secret, w.time()))
	must(t, "TurnOnCodes", err)
	return offer.Secret
}

// want reports a test error when err is not of a kind and code.
func want(t *testing.T, what string, err error, kind fault.Kind, code string) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != kind || e.Code != code {
		t.Errorf("%s: %v, want %s %s", what, err, kind, code)
	}
}

// limited reports a test error unless err says how long to wait, up to most.
func limited(t *testing.T, what string, err error, most time.Duration) time.Duration {
	t.Helper()
	want(t, what, err, fault.RateLimited, fault.CodeRateLimited)
	e, _ := errors.AsType[*fault.Error](err)
	if e == nil {
		return 0
	}
	if e.RetryAfter < time.Second || e.RetryAfter > most {
		t.Errorf("%s: retry after %v, want 1 s to %v", what, e.RetryAfter, most)
	}
	return e.RetryAfter
}

func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// wantEvents checks the latest events and their outcomes.
func (w *world) wantEvents(t *testing.T, want ...string) {
	t.Helper()
	events, err := w.Events(t.Context(), identity.EventQuery{Limit: len(want)})
	must(t, "Events", err)
	var got []string
	for _, e := range slices.Backward(events) {
		got = append(got, e.Action+" "+e.Outcome)
	}
	if !slices.Equal(got, want) {
		t.Errorf("events = %q, want them to end with %q", got, want)
	}
}

// signIn signs in with the right password, which must succeed.
func (w *world) signIn(t *testing.T, from identity.Client, email string) identity.Person {
	t.Helper()
	p, needsCode, err := w.SignIn(t.Context(), from, email, good)
	if err != nil || needsCode {
		t.Fatalf("SignIn of %s = %v, %v", email, needsCode, err)
	}
	return p
}

// guess signs in with a wrong password.
func (w *world) guess(t *testing.T, from identity.Client, email string) error {
	t.Helper()
	p, needsCode, err := w.SignIn(t.Context(), from, email, "a wrong password")
	if err == nil || needsCode || p.ID != "" {
		t.Fatalf("a wrong password gives %v, %v, %v", p.ID, needsCode, err)
	}
	return err
}
