package ledger_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var day = utc("2027-03-15T12:00:00")

// book is a book with lots of 10 that expire after so many days; 0 is never.
func book(plan int64, mode ledger.Mode, expiries ...int) ledger.Record {
	r := ledger.Record{
		OrgID: "org", Terms: ledger.Terms{Mode: mode, Plan: "p"},
		Plans: map[string]ledger.Plan{"p": {ID: "p", MonthlyCharacters: plan}},
	}
	for i, days := range expiries {
		l := ledger.Lot{ID: fmt.Sprint("lot", i), Kind: ledger.Purchase, Created: day, Granted: 10, Remaining: 10}
		if days > 0 {
			l.Expires = day.AddDate(0, 0, days)
		}
		r.Lots = append(r.Lots, l)
	}
	return r
}

// reopen returns the record after a book was changed.
func reopen(r ledger.Record, b *ledger.Book) ledger.Record {
	c := b.Changes()
	for _, l := range c.Lots {
		if i := slices.IndexFunc(r.Lots, func(o ledger.Lot) bool { return o.ID == l.ID }); i >= 0 {
			r.Lots[i] = l
		} else {
			r.Lots = append(r.Lots, l)
		}
	}
	for _, h := range c.Holds {
		r.Holds = slices.DeleteFunc(r.Holds, func(o ledger.Hold) bool { return o.ID == h.ID })
		r.Holds = append(r.Holds, h)
	}
	if c.Month != nil {
		r.Month = *c.Month
	}
	if c.Terms != nil {
		r.Terms = *c.Terms
	}
	return r
}

// TestSoonestFirst spends and refunds 10,000 random sets of lots: characters
// leave in the order of their expiry, and come back in the other.
func TestSoonestFirst(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10_000) {
		random := rand.New(rand.NewPCG(seed, 1))
		expiries := make([]int, 1+random.IntN(6))
		for i := range expiries {
			expiries[i] = random.IntN(5)
		}
		total := int64(10 * len(expiries))
		take := random.Int64N(total + 1)
		spend := random.Int64N(take + 1)
		b := ledger.Open(book(0, ledger.Lots, expiries...), day)
		if _, err := b.Advance("h", "k", take, take, day.Add(time.Hour)); err != nil {
			t.Fatalf("seed %d: Advance(%d) of %d: %v", seed, take, total, err)
		}
		if got, err := b.Charge("h", "k", spend, day); err != nil || got != (ledger.Settlement{Charged: spend}) {
			t.Fatalf("seed %d: Charge(%d) = %+v, %v", seed, spend, got, err)
		}
		got := map[int]int64{} // charged, by expiry
		for _, l := range b.Changes().Lots {
			got[place(l.Expires)] += l.Charged
		}
		slices.SortFunc(expiries, func(a, b int) int { return order(a) - order(b) })
		want, rest := map[int]int64{}, spend
		for _, e := range expiries {
			part := min(rest, 10)
			rest -= part
			want[e] += part
		}
		for e, n := range want {
			if got[e] != n {
				t.Fatalf("seed %d: %d of %v charged %v by day, want %v", seed, spend, expiries, got, want)
			}
		}
	}
}

// order puts never last.
func order(days int) int {
	if days == 0 {
		return math.MaxInt32
	}
	return days
}

func place(expires time.Time) int {
	if expires.IsZero() {
		return 0
	}
	return int(expires.Sub(day).Hours() / 24)
}

// TestRefundOfExpired lets a lot expire while characters of it are held. These can still be charged.
// Those that are released expire with the lot.
func TestRefundOfExpired(t *testing.T) {
	t.Parallel()
	r := book(0, ledger.Lots, 1, 0)
	b := ledger.Open(r, day)
	if _, err := b.Advance("h", "k", 15, 15, day.AddDate(0, 0, 3)); err != nil {
		t.Fatal(err)
	}
	r = reopen(r, b)
	for _, tt := range []struct {
		spend           int64
		remaining, lost int64
	}{
		{15, 5, 0}, {12, 8, 0}, {10, 10, 0}, {7, 10, 3}, {0, 10, 10},
	} {
		b := ledger.Open(r, day.AddDate(0, 0, 2))
		if got, err := b.Charge("h", "k", tt.spend, day); err != nil || got.Charged != tt.spend {
			t.Errorf("Charge(%d) = %+v, %v, want all charged", tt.spend, got, err)
		}
		var lost int64
		for _, e := range b.Changes().Entries {
			if e.Kind == ledger.Expired {
				lost += e.Amount
			}
		}
		if got := b.Balance().Remaining; got != tt.remaining || lost != tt.lost {
			t.Errorf("after Charge(%d) %d remain and %d are lost, want %d and %d", tt.spend, got, lost, tt.remaining, tt.lost)
		}
	}
}

