package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/internal/fault"
	"vaak/internal/pause"
)

func testPlans(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	plans, err := s.Plans(ctx)
	check(t, "Plans", err)
	var ids []string
	for _, p := range plans {
		ids = append(ids, p.ID)
	}
	same(t, "ids of the first plans", ids, []string{"free", "starter", "growth", "scale", "unlimited"})

	own := ledger.Plan{ID: "own", Name: "Ein Plan", MonthlyCharacters: 50_000, RequestsPerMinute: 3, MaxStreams: ledger.Unlimited}
	check(t, "SetPlan", s.SetPlan(ctx, own))
	free := ledger.Plan{ID: "free", Name: "Free", MonthlyCharacters: 0, RequestsPerMinute: 1, MaxStreams: 1}
	check(t, "SetPlan of one that is there", s.SetPlan(ctx, free))
	plans, err = s.Plans(ctx)
	check(t, "Plans", err)
	if len(plans) != 6 {
		t.Fatalf("there are %d plans, want 6", len(plans))
	}
	same(t, "the smallest plan", plans[0], free)
	same(t, "the new plan", plans[1], own)
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
	third := organisation(3)
	third.Terms = subscribed()
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, third))
	all, err := s.Organisations(ctx)
	check(t, "Organisations", err)
	same(t, "Organisations", all, []account.Organisation{want, third})
}

// subscribed are terms that use every field.
func subscribed() ledger.Terms {
	sub := ledger.Subscribe("growth", time.Date(2126, 5, 31, 7, 8, 9, 10_000, time.UTC))
	sub.AutoRenew, sub.RenewalPlan, sub.FallsBackTo = true, "scale", "free"
	return ledger.Terms{Mode: ledger.Allowance, Plan: "free", Subscription: &sub}
}

func testRename(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	one, two := organisation(1), organisation(2)
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, one))
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, two))
	wantKind(t, "the name of another", s.RenameOrganisation(ctx, one.ID, two.Name), fault.Conflict)
	wantKind(t, "one that is not there", s.RenameOrganisation(ctx, id("org_", 9), "new"), fault.NotFound)
	check(t, "its own name", s.RenameOrganisation(ctx, one.ID, one.Name))
	former := one.Name
	one.Name = "नया नाम"
	check(t, "RenameOrganisation", s.RenameOrganisation(ctx, one.ID, one.Name))
	got, err := s.Organisation(ctx, one.ID)
	check(t, "Organisation", err)
	same(t, "Organisation", got, one)
	check(t, "the name that is free now", s.RenameOrganisation(ctx, two.ID, former))
}

func testCeilings(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := seed(t, s, 1)
	want := account.Ceilings{RequestsPerMinute: 7, MaxStreams: 3}
	check(t, "SetCeilings", s.SetCeilings(ctx, org.ID, want))
	got, err := s.Organisation(ctx, org.ID)
	check(t, "Organisation", err)
	same(t, "Ceilings", got.Ceilings, want)
	c, err := s.Credential(ctx, keys[0].Hash)
	check(t, "Credential", err)
	same(t, "Ceilings of the credential", c.Ceilings, want)
	wantKind(t, "SetCeilings of nobody", s.SetCeilings(ctx, id("org_", 9), want), fault.NotFound)
}

func testKeys(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, want := seed(t, s, 3)
	other := organisation(2)
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, other))
	full := key(4, org.ID)
	full.MonthlyCap, full.Expires = 12_345, created.Add(time.Hour)
	check(t, "CreateKey", s.CreateKey(ctx, full))
	check(t, "CreateKey", s.CreateKey(ctx, key(5, other.ID)))

	got, err := s.Keys(ctx, org.ID)
	check(t, "Keys", err)
	same(t, "Keys", got, append(want, full))
	one, err := s.Key(ctx, full.ID)
	check(t, "Key", err)
	same(t, "Key", one, full)
	_, err = s.Key(ctx, id("key_", 9))
	wantKind(t, "Key of an unknown id", err, fault.NotFound)

	sameHash := key(6, org.ID)
	sameHash.Hash = want[0].Hash
	wantKind(t, "same hash", s.CreateKey(ctx, sameHash), fault.Conflict)
	wantKind(t, "same id", s.CreateKey(ctx, want[0]), fault.Conflict)
	wantKind(t, "unknown organisation", s.CreateKey(ctx, key(7, id("org_", 9))), fault.NotFound)
	got, err = s.Keys(ctx, id("org_", 9))
	if err != nil || len(got) != 0 {
		t.Errorf("Keys of an unknown organisation = %v, %v, want none", got, err)
	}
}

