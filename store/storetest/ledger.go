package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

// metered adds organisation 1, on the free plan of 10,000 characters a month,
// with n keys.
func metered(t *testing.T, s account.Store, n int) (account.Organisation, []account.Key) {
	t.Helper()
	o := organisation(1)
	o.Terms.Plan = "free"
	check(t, "CreateOrganisation", s.CreateOrganisation(t.Context(), o))
	keys := make([]account.Key, n)
	for i := range keys {
		keys[i] = key(i+1, o.ID)
		check(t, "CreateKey", s.CreateKey(t.Context(), keys[i]))
	}
	return o, keys
}

// post posts to the book of one organisation.
func post(t *testing.T, s account.Store, orgID string, turn func(time.Time, *ledger.Book) account.Posting) {
	t.Helper()
	postTo(t, s, account.Opening{Orgs: []string{orgID}}, turn)
}

// postTo posts to the first book of an opening.
func postTo(t *testing.T, s account.Store, o account.Opening, turn func(time.Time, *ledger.Book) account.Posting) {
	t.Helper()
	err := s.Post(t.Context(), o, func(now time.Time, books map[string]*ledger.Book) (account.Posting, error) {
		return turn(now, books[o.Orgs[0]]), nil
	})
	check(t, "Post", err)
}

const lease = time.Minute

func advance(t *testing.T, s account.Store, orgID, keyID, hold string, n int64) {
	t.Helper()
	postTo(t, s, account.Opening{Orgs: []string{orgID}, Keys: []string{keyID}}, func(now time.Time, b *ledger.Book) account.Posting {
		if kept, err := b.Advance(hold, keyID, n, n, now.Add(lease)); err != nil || !kept {
			t.Errorf("Advance(%s) = %v, %v", hold, kept, err)
		}
		return account.Posting{}
	})
}

func charge(t *testing.T, s account.Store, orgID, keyID, hold string, n int64) (paid ledger.Settlement) {
	t.Helper()
	o := account.Opening{Orgs: []string{orgID}, Holds: []string{hold}, Keys: []string{keyID}}
	postTo(t, s, o, func(now time.Time, b *ledger.Book) account.Posting {
		var err error
		if paid, err = b.Charge(hold, keyID, n, now); err != nil {
			t.Errorf("Charge(%s): %v", hold, err)
		}
		return account.Posting{Uses: []account.Use{use(orgID, keyID, now, n)}}
	})
	return paid
}

func use(orgID, keyID string, at time.Time, n int64) account.Use {
	return account.Use{
		OrgID: orgID, KeyID: keyID, Day: at.UTC().Format(time.DateOnly), Voice: "sv_a", Language: "en",
		Requests: 1, Characters: n, Audio: 5 * time.Millisecond,
	}
}

func book(t *testing.T, s account.Store, orgID string) *ledger.Book {
	t.Helper()
	b, _, err := s.Book(t.Context(), orgID)
	check(t, "Book", err)
	return b
}

func remaining(t *testing.T, s account.Store, orgID string) int64 {
	t.Helper()
	return book(t, s, orgID).Balance().Remaining
}

func wantRemaining(t *testing.T, s account.Store, orgID string, want int64) {
	t.Helper()
	if got := remaining(t, s, orgID); got != want {
		t.Errorf("remaining = %d, want %d", got, want)
	}
}

func sound(t *testing.T, s account.Store) ledger.Audit {
	t.Helper()
	a, err := s.Audit(t.Context())
	check(t, "Audit", err)
	for _, f := range a.Faults {
		t.Errorf("Audit: %s", f)
	}
	return a
}

func testPost(t *testing.T, o Opened) {
	s := o.Accounts
	org, _ := metered(t, s, 1)
	var lot ledger.Lot
	var first time.Time
	post(t, s, org.ID, func(now time.Time, b *ledger.Book) account.Posting {
		first = now
		if d := time.Since(now).Abs(); d > time.Minute {
			t.Errorf("the store's clock is off by %v", d)
		}
		lot = b.Grant(ledger.Lot{Kind: ledger.Purchase, Source: "invoice", Granted: 500, Expires: now.Add(time.Hour)})
		return account.Posting{}
	})
	post(t, s, org.ID, func(now time.Time, b *ledger.Book) account.Posting {
		if now.Before(first) {
			t.Errorf("the time went back from %v to %v", first, now)
		}
		return account.Posting{}
	})
	bal := book(t, s, org.ID).Balance()
	if bal.Remaining != 10_500 || bal.Granted != 10_500 || len(bal.Lots) != 2 {
		t.Fatalf("balance = %+v, want 10500 in 2 lots", bal)
	}
	same(t, "the lot that was granted", bal.Lots[0], lot)
	if a := sound(t, s); a.Lots != 2 {
		t.Errorf("Audit counts %d lots, want 2", a.Lots)
	}
}