// TestLateCharge charges after a lapse.
func TestLateCharge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		spentByOther int64
		want         ledger.Settlement
	}{
		{"nobody took them", 0, ledger.Settlement{Charged: 8}},
		{"some are gone", 5, ledger.Settlement{Charged: 5, WrittenOff: 3}},
		{"all are gone", 10, ledger.Settlement{WrittenOff: 8}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := book(0, ledger.Lots, 0)
			r.Keys = []ledger.KeyMonth{{KeyID: "k", Cap: 100}}
			b := ledger.Open(r, day)
			if _, err := b.Advance("h", "k", 10, 10, day.Add(time.Second)); err != nil {
				t.Fatal(err)
			}
			r = reopen(r, b)
			r.Keys[0].Held = 10
			b = ledger.Open(r, day.Add(time.Second)) // at the instant of the lease: lapsed
			if got := b.Balance().Remaining; got != 10 {
				t.Fatalf("balance after the lapse = %d, want 10", got)
			}
			if _, err := b.Advance("other", "o", tt.spentByOther, tt.spentByOther, day.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			got, err := b.Charge("h", "k", 8, day)
			if err != nil || got != tt.want {
				t.Errorf("Charge = %+v, %v, want %+v", got, err, tt.want)
			}
			if got, err := b.Charge("h", "k", 8, day); err != nil || got != (ledger.Settlement{Again: true}) {
				t.Errorf("second Charge = %+v, %v, want nothing again", got, err)
			}
			// The key has spent 8 and holds nothing: 92 are left of its cap.
			b.Grant(ledger.Lot{Kind: ledger.Promo, Source: "enough", Granted: 1000})
			if _, err := b.Advance("rest", "k", 93, 93, day.Add(time.Hour)); fault.KindOf(err) != fault.QuotaExceeded {
				t.Errorf("Advance over the cap = %v", err)
			}
			if _, err := b.Advance("rest", "k", 92, 92, day.Add(time.Hour)); err != nil {
				t.Errorf("Advance of the rest of the cap: %v", err)
			}
		})
	}
}

// TestModes is what a month of each mode brings.
func TestModes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode ledger.Mode
		now  int64 // balance, with a lot of 10 beside
		then int64 // a month later
	}{
		{ledger.Lots, 110, 110},
		{ledger.Allowance, 110, 110},
		{ledger.Wallet, 10, 10},
	} {
		r := book(100, tt.mode, 0)
		b := ledger.Open(r, day)
		if got := b.Balance().Remaining; got != tt.now {
			t.Errorf("%s: balance = %d, want %d", tt.mode, got, tt.now)
		}
		b = ledger.Open(reopen(r, b), ledger.NextMonth(day))
		if got := b.Balance().Remaining; got != tt.then {
			t.Errorf("%s: balance a month later = %d, want %d", tt.mode, got, tt.then)
		}
	}
}

// TestPlanChanges changes to larger and smaller plans in one month. The month grants what the
// largest of them grants.
func TestPlanChanges(t *testing.T) {
	t.Parallel()
	plans := map[string]ledger.Plan{}
	for id, n := range testPlans {
		plans[id] = ledger.Plan{ID: id, MonthlyCharacters: n}
	}
	r := ledger.Record{OrgID: "org", Terms: ledger.Terms{Mode: ledger.Lots, Plan: "free"}, Plans: plans}
	seen := map[string]bool{}
	for _, tt := range []struct {
		plan string
		want int64
	}{{"free", 10}, {"starter", 40}, {"free", 40}, {"starter", 40}, {"unlimited", -1}, {"none", 40}, {"growth", 200}, {"unheard-of", 200}} {
		b := ledger.Open(r, day)
		b.SetTerms(ledger.Terms{Mode: ledger.Lots, Plan: tt.plan}, plans)
		if got := b.Balance().Remaining; got != tt.want {
			t.Errorf("balance on %s = %d, want %d", tt.plan, got, tt.want)
		}
		for _, e := range b.Changes().Entries {
			if seen[e.LotID] {
				t.Errorf("on %s lot %s is granted again", tt.plan, e.LotID)
			}
			seen[e.LotID] = true
		}
		r = reopen(r, b)
	}
}

