// Package storetest holds the behaviour that every store must show, as a suite
// that each implementation runs.
package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/internal/fault"
)

// Opened is one store under test, empty and migrated.
type Opened struct {
	Accounts account.Store
	// Again opens the same data once more, as another process would; the test's
	// cleanup closes it. Nil for a store that only one may open.
	Again func(t *testing.T) account.Store
	// Close closes Accounts and not what Again returned.
	Close func() error
}

// Run runs the suite. Each test calls open once for a store of its own.
func Run(t *testing.T, open func(t *testing.T) Opened) {
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, o Opened)
	}{
		{"Organisations", testOrganisations},
		{"Keys", testKeys},
		{"Credential", testCredential},
		{"Revocation", testRevocation},
		{"Usage", testUsage},
		{"UsageIsAllOrNothing", testUsageAtomic},
		{"UsageInParallel", testUsageParallel},
		{"SeenByOthers", testSeenByOthers},
		{"Reopened", testReopened},
		{"OddText", testOddText},
		{"Cancelled", testCancelled},
		{"Closed", testClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.run(t, open(t))
		})
	}
}

// created is an instant with microseconds, the finest that a store keeps.
var created = time.Date(2026, 2, 28, 23, 59, 59, 999_999_000, time.UTC)

func organisation(n int) account.Organisation {
	return account.Organisation{ID: id("org_", n), Name: fmt.Sprintf("Organisation %d", n), Plan: "unlimited", Created: created}
}

func key(n int, orgID string) account.Key {
	hash := sha256.Sum256([]byte(id("secret", n)))
	return account.Key{
		ID: id("key_", n), OrgID: orgID, Label: "label", Hash: hash[:], LastFour: "wxyz",
		Created: created.Add(time.Duration(n) * time.Microsecond),
	}
}

// id returns prefix and n as 16 lower-case letters.
func id(prefix string, n int) string {
	digits := fmt.Sprintf("%016d", n)
	return prefix + strings.Map(func(r rune) rune { return 'a' + r - '0' }, digits)
}

// seed adds organisation 1 with n keys, numbered from 1.
func seed(t *testing.T, s account.Store, n int) (account.Organisation, []account.Key) {
	t.Helper()
	o := organisation(1)
	check(t, "CreateOrganisation", s.CreateOrganisation(t.Context(), o))
	keys := make([]account.Key, n)
	for i := range keys {
		keys[i] = key(i+1, o.ID)
		check(t, "CreateKey", s.CreateKey(t.Context(), keys[i]))
	}
	return o, keys
}

func check(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// wantKind reports an error of another kind; "" is success.
func wantKind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if got := fault.KindOf(err); got != want {
		t.Errorf("%s: kind = %q, want %q; error: %v", what, got, want, err)
	}
}

func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: -want +got\n%s", what, d)
	}
}

func testOrganisations(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	want := organisation(1)
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, want))
	got, err := s.Organisation(ctx, want.ID)
	check(t, "Organisation", err)
	same(t, "Organisation", got, want)

	sameName := organisation(2)
	sameName.Name = want.Name
	wantKind(t, "same name", s.CreateOrganisation(ctx, sameName), fault.Conflict)
	wantKind(t, "same id", s.CreateOrganisation(ctx, want), fault.Conflict)
	_, err = s.Organisation(ctx, sameName.ID)
	wantKind(t, "Organisation of an unknown id", err, fault.NotFound)
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, organisation(3)))
	all, err := s.Organisations(ctx)
	check(t, "Organisations", err)
	same(t, "Organisations", all, []account.Organisation{want, organisation(3)})
}

func testKeys(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, want := seed(t, s, 3)
	other := organisation(2)
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, other))
	check(t, "CreateKey", s.CreateKey(ctx, key(4, other.ID)))

	got, err := s.Keys(ctx, org.ID)
	check(t, "Keys", err)
	same(t, "Keys", got, want)

	sameHash := key(5, org.ID)
	sameHash.Hash = want[0].Hash
	wantKind(t, "same hash", s.CreateKey(ctx, sameHash), fault.Conflict)
	wantKind(t, "same id", s.CreateKey(ctx, want[0]), fault.Conflict)
	wantKind(t, "unknown organisation", s.CreateKey(ctx, key(6, id("org_", 9))), fault.NotFound)
	got, err = s.Keys(ctx, id("org_", 9))
	if err != nil || len(got) != 0 {
		t.Errorf("Keys of an unknown organisation = %v, %v, want none", got, err)
	}
}