func testAdvanceCharge(t *testing.T, o Opened) {
	s := o.Accounts
	org, keys := metered(t, s, 1)
	advance(t, s, org.ID, keys[0].ID, "hold_1", 300)
	wantRemaining(t, s, org.ID, 9_700)
	if a := sound(t, s); a.OpenHolds != 1 || a.HeldChars != 300 {
		t.Errorf("Audit = %+v, want 1 open hold of 300", a)
	}
	same(t, "settlement", charge(t, s, org.ID, keys[0].ID, "hold_1", 120), ledger.Settlement{Charged: 120})
	wantRemaining(t, s, org.ID, 9_880)
	post := account.Opening{Orgs: []string{org.ID}, Holds: []string{"hold_1"}}
	postTo(t, s, post, func(now time.Time, b *ledger.Book) account.Posting {
		again, err := b.Charge("hold_1", keys[0].ID, 120, now)
		check(t, "Charge again", err)
		same(t, "second settlement", again, ledger.Settlement{Again: true})
		return account.Posting{}
	})
	if a := sound(t, s); a.Charged != 120 || a.OpenHolds != 0 {
		t.Errorf("Audit = %+v, want 120 charged, none open", a)
	}
	err := s.Post(t.Context(), account.Opening{Orgs: []string{org.ID}}, func(now time.Time, books map[string]*ledger.Book) (account.Posting, error) {
		_, err := books[org.ID].Advance("hold_1", keys[0].ID, 1, 1, now.Add(lease))
		return account.Posting{}, err
	})
	wantKind(t, "a hold of an id that was used", err, fault.Conflict)
}

func testPostAtomic(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := metered(t, s, 1)
	other := organisation(2)
	theirs := key(9, other.ID)
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, other))
	check(t, "CreateKey", s.CreateKey(ctx, theirs))
	oops := errors.New("oops")
	for _, tt := range []struct {
		name    string
		uses    []account.Use
		err     error
		want    fault.Kind
		changed []account.Change
	}{
		{name: "turn fails", err: oops, want: fault.Internal},
		{name: "unknown key", uses: []account.Use{use(org.ID, keys[0].ID, created, 5), use(org.ID, id("key_", 8), created, 5)}, want: fault.NotFound},
		{name: "less than nothing", uses: []account.Use{use(org.ID, keys[0].ID, created, -5)}, want: fault.Internal},
		{name: "no book", uses: []account.Use{use(other.ID, theirs.ID, created, 5)}, want: fault.Internal},
	} {
		err := s.Post(ctx, account.Opening{Orgs: []string{org.ID}}, func(now time.Time, books map[string]*ledger.Book) (account.Posting, error) {
			b := books[org.ID]
			b.Grant(ledger.Lot{Kind: ledger.Promo, Source: tt.name, Granted: 7})
			_, err := b.Advance("hold_"+tt.name, keys[0].ID, 10, 10, now.Add(lease))
			check(t, "Advance", err)
			return account.Posting{Uses: tt.uses}, tt.err
		})
		wantKind(t, tt.name, err, tt.want)
		if tt.err != nil && !errors.Is(err, tt.err) {
			t.Errorf("%s: error = %v, want the turn's", tt.name, err)
		}
	}
	if bal := book(t, s, org.ID).Balance(); bal.Granted != 10_000 || bal.Remaining != 10_000 {
		t.Errorf("balance after refused postings = %+v, want only the plan's", bal)
	}
	got, err := s.Usage(ctx, org.ID, "2026-02")
	if err != nil || len(got) != 0 {
		t.Errorf("Usage after refused postings = %v, %v, want none", got, err)
	}
	if a := sound(t, s); a.Lots != 0 || a.OpenHolds != 0 {
		t.Errorf("Audit = %+v, want nothing", a)
	}
}