// TestClockBack sets the clock back over the end of a month: nothing is granted
// twice, neither then nor when the month comes again.
func TestClockBack(t *testing.T) {
	t.Parallel()
	r := book(100, ledger.Lots)
	april := utc("2027-04-01T00:00:00")
	seen := map[string]bool{}
	for _, now := range []time.Time{april, april.Add(-time.Microsecond), april.Add(time.Second), april.AddDate(0, -1, 0), april.AddDate(0, 0, 3)} {
		b := ledger.Open(r, now)
		for _, e := range b.Changes().Entries {
			if seen[e.LotID] && e.Kind == ledger.Granted {
				t.Errorf("%v: lot %s is granted again", now, e.LotID)
			}
			seen[e.LotID] = true
		}
		r = reopen(r, b)
	}
	if len(seen) != 1 {
		t.Errorf("%d lots were granted, want April's", len(seen))
	}
}

// TestKeyCap checks caps on plans with and without a bound.
func TestKeyCap(t *testing.T) {
	t.Parallel()
	for _, plan := range []int64{-1, 1000} {
		r := book(plan, ledger.Lots)
		r.Keys = []ledger.KeyMonth{{KeyID: "k", Cap: 50, Spent: 20, Held: 10}}
		b := ledger.Open(r, day)
		lease := day.Add(time.Minute)
		for _, n := range []int64{21, 1000, math.MaxInt64, math.MaxInt64 - 25} {
			if _, err := b.Advance("too much", "k", n, n, lease); err == nil {
				t.Errorf("plan %d: Advance(%d) with 20 left of the cap: no error", plan, n)
			}
		}
		if kept, err := b.Advance("h", "k", 20, 20, lease); err != nil || !kept {
			t.Errorf("plan %d: Advance(20) = %v, %v, want it kept", plan, kept, err)
		}
		if _, err := b.Advance("h", "k", 21, 1, lease); fault.KindOf(err) != fault.QuotaExceeded {
			t.Errorf("plan %d: Advance to one over the cap = %v", plan, err)
		}
		want := ledger.Settlement{Charged: 5}
		if plan < 0 {
			want = ledger.Settlement{Unmetered: 5}
		}
		if got, err := b.Charge("h", "k", 5, day); err != nil || got != want {
			t.Errorf("plan %d: Charge = %+v, %v, want %+v", plan, got, err, want)
		}
		if _, err := b.Advance("after", "k", 16, 16, lease); fault.KindOf(err) != fault.QuotaExceeded {
			t.Errorf("plan %d: Advance(16) with 15 left = %v", plan, err)
		}
		if kept, err := b.Advance("free", "uncapped", 5, 5, lease); err != nil || kept != (plan >= 0) {
			t.Errorf("plan %d: Advance without a cap = %v, %v", plan, kept, err)
		}
	}
}

