package storetest

import (
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

// testSums reads the books, the use and the keys of several organisations with one call each.
func testSums(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := metered(t, s, 3)
	other, bare := organisation(2), organisation(3)
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, other))
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, bare))
	theirs := key(8, other.ID)
	theirs.Expires = created.Add(time.Hour)
	check(t, "CreateKey", s.CreateKey(ctx, theirs))
	check(t, "RevokeKey", s.RevokeKey(ctx, keys[0].ID, created))
	all := []string{org.ID, other.ID, bare.ID, id("org_", 9)}

	for _, tt := range []struct {
		at     time.Time
		except []string
		want   map[string]int
	}{
		{theirs.Expires.Add(-time.Microsecond), nil, map[string]int{org.ID: 2, other.ID: 1}},
		{theirs.Expires, nil, map[string]int{org.ID: 2}},
		{created, []string{keys[1].ID, theirs.ID, id("key_", 9)}, map[string]int{org.ID: 1}},
	} {
		got, err := s.ValidKeys(ctx, all, tt.at, tt.except)
		check(t, "ValidKeys", err)
		same(t, "ValidKeys", got, tt.want)
	}
	got, err := s.ValidKeys(ctx, []string{other.ID}, created, nil)
	check(t, "ValidKeys", err)
	same(t, "ValidKeys of one", got, map[string]int{other.ID: 1})

	use := func(k account.Key, day string, n int64) account.Use {
		return account.Use{OrgID: k.OrgID, KeyID: k.ID, Day: day, Voice: "sv_a", Language: "en", Requests: 1, Characters: n}
	}
	postTo(t, s, account.Opening{Orgs: []string{org.ID, other.ID}}, func(time.Time, *ledger.Book) account.Posting {
		return account.Posting{Uses: []account.Use{
			use(keys[0], "2026-02-01", 1), use(keys[1], "2026-02-28", 2), use(keys[1], "2026-03-01", 4), use(theirs, "2026-02-02", 8),
		}}
	})
	for p, want := range map[ledger.Period]map[string]int64{
		"2026-02": {org.ID: 3, other.ID: 8}, "2026-03": {org.ID: 4}, "2026-04": {},
	} {
		got, err := s.Characters(ctx, all, p)
		check(t, "Characters", err)
		same(t, "Characters of "+string(p), got, want)
	}

	books, now, err := s.Books(ctx, all)
	check(t, "Books", err)
	if len(books) != 3 || time.Since(now).Abs() > time.Hour {
		t.Fatalf("Books = %d of them at %v, want 3 now", len(books), now)
	}
	for _, orgID := range all[:3] {
		alone, _, err := s.Book(ctx, orgID)
		check(t, "Book", err)
		same(t, "Balance of "+orgID, books[orgID].Balance(), alone.Balance())
		same(t, "Terms of "+orgID, books[orgID].Terms(), alone.Terms())
	}
	if o.Close == nil {
		return
	}
	check(t, "Close", o.Close())
	_, err = s.ValidKeys(ctx, all, created, nil)
	wantKind(t, "ValidKeys", err, fault.Unavailable)
	_, err = s.Characters(ctx, all, "2026-02")
	wantKind(t, "Characters", err, fault.Unavailable)
	_, _, err = s.Books(ctx, all)
	wantKind(t, "Books", err, fault.Unavailable)
}