func testPostWithoutBook(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	ran := false
	err := s.Post(ctx, account.Opening{Orgs: []string{id("org_", 9)}, Holds: []string{"hold_9"}, Keys: []string{id("key_", 9)}},
		func(now time.Time, books map[string]*ledger.Book) (account.Posting, error) {
			ran = true
			if len(books) != 0 || time.Since(now).Abs() > time.Minute {
				t.Errorf("books = %v at %v, want none now", books, now)
			}
			return account.Posting{}, nil
		})
	check(t, "Post", err)
	if !ran {
		t.Error("the turn was not run")
	}
	_, _, err = s.Book(ctx, id("org_", 9))
	wantKind(t, "Book of nobody", err, fault.NotFound)
}

func testSourceTwice(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, _ := metered(t, s, 1)
	grant := func(_ time.Time, books map[string]*ledger.Book) (account.Posting, error) {
		books[org.ID].Grant(ledger.Lot{Kind: ledger.Purchase, Source: "invoice 7", Granted: 100})
		return account.Posting{}, nil
	}
	opening := account.Opening{Orgs: []string{org.ID}}
	check(t, "Post", s.Post(ctx, opening, grant))
	wantKind(t, "a source that is there", s.Post(ctx, opening, grant), fault.Conflict)
	wantRemaining(t, s, org.ID, 10_100)
	sound(t, s)
}

func testPostParallel(t *testing.T, o Opened) {
	s := o.Accounts
	const writers, writes = 8, 6
	org, keys := metered(t, s, 2)
	stores := []account.Store{s}
	if o.Again != nil {
		stores = append(stores, o.Again(t))
	}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			s, k := stores[w%len(stores)], keys[w/2%2].ID
			for i := range writes {
				hold := fmt.Sprintf("hold_%d_%d", w, i)
				advance(t, s, org.ID, k, hold, 20)
				charge(t, s, org.ID, k, hold, 7)
			}
		})
	}
	wg.Wait()
	const n = writers * writes
	wantRemaining(t, s, org.ID, 10_000-7*n)
	if a := sound(t, s); a.Charged != 7*n || a.OpenHolds != 0 {
		t.Errorf("Audit = %+v, want %d charged, none open", a, 7*n)
	}
	now := time.Now()
	got, err := s.Usage(t.Context(), org.ID, ledger.PeriodOf(now))
	check(t, "Usage", err)
	for _, u := range got {
		if u.Requests != n/2 || u.Characters != 7*n/2 || u.Audio != n/2*5*time.Millisecond {
			t.Errorf("usage = %+v, want %d requests of 7 characters", u, n/2)
		}
	}
}

func testCappedKey(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org := organisation(1) // its plan has no bound, so only the cap of the key refuses
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, org))
	k := key(1, org.ID)
	k.MonthlyCap = 100
	check(t, "CreateKey", s.CreateKey(ctx, k))
	advance(t, s, org.ID, k.ID, "hold_1", 60)
	charge(t, s, org.ID, k.ID, "hold_1", 50)
	advance(t, s, org.ID, k.ID, "hold_2", 30)
	for n, want := range map[int64]fault.Kind{20: "", 21: fault.QuotaExceeded} {
		err := s.Post(ctx, account.Opening{Orgs: []string{org.ID}, Keys: []string{k.ID}},
			func(now time.Time, books map[string]*ledger.Book) (account.Posting, error) {
				_, err := books[org.ID].Advance("hold_3", k.ID, n, n, now.Add(lease))
				return account.Posting{}, errors.Join(err, errDropped)
			})
		if want == "" && !errors.Is(err, errDropped) || want != "" && fault.KindOf(err) != want {
			t.Errorf("reserving %d of 20 that are left of the cap: %v", n, err)
		}
	}
	sound(t, s)
}

// errDropped ends a turn whose changes must not be written.
var errDropped = errors.New("dropped")