func testCredential(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := seed(t, s, 2)
	got, err := s.Credential(ctx, keys[1].Hash)
	check(t, "Credential", err)
	same(t, "Credential", got, account.Credential{
		Caller: account.Caller{OrgID: org.ID, KeyID: keys[1].ID, Plan: org.Plan},
		Hash:   keys[1].Hash,
	})
	_, err = s.Credential(ctx, bytes.Repeat([]byte{7}, sha256.Size))
	wantKind(t, "unknown hash", err, fault.NotFound)
	_, err = s.Credential(ctx, nil)
	wantKind(t, "no hash", err, fault.NotFound)
}

func testRevocation(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := seed(t, s, 2)
	at := created.Add(time.Hour)
	check(t, "RevokeKey", s.RevokeKey(ctx, keys[0].ID, at))
	check(t, "RevokeKey again", s.RevokeKey(ctx, keys[0].ID, at.Add(time.Hour)))
	wantKind(t, "RevokeKey of an unknown key", s.RevokeKey(ctx, id("key_", 9), at), fault.NotFound)

	for i, want := range []bool{true, false} {
		c, err := s.Credential(ctx, keys[i].Hash)
		if err != nil || c.Revoked != want {
			t.Errorf("Credential of key %d: revoked = %v, %v, want %v", i, c.Revoked, err, want)
		}
	}
	keys[0].Revoked = at
	got, err := s.Keys(ctx, org.ID)
	check(t, "Keys", err)
	same(t, "Keys", got, keys)
}

func testUsage(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := seed(t, s, 3)
	use := func(k int, p account.Period, requests, characters int64, audio time.Duration) account.KeyUsage {
		return account.KeyUsage{KeyID: keys[k].ID, Period: p, Requests: requests, Characters: characters, Audio: audio}
	}
	for _, records := range [][]account.KeyUsage{
		{use(0, "2026-02", 1, 20, 1500*time.Millisecond)},
		{use(0, "2026-02", 2, 30, time.Millisecond), use(1, "2026-02", 1, 0, 0), use(0, "2026-03", 1, 5000, time.Hour)},
		{use(0, "2026-02", 1, 1, 0), use(0, "2026-02", 1, 1, 0)}, // one key and month twice
		nil,
	} {
		check(t, "AddUsage", s.AddUsage(ctx, records))
	}
	for p, want := range map[account.Period][]account.KeyUsage{
		"2026-02": {use(0, "2026-02", 5, 52, 1501*time.Millisecond), use(1, "2026-02", 1, 0, 0)},
		"2026-03": {use(0, "2026-03", 1, 5000, time.Hour)},
		"2026-04": {},
	} {
		got, err := s.Usage(ctx, org.ID, p)
		check(t, "Usage", err)
		same(t, "Usage of "+string(p), got, want)
	}
	got, err := s.Usage(ctx, id("org_", 9), "2026-02")
	if err != nil || len(got) != 0 {
		t.Errorf("Usage of another organisation = %v, %v, want none", got, err)
	}
	check(t, "Ping", s.Ping(ctx))
	check(t, "Ping again", s.Ping(ctx))
}

func testUsageAtomic(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := seed(t, s, 1)
	good := account.KeyUsage{KeyID: keys[0].ID, Period: "2026-02", Requests: 1}
	stranger := account.KeyUsage{KeyID: id("key_", 9), Period: "2026-02", Requests: 1}
	wantKind(t, "AddUsage with an unknown key", s.AddUsage(ctx, []account.KeyUsage{good, stranger}), fault.NotFound)
	negative := good
	negative.Requests = -5
	wantKind(t, "AddUsage of less than nothing", s.AddUsage(ctx, []account.KeyUsage{good, negative}), fault.Internal)
	got, err := s.Usage(ctx, org.ID, "2026-02")
	if err != nil || len(got) != 0 {
		t.Errorf("Usage after refused writes = %v, %v, want none", got, err)
	}
	check(t, "AddUsage afterwards", s.AddUsage(ctx, []account.KeyUsage{good}))
}