func testTouchKeys(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := seed(t, s, 3)
	late := created.Add(time.Minute)
	check(t, "TouchKeys", s.TouchKeys(ctx, map[string]time.Time{keys[0].ID: late, keys[1].ID: created, id("key_", 9): late}))
	check(t, "TouchKeys", s.TouchKeys(ctx, map[string]time.Time{keys[0].ID: created, keys[1].ID: late}))
	check(t, "TouchKeys of none", s.TouchKeys(ctx, nil))
	keys[0].LastUsed, keys[1].LastUsed = late, late
	got, err := s.Keys(ctx, org.ID)
	check(t, "Keys", err)
	same(t, "Keys", got, keys)
}

func testCredential(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := seed(t, s, 2)
	got, err := s.Credential(ctx, keys[1].Hash)
	check(t, "Credential", err)
	same(t, "Credential", got, account.Credential{
		OrgID: org.ID, KeyID: keys[1].ID, Hash: keys[1].Hash, Terms: org.Terms, Ceilings: account.NoCeilings,
		Plans: map[string]ledger.Plan{"unlimited": {
			ID: "unlimited", Name: "Unlimited", MonthlyCharacters: -1, RequestsPerMinute: -1, MaxStreams: -1,
		}},
	})
	_, err = s.Credential(ctx, bytes.Repeat([]byte{7}, sha256.Size))
	wantKind(t, "unknown hash", err, fault.NotFound)
	_, err = s.Credential(ctx, nil)
	wantKind(t, "no hash", err, fault.NotFound)
}

func testCredentialTerms(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org := organisation(1)
	org.Terms, org.Ceilings = subscribed(), account.Ceilings{RequestsPerMinute: 5, MaxStreams: 2}
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, org))
	k := key(1, org.ID)
	k.MonthlyCap, k.Expires = 0, created.Add(time.Hour)
	check(t, "CreateKey", s.CreateKey(ctx, k))
	got, err := s.Credential(ctx, k.Hash)
	check(t, "Credential", err)
	plans := map[string]ledger.Plan{}
	all, err := s.Plans(ctx)
	check(t, "Plans", err)
	for _, p := range all {
		if p.ID == "free" || p.ID == "growth" || p.ID == "scale" {
			plans[p.ID] = p
		}
	}
	same(t, "Credential", got, account.Credential{
		OrgID: org.ID, KeyID: k.ID, Hash: k.Hash, Terms: org.Terms, Ceilings: org.Ceilings,
		Expires: k.Expires, Capped: true, Plans: plans,
	})
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
		seen := func() bool {
			c, err := a.Credential(ctx, k.Hash)
			check(t, "Credential after another revoked", err)
			return c.Revoked
		}
		// TestRevocationSpreads in store/keys says how soon. A change that is missed
		// is never seen, and a busy machine is slow.
		for begun := time.Now(); !seen(); {
			if time.Since(begun) > time.Minute {
				t.Fatal("a revocation by another is not seen within a minute")
			}
			_ = pause.For(ctx, time.Millisecond)
		}
	}
}

func testReopened(t *testing.T, o Opened) {
	if o.Again == nil {
		t.Skip("this store ends with its process")
	}
	ctx := t.Context()
	org, keys := metered(t, o.Accounts, 1)
	advance(t, o.Accounts, org.ID, keys[0].ID, "hold_1", 100)
	charge(t, o.Accounts, org.ID, keys[0].ID, "hold_1", 60)
	before := book(t, o.Accounts, org.ID)
	check(t, "Close", o.Close())
	again := o.Again(t)
	same(t, "balance", book(t, again, org.ID).Balance(), before.Balance())
	gotKeys, err := again.Keys(ctx, org.ID)
	check(t, "Keys", err)
	same(t, "Keys", gotKeys, keys)
	sound(t, again)
}

// testNUL checks that text with U+0000, which no database keeps, is refused.
func testNUL(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	nul := organisation(1)
	nul.Name = "a'\x00"
	wantKind(t, "U+0000 in a name", s.CreateOrganisation(ctx, nul), fault.Invalid)
	_, err := s.Organisation(ctx, "org_\x00")
	wantKind(t, "U+0000 in an id", err, fault.Invalid)
	_, err = s.Organisation(ctx, nul.ID)
	wantKind(t, "Organisation of the refused id", err, fault.NotFound)
	check(t, "CreateOrganisation afterwards", s.CreateOrganisation(ctx, organisation(1)))
}