// TestOddAmounts checks that amounts which no caller should send change nothing.
func TestOddAmounts(t *testing.T) {
	t.Parallel()
	r := book(0, ledger.Lots, 0)
	b := ledger.Open(r, day)
	if _, err := b.Advance("h", "k", 5, 5, day.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{-1, math.MinInt64, math.MaxInt64, math.MaxInt64 - 4} {
		if _, err := b.Advance("h", "k", n, n, day.Add(time.Minute)); err == nil && n > 0 {
			t.Errorf("Advance(%d): no error", n)
		}
		if _, err := b.Charge("h", "k", n, day); err == nil {
			t.Errorf("Charge(%d): no error", n)
		}
		if _, err := b.Spend("h", "odd", "k", n, day); err == nil {
			t.Errorf("Spend(%d): no error", n)
		}
	}
	if _, err := b.Charge("spent", "k", 0, day); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Advance("spent", "k", 1, 1, day.Add(time.Minute)); err == nil {
		t.Error("an advance under the id of a charge: no error")
	}
	if got := b.Balance().Remaining; got != 5 {
		t.Errorf("balance = %d, want 5", got)
	}
}

// TestRecordStays opens one record twice: what the first book does must not
// show in the second, as when a posting runs again.
func TestRecordStays(t *testing.T) {
	t.Parallel()
	r := book(0, ledger.Lots, 0)
	b := ledger.Open(r, day)
	if _, err := b.Advance("h", "k", 3, 3, day.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	r = reopen(r, b)
	before := fmt.Sprintf("%+v", r)
	first := ledger.Open(r, day)
	if _, err := first.Advance("h", "k", 7, 4, day.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	changes := first.Changes()
	kept := fmt.Sprintf("%+v", changes.Holds)
	if _, err := first.Advance("h", "k", 8, 1, day.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%+v", r); got != before {
		t.Errorf("the record changed:\n%s\nwas\n%s", got, before)
	}
	if got := fmt.Sprintf("%+v", changes.Holds); got != kept {
		t.Errorf("changes that were taken changed:\n%s\nwere\n%s", got, kept)
	}
}

// TestAdvanceRefused leaves an advance as it was.
func TestAdvanceRefused(t *testing.T) {
	t.Parallel()
	r := book(0, ledger.Lots, 0)
	b := ledger.Open(r, day)
	if _, err := b.Advance("h", "k", 6, 6, day.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	before := b.Changes().Holds
	if _, err := b.Advance("h", "k", 11, 5, day.Add(time.Hour)); fault.KindOf(err) != fault.QuotaExceeded {
		t.Errorf("Advance over the balance = %v", err)
	}
	if d := cmp.Diff(before, b.Changes().Holds); d != "" {
		t.Errorf("the advance changed: -before +after\n%s", d)
	}
	if _, err := b.Advance("h", "k", 10, 4, day.Add(time.Hour)); err != nil {
		t.Errorf("Advance by what is left: %v", err)
	}
}

// TestCount sums what was spoken without holds into one entry, each use once.
func TestCount(t *testing.T) {
	t.Parallel()
	b := ledger.Open(book(-1, ledger.Lots), day)
	for _, tt := range []struct {
		id   string
		n    int64
		want ledger.Settlement
	}{{"a", 3, ledger.Settlement{Unmetered: 3}}, {"b", 4, ledger.Settlement{Unmetered: 4}}, {"a", 3, ledger.Settlement{Again: true}}} {
		if got, err := b.Count(tt.id, "k", tt.n, day); err != nil || got != tt.want {
			t.Errorf("Count(%s, %d) = %+v, %v, want %+v", tt.id, tt.n, got, err, tt.want)
		}
	}
	if _, err := b.Count("c", "k", -1, day); err == nil {
		t.Error("Count(-1): no error")
	}
	want := []ledger.Entry{{Kind: ledger.Unmetered, Amount: 7, At: day}}
	if d := cmp.Diff(want, b.Changes().Entries); d != "" {
		t.Errorf("entries: -want +got\n%s", d)
	}
}

// FuzzBook does arbitrary things with arbitrary amounts: nothing panics, and
// every lot stays sound.
func FuzzBook(f *testing.F) {
	f.Add([]byte("0123456789 a seed of some operations 0123456789"))
	f.Add([]byte{0, 255, 255, 255, 255, 255, 255, 255, 127, 1, 0, 0, 0, 0, 0, 0, 0, 128, 3, 5, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		r, now := book(50, ledger.Lots, 1, 0, 40), day
		for len(ops) >= 9 {
			op, n := ops[0], int64(binary.LittleEndian.Uint64(ops[1:]))
			ops = ops[9:]
			id := fmt.Sprint("h", op>>5)
			now = now.Add(time.Duration(op&7)*11*time.Second).AddDate(0, 0, int(op>>7)*17)
			b := ledger.Open(r, now)
			arbitrary(b, op>>2&7, id, n, now)
			r = reopen(r, b)
			for _, l := range r.Lots {
				if !l.Sound() {
					t.Fatalf("lot %+v is not sound", l)
				}
			}
			if bal := ledger.Open(r, now).Balance(); bal.Remaining < ledger.Unlimited {
				t.Fatalf("Balance = %+v", bal)
			}
		}
	})
}

func arbitrary(b *ledger.Book, op byte, id string, n int64, now time.Time) {
	lease := now.Add(30 * time.Second)
	switch op {
	case 0, 1:
		_, _ = b.Advance(id, "k", n%100, n%100, lease) // only that nothing breaks
	case 2:
		_, _ = b.Advance(id, "k", n, n, lease)
	case 3:
		b.Lead(id, n%60, n%20, 1+n&3, lease)
	case 4:
		_, _ = b.Spend(id, fmt.Sprint("of ", id, now.Unix()), "k", n%60, now)
	case 5:
		b.Release(id)
	case 6:
		b.SetTerms(ledger.Terms{Mode: ledger.Modes()[uint64(n)%3], Plan: "q"}, map[string]ledger.Plan{"q": {ID: "q", MonthlyCharacters: n%1000 - 1}})
	default:
		_, _ = b.Charge(id, "k", n, now)
	}
}