func testPostTerms(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, _ := metered(t, s, 1)
	all, err := s.Plans(ctx)
	check(t, "Plans", err)
	plans := map[string]ledger.Plan{}
	for _, p := range all {
		plans[p.ID] = p
	}
	for _, terms := range []ledger.Terms{
		{Mode: ledger.Lots, Plan: "starter"}, subscribed(), {Mode: ledger.Wallet, Plan: "unlimited"},
	} {
		post(t, s, org.ID, func(_ time.Time, b *ledger.Book) account.Posting {
			b.SetTerms(terms, plans)
			return account.Posting{}
		})
		got, err := s.Organisation(ctx, org.ID)
		check(t, "Organisation", err)
		same(t, "terms", got.Terms, terms)
		same(t, "terms of the book", book(t, s, org.ID).Terms(), terms)
	}
	sound(t, s)
}

func testLapsedHolds(t *testing.T, o Opened) {
	s := o.Accounts
	org, keys := metered(t, s, 1)
	postTo(t, s, account.Opening{Orgs: []string{org.ID}, Keys: []string{keys[0].ID}}, func(now time.Time, b *ledger.Book) account.Posting {
		for _, hold := range []string{"hold_1", "hold_2"} {
			if _, err := b.Advance(hold, keys[0].ID, 100, 100, now); err != nil { // lapses at once
				t.Errorf("Advance: %v", err)
			}
		}
		return account.Posting{}
	})
	wantRemaining(t, s, org.ID, 10_000)
	if a := sound(t, s); a.OpenHolds != 2 {
		t.Errorf("Audit counts %d open holds, want 2: reading keeps no changes", a.OpenHolds)
	}
	post(t, s, org.ID, func(time.Time, *ledger.Book) account.Posting { return account.Posting{} })
	if a := sound(t, s); a.OpenHolds != 0 {
		t.Errorf("Audit counts %d open holds after a posting, want none", a.OpenHolds)
	}
	same(t, "late settlement", charge(t, s, org.ID, keys[0].ID, "hold_2", 40), ledger.Settlement{Charged: 40})
	wantRemaining(t, s, org.ID, 9_960)
	sound(t, s)
}

// testAdvances has two processes take characters ahead: each posting sees what the other has
// ahead, and a reader counts it to the balance.
func testAdvances(t *testing.T, o Opened) {
	s := o.Accounts
	org, keys := metered(t, s, 1)
	k := keys[0].ID
	for i, hold := range []string{"hold_a", "hold_b"} {
		opening := account.Opening{Orgs: []string{org.ID}, Holds: []string{hold}, Keys: []string{k}}
		postTo(t, s, opening, func(now time.Time, b *ledger.Book) account.Posting {
			if got := b.Elsewhere(map[string]int64{hold: 0}, ""); got != int64(i)*100 {
				t.Errorf("%s sees %d characters ahead elsewhere, want %d", hold, got, i*100)
			}
			kept, err := b.Advance(hold, k, 50, 50, now.Add(lease))
			if !kept || err != nil {
				t.Errorf("Advance = %v, %v", kept, err)
			}
			b.Lead(hold, 50, 100, 1, now.Add(lease))
			return account.Posting{}
		})
	}
	wantRemaining(t, s, org.ID, 9_700)
	if a := sound(t, s); a.OpenHolds != 2 || a.Advances != 2 || a.HeldChars != 100 {
		t.Errorf("Audit = %+v, want 2 advances of which 100 characters are in use", a)
	}
	b := book(t, s, org.ID)
	b.Recall(map[string]int64{"hold_a": 20})
	if got := b.Balance().Remaining; got != 9_700+130+100 {
		t.Errorf("the balance with what is ahead is %d, want %d", got, 9_700+130+100)
	}
	opening := account.Opening{Orgs: []string{org.ID}, Holds: []string{"hold_1"}, Keys: []string{k}}
	postTo(t, s, opening, func(now time.Time, b *ledger.Book) account.Posting {
		got, err := b.Spend("hold_a", "hold_1", k, 30, now)
		check(t, "Spend", err)
		same(t, "settlement", got, ledger.Settlement{Charged: 30})
		b.Release("hold_b")
		return account.Posting{Uses: []account.Use{use(org.ID, k, now, 30)}}
	})
	wantRemaining(t, s, org.ID, 9_850)
	if a := sound(t, s); a.OpenHolds != 1 || a.Advances != 1 || a.HeldChars != 20 || a.Charged != 30 {
		t.Errorf("Audit = %+v, want an advance of which 20 are in use, and 30 charged", a)
	}
}