func testUsageParallel(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	const writers, writes = 8, 25
	org, keys := seed(t, s, 2)
	stores := []account.Store{s}
	if o.Again != nil {
		stores = append(stores, o.Again(t))
	}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for range writes {
				err := stores[w%len(stores)].AddUsage(ctx, []account.KeyUsage{
					{KeyID: keys[w%2].ID, Period: "2026-02", Requests: 1, Characters: 3, Audio: 5 * time.Millisecond},
					{KeyID: keys[(w+1)%2].ID, Period: "2026-02", Requests: 1, Characters: 4, Audio: 6 * time.Millisecond},
				})
				if err != nil {
					t.Errorf("AddUsage: %v", err)
				}
				if _, err := s.Credential(ctx, keys[0].Hash); err != nil {
					t.Errorf("Credential beside writes: %v", err)
				}
			}
		})
	}
	wg.Wait()
	const n = writers * writes
	var want []account.KeyUsage
	for _, k := range keys {
		want = append(want, account.KeyUsage{
			KeyID: k.ID, Period: "2026-02", Requests: n, Characters: n / 2 * 7, Audio: n / 2 * 11 * time.Millisecond,
		})
	}
	got, err := s.Usage(ctx, org.ID, "2026-02")
	check(t, "Usage", err)
	same(t, "Usage", got, want)
}

func testSeenByOthers(t *testing.T, o Opened) {
	if o.Again == nil {
		t.Skip("only one may open this store")
	}
	ctx, a, b := t.Context(), o.Accounts, o.Again(t)
	_, keys := seed(t, a, 20)
	for _, k := range keys {
		if c, err := a.Credential(ctx, k.Hash); err != nil || c.Revoked {
			t.Fatalf("Credential before = %+v, %v", c, err)
		}
		check(t, "RevokeKey by another", b.RevokeKey(ctx, k.ID, created))
		if c, err := a.Credential(ctx, k.Hash); err != nil || !c.Revoked {
			t.Fatalf("Credential after another revoked = %+v, %v", c, err)
		}
	}
}

func testReopened(t *testing.T, o Opened) {
	if o.Again == nil {
		t.Skip("this store ends with its process")
	}
	ctx := t.Context()
	org, keys := seed(t, o.Accounts, 1)
	want := []account.KeyUsage{{KeyID: keys[0].ID, Period: "2026-02", Requests: 1, Characters: 20, Audio: time.Second}}
	check(t, "AddUsage", o.Accounts.AddUsage(ctx, want))
	check(t, "Close", o.Close())
	again := o.Again(t)
	got, err := again.Usage(ctx, org.ID, "2026-02")
	check(t, "Usage", err)
	same(t, "Usage", got, want)
	gotKeys, err := again.Keys(ctx, org.ID)
	check(t, "Keys", err)
	same(t, "Keys", gotKeys, keys)
}

func testOddText(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	for i, name := range []string{
		`'; DROP TABLE organisations; --`, `a?b`, `"quoted" \ 'it''s'`, "भारत 🎙 ÄÖ", "%_*", strings.Repeat("क", 200),
	} {
		want := organisation(i + 1)
		want.Name = name
		check(t, "CreateOrganisation "+name, s.CreateOrganisation(ctx, want))
		got, err := s.Organisation(ctx, want.ID)
		check(t, "Organisation "+name, err)
		same(t, "Organisation", got, want)
	}
}

func testCancelled(t *testing.T, o Opened) {
	s := o.Accounts
	_, keys := seed(t, s, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantKind(t, "CreateOrganisation", s.CreateOrganisation(ctx, organisation(2)), fault.Cancelled)
	_, err := s.Keys(ctx, keys[0].OrgID)
	wantKind(t, "Keys", err, fault.Cancelled)
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	wantKind(t, "AddUsage too late", s.AddUsage(late, []account.KeyUsage{{KeyID: keys[0].ID, Period: "2026-02"}}), fault.Unavailable)
	check(t, "AddUsage afterwards", s.AddUsage(t.Context(), []account.KeyUsage{{KeyID: keys[0].ID, Period: "2026-02"}}))
}

func testClosed(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := seed(t, s, 1)
	_, err := s.Credential(ctx, keys[0].Hash)
	check(t, "Credential", err)
	check(t, "Close", o.Close())
	check(t, "Close again", o.Close())
	_, err = s.Credential(ctx, keys[0].Hash)
	wantKind(t, "Credential", err, fault.Unavailable)
	_, err = s.Organisation(ctx, org.ID)
	wantKind(t, "Organisation", err, fault.Unavailable)
	_, err = s.Keys(ctx, org.ID)
	wantKind(t, "Keys", err, fault.Unavailable)
	wantKind(t, "CreateOrganisation", s.CreateOrganisation(ctx, organisation(2)), fault.Unavailable)
	wantKind(t, "RevokeKey", s.RevokeKey(ctx, keys[0].ID, created), fault.Unavailable)
	wantKind(t, "AddUsage", s.AddUsage(ctx, []account.KeyUsage{{KeyID: keys[0].ID, Period: "2026-02"}}), fault.Unavailable)
	wantKind(t, "Ping", s.Ping(ctx), fault.Unavailable)
}