// testOrder checks that text is ordered by code point.
func testOrder(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	var want []account.Organisation
	for _, suffix := range []string{"", " ", "-", "0", "B", "Z", "_", "a", "ab", "z", "ß", "ä", "अ", "\uffff", "🎙"} {
		one := organisation(1)
		one.ID, one.Name = "org_"+suffix, "name "+suffix
		want = append(want, one)
	}
	for i := range want {
		check(t, "CreateOrganisation", s.CreateOrganisation(ctx, want[i*7%len(want)]))
	}
	got, err := s.Organisations(ctx)
	check(t, "Organisations", err)
	same(t, "Organisations", got, want)
}

func testOddText(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	for i, name := range []string{
		`'; DROP TABLE organisations; --`, `a?b`, `"quoted" \ 'it''s'`, "भारत 🎙 ÄÖ", "%_*", `\'; --`, strings.Repeat("क", 200),
		"line\r\nline\t\x01\x7f", "\u2028\ufeff\ufffd\U0010ffff", "e\u0301", "é", " ", "$1 :name @x",
		`?!(bun: string contains a NUL byte (0x00))`,
	} {
		want := organisation(i + 1)
		want.Name = name
		check(t, "CreateOrganisation "+name, s.CreateOrganisation(ctx, want))
		got, err := s.Organisation(ctx, want.ID)
		check(t, "Organisation "+name, err)
		same(t, "Organisation", got, want)
		k := key(i+1, want.ID)
		check(t, "CreateKey", s.CreateKey(ctx, k))
		use := account.Use{OrgID: want.ID, KeyID: k.ID, Day: "2026-02-28", Voice: name, Language: name, Requests: 1, Characters: 2}
		post(t, s, want.ID, func(_ time.Time, b *ledger.Book) account.Posting {
			_, err := b.Count("hold_"+k.ID, k.ID, 2, created)
			check(t, "Count", err)
			b.Grant(ledger.Lot{Kind: ledger.Promo, Source: name, Granted: 5})
			return account.Posting{Uses: []account.Use{use}}
		})
		days, err := s.Daily(ctx, want.ID, account.DailyQuery{From: "2026-02-28", To: "2026-02-28", By: account.ByVoice})
		check(t, "Daily "+name, err)
		same(t, "Daily", days, []account.DailyUsage{{Day: "2026-02-28", Group: name, Requests: 1, Characters: 2}})
		check(t, "AddRequests "+name, s.AddRequests(ctx, []account.RequestRecord{{ID: name, At: created, Route: name, Voice: name, Code: name}}))
	}
	sound(t, s)
}

func testCancelled(t *testing.T, o Opened) {
	s := o.Accounts
	org, keys := metered(t, s, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantKind(t, "CreateOrganisation", s.CreateOrganisation(ctx, organisation(2)), fault.Cancelled)
	_, err := s.Keys(ctx, keys[0].OrgID)
	wantKind(t, "Keys", err, fault.Cancelled)
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	opening := account.Opening{Orgs: []string{org.ID}}
	turn := func(time.Time, map[string]*ledger.Book) (account.Posting, error) { return account.Posting{}, nil }
	wantKind(t, "Post too late", s.Post(late, opening, turn), fault.Unavailable)
	check(t, "Post afterwards", s.Post(t.Context(), opening, turn))
	ctx, cancel = context.WithCancel(t.Context())
	err = s.Post(ctx, opening, func(_ time.Time, books map[string]*ledger.Book) (account.Posting, error) {
		books[org.ID].Grant(ledger.Lot{Kind: ledger.Promo, Source: "late", Granted: 5})
		cancel()
		return account.Posting{}, nil
	})
	wantKind(t, "Post cancelled in its turn", err, fault.Cancelled)
	if got := book(t, s, org.ID).Balance().Granted; got != 10_000 {
		t.Errorf("granted after a cancelled posting = %d, want 10000", got)
	}
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
	err = s.Post(ctx, account.Opening{Orgs: []string{org.ID}}, func(time.Time, map[string]*ledger.Book) (account.Posting, error) {
		t.Error("a turn was run on a closed store")
		return account.Posting{}, nil
	})
	wantKind(t, "Post", err, fault.Unavailable)
	_, _, err = s.Book(ctx, org.ID)
	wantKind(t, "Book", err, fault.Unavailable)
	_, err = s.Audit(ctx)
	wantKind(t, "Audit", err, fault.Unavailable)
	wantKind(t, "Ping", s.Ping(ctx), fault.Unavailable)
}