func testOverdue(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	orgs := make([]string, 4)
	for i := range orgs {
		org := organisation(i + 1)
		org.Terms.Plan = "free"
		if i == 3 {
			sub := ledger.Subscribe("growth", created)
			sub.FallsBackTo = "free"
			org.Terms.Subscription = &sub
		}
		check(t, "CreateOrganisation", s.CreateOrganisation(ctx, org))
		check(t, "CreateKey", s.CreateKey(ctx, key(i+1, org.ID)))
		orgs[i] = org.ID
	}
	post(t, s, orgs[1], func(now time.Time, b *ledger.Book) account.Posting {
		_, err := b.Advance("hold_1", id("key_", 2), 1, 1, now)
		check(t, "Advance", err)
		return account.Posting{}
	})
	post(t, s, orgs[2], func(now time.Time, b *ledger.Book) account.Posting {
		b.Grant(ledger.Lot{Kind: ledger.Promo, Source: "past", Granted: 5, Expires: now})
		return account.Posting{}
	})
	got, err := s.Overdue(ctx, 10)
	check(t, "Overdue", err)
	same(t, "Overdue", got, orgs[1:])
	got, err = s.Overdue(ctx, 2)
	check(t, "Overdue", err)
	same(t, "Overdue, two at most", got, orgs[1:3])
	for _, id := range orgs {
		post(t, s, id, func(time.Time, *ledger.Book) account.Posting { return account.Posting{} })
	}
	got, err = s.Overdue(ctx, 10)
	if err != nil || len(got) != 0 {
		t.Errorf("Overdue after all were rolled = %v, %v, want none", got, err)
	}
	sound(t, s)
}

func testPruneHolds(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org, keys := metered(t, s, 1)
	for _, hold := range []string{"hold_1", "hold_2", "hold_3"} {
		advance(t, s, org.ID, keys[0].ID, hold, 10)
	}
	charge(t, s, org.ID, keys[0].ID, "hold_1", 10)
	charge(t, s, org.ID, keys[0].ID, "hold_2", 10)
	for _, tt := range []struct {
		before time.Time
		want   int
	}{{time.Now().Add(-time.Hour), 0}, {time.Now().Add(time.Hour), 2}, {time.Now().Add(time.Hour), 0}} {
		if n, err := s.PruneHolds(ctx, tt.before); n != tt.want || err != nil {
			t.Errorf("PruneHolds(%v) = %d, %v, want %d", tt.before, n, err, tt.want)
		}
	}
	charge(t, s, org.ID, keys[0].ID, "hold_3", 10)
	wantRemaining(t, s, org.ID, 10_000-30)
}

func testBook(t *testing.T, o Opened) {
	s := o.Accounts
	org, keys := metered(t, s, 1)
	advance(t, s, org.ID, keys[0].ID, "hold_1", 10_000)
	charge(t, s, org.ID, keys[0].ID, "hold_1", 10_000)
	bal := book(t, s, org.ID).Balance()
	if bal.Remaining != 0 || bal.Granted != 10_000 || len(bal.Lots) != 0 {
		t.Errorf("balance = %+v, want 0 of 10000", bal)
	}
	post(t, s, org.ID, func(now time.Time, b *ledger.Book) account.Posting {
		b.Grant(ledger.Lot{Kind: ledger.Promo, Source: "past", Granted: 5, Expires: now})
		b.Grant(ledger.Lot{Kind: ledger.Promo, Source: "for ever", Granted: 6})
		return account.Posting{}
	})
	bal = book(t, s, org.ID).Balance()
	if bal.Remaining != 6 || bal.Granted != 10_006 {
		t.Errorf("balance = %+v, want 6 of 10006", bal)
	}
	sound(t, s)
}

func testAudit(t *testing.T, o Opened) {
	s := o.Accounts
	org, keys := metered(t, s, 1)
	post(t, s, org.ID, func(now time.Time, b *ledger.Book) account.Posting {
		return account.Posting{Uses: []account.Use{use(org.ID, keys[0].ID, now, 11)}} // which no entry of the journal accounts for
	})
	a, err := s.Audit(t.Context())
	check(t, "Audit", err)
	if len(a.Faults) != 2 {
		t.Errorf("Audit = %+v, want two faults: what the journal says, and the charges of the day", a)
	}
}

// testCount counts uses on a plan without a bound. A second count with the same id is
// recognised until its hold is pruned.
func testCount(t *testing.T, o Opened) {
	ctx, s := t.Context(), o.Accounts
	org := organisation(1) // on a plan without a bound
	check(t, "CreateOrganisation", s.CreateOrganisation(ctx, org))
	k := key(1, org.ID)
	check(t, "CreateKey", s.CreateKey(ctx, k))
	count := func(hold string, n int64) (paid ledger.Settlement) {
		t.Helper()
		opening := account.Opening{Orgs: []string{org.ID}, Holds: []string{hold}, Keys: []string{k.ID}}
		postTo(t, s, opening, func(now time.Time, b *ledger.Book) account.Posting {
			var err error
			if paid, err = b.Count(hold, k.ID, n, now); err != nil {
				t.Errorf("Count(%s): %v", hold, err)
			}
			if paid.Again {
				return account.Posting{}
			}
			return account.Posting{Uses: []account.Use{use(org.ID, k.ID, now, n)}}
		})
		return paid
	}
	same(t, "first", count("hold_1", 7), ledger.Settlement{Unmetered: 7})
	same(t, "again", count("hold_1", 7), ledger.Settlement{Again: true})
	same(t, "another", count("hold_2", 0), ledger.Settlement{})
	got, err := s.Usage(ctx, org.ID, ledger.PeriodOf(time.Now()))
	check(t, "Usage", err)
	if len(got) != 1 || got[0].Requests != 2 || got[0].Characters != 7 {
		t.Errorf("Usage = %+v, want 2 requests of 7 characters", got)
	}
	sound(t, s)
	n, err := s.PruneHolds(ctx, time.Now().Add(time.Hour))
	if n != 2 || err != nil {
		t.Errorf("PruneHolds = %d, %v, want 2", n, err)
	}
}

// testChargeUnkept charges without a hold, for a use of the day before. The balance pays as
// far as it suffices, and the charge counts on the day of the use.
func testChargeUnkept(t *testing.T, o Opened) {
	s := o.Accounts
	org, keys := metered(t, s, 1)
	charge := func(hold string, n int64) (paid ledger.Settlement) {
		t.Helper()
		opening := account.Opening{Orgs: []string{org.ID}, Holds: []string{hold}, Keys: []string{keys[0].ID}}
		postTo(t, s, opening, func(now time.Time, b *ledger.Book) account.Posting {
			at := now.AddDate(0, 0, -1)
			var err error
			if paid, err = b.Charge(hold, keys[0].ID, n, at); err != nil {
				t.Errorf("Charge(%s): %v", hold, err)
			}
			if paid.Again {
				return account.Posting{}
			}
			return account.Posting{Uses: []account.Use{use(org.ID, keys[0].ID, at, n)}}
		})
		return paid
	}
	same(t, "what there is", charge("hold_1", 9_000), ledger.Settlement{Charged: 9_000})
	same(t, "again", charge("hold_1", 9_000), ledger.Settlement{Again: true})
	same(t, "more than there is", charge("hold_2", 1_500), ledger.Settlement{Charged: 1_000, WrittenOff: 500})
	wantRemaining(t, s, org.ID, 0)
	if a := sound(t, s); a.Charged != 10_000 || a.WrittenOff != 500 {
		t.Errorf("Audit = %+v, want 10000 charged and 500 written off", a)
	}
}

// testAuditCharges counts a request without a charge. All sums agree with each other, and
// only the comparison with the charges of the day shows the fault.
func testAuditCharges(t *testing.T, o Opened) {
	s := o.Accounts
	org, keys := metered(t, s, 1)
	advance(t, s, org.ID, keys[0].ID, "hold_1", 300)
	charge(t, s, org.ID, keys[0].ID, "hold_1", 120)
	sound(t, s)
	post(t, s, org.ID, func(now time.Time, b *ledger.Book) account.Posting {
		return account.Posting{Uses: []account.Use{use(org.ID, keys[0].ID, now, 0)}} // one request more
	})
	a, err := s.Audit(t.Context())
	check(t, "Audit", err)
	if len(a.Faults) != 1 || !strings.Contains(a.Faults[0], "in 2 requests, but was charged 120 in 1") {
		t.Errorf("Audit = %+v, want a fault of the charges", a)
	}
}
