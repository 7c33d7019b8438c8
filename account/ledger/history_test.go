package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vaak/account/ledger"
	"vaak/internal/fault"
)

var testPlans = map[string]int64{"free": 10, "starter": 40, "growth": 200, "unlimited": -1, "none": 0}

func newModel(mode ledger.Mode, plan string, at time.Time) (*model, *kept) {
	m := &model{
		mode: mode, plan: plan, monthly: testPlans, holds: map[string]*modelHold{}, caps: map[string]int64{"capped": 60},
		spent: map[string]map[string]int64{}, given: map[string]int64{},
	}
	k := &kept{
		terms: ledger.Terms{Mode: mode, Plan: plan}, plans: map[string]ledger.Plan{},
		lots: map[string]ledger.Lot{}, holds: map[string]ledger.Hold{},
	}
	for id, n := range testPlans {
		k.plans[id] = ledger.Plan{ID: id, MonthlyCharacters: n}
	}
	m.advance(at)
	return m, k
}

// step does one thing, drawn at random, to both.
func step(t *rapid.T, m *model, k *kept, n int) {
	some := rapid.Int64Range(0, 80)
	to := m.now
	switch rapid.IntRange(0, 9).Draw(t, "time") {
	case 0:
		to = to.Add(time.Duration(rapid.IntRange(1, 45*24).Draw(t, "hours")) * time.Hour)
	case 1:
		to = ledger.NextMonth(to).Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "µs")) * time.Microsecond)
	case 2, 3, 4:
		to = to.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "seconds")) * time.Second)
	}
	if to.Before(m.now) {
		to = m.now
	}
	m.advance(to)
	lease := to.Add(30 * time.Second)
	id := fmt.Sprint("hold", n)
	switch what := rapid.IntRange(0, 13).Draw(t, "what"); what {
	case 0, 1:
		key, amount := rapid.SampledFrom([]string{"capped", "other"}).Draw(t, "key"), some.Draw(t, "n")
		m.spend("", id, key, amount)
		b := k.open(m, false)
		charged(t, b.Charge, id, key, amount, m.now)
		k.keep(b.Changes())
	case 2, 3:
		var expires time.Time
		if rapid.Bool().Draw(t, "expires") {
			expires = to.Add(time.Duration(rapid.IntRange(1, 100).Draw(t, "days")) * 12 * time.Hour)
		}
		amount := rapid.Int64Range(1, 60).Draw(t, "n")
		m.grant(id, amount, expires)
		b := k.open(m, false)
		b.Grant(ledger.Lot{Kind: ledger.Purchase, Source: id, Granted: amount, Expires: expires})
		k.keep(b.Changes())
	case 4, 5:
		stepTerms(t, m, k)
	case 6:
		k.keep(k.open(m, false).Changes())
		for _, id := range m.ids() {
			if m.holds[id].advance && rapid.Bool().Draw(t, "release") {
				m.release(id)
				b := k.open(m, false, id)
				b.Release(id)
				k.keep(b.Changes())
			}
		}
	case 7, 8, 9, 10, 11:
		stepAdvance(t, m, k, id, what, some.Draw(t, "n"), lease)
	default: // somebody looks, and the book rolls
		k.keep(k.open(m, false).Changes())
	}
}

// charged charges n characters twice, of which the second time does nothing.
func charged(t *rapid.T, charge func(id, key string, n int64, at time.Time) (ledger.Settlement, error), id, key string, n int64, at time.Time) {
	if got, err := charge(id, key, n, at); err != nil || got.Charged+got.Unmetered+got.WrittenOff != n {
		t.Fatalf("a charge of %d is %+v, %v", n, got, err)
	}
	if again, err := charge(id, key, n, at); err != nil || again != (ledger.Settlement{Again: true}) {
		t.Fatalf("the same charge again is %+v, %v", again, err)
	}
}

// stepAdvance does one thing to an advance, or makes one under id.
func stepAdvance(t *rapid.T, m *model, k *kept, id string, what int, n int64, lease time.Time) {
	key, advance := rapid.SampledFrom([]string{"capped", "other"}).Draw(t, "key"), id
	var open []string
	for _, id := range m.ids() {
		if h := m.holds[id]; h.advance && (h.state == ledger.Held || h.state == ledger.Lapsed) {
			open = append(open, id)
		}
	}
	if len(open) > 0 && (what > 7 || rapid.Bool().Draw(t, "another")) {
		advance = rapid.SampledFrom(open).Draw(t, "advance")
		key = m.holds[advance].key
	}
	b := k.open(m, false, advance)
	switch what {
	case 7, 8:
		wantKept, wantOK := m.raise(advance, key, n, lease)
		kept, err := b.Advance(advance, key, n, n, lease)
		if kept != wantKept || (err == nil) != wantOK || err != nil && fault.KindOf(err) != fault.QuotaExceeded {
			t.Fatalf("Advance(%d) by %s = %v, %v, want %v, %v", n, key, kept, err, wantKept, wantOK)
		}
	case 9, 10:
		most, share := rapid.Int64Range(0, 50).Draw(t, "most"), rapid.Int64Range(1, 4).Draw(t, "share")
		m.lead(advance, n, most, share, lease)
		b.Lead(advance, n, most, share, lease)
	default:
		m.spend(advance, id, key, n)
		charged(t, func(id, key string, n int64, at time.Time) (ledger.Settlement, error) {
			return b.Spend(advance, id, key, n, at)
		}, id, key, n, m.now)
	}
	k.keep(b.Changes())
}

func stepTerms(t *rapid.T, m *model, k *kept) {
	plan := rapid.SampledFrom([]string{"free", "starter", "growth", "unlimited", "none"})
	terms := ledger.Terms{Mode: rapid.SampledFrom(ledger.Modes()).Draw(t, "mode"), Plan: plan.Draw(t, "plan")}
	if rapid.Bool().Draw(t, "window") {
		sub := ledger.Subscribe(plan.Draw(t, "plan"), m.now.Add(time.Duration(rapid.IntRange(1, 60*24).Draw(t, "hours"))*time.Hour))
		sub.FallsBackTo = terms.Plan
		if sub.AutoRenew = rapid.Bool().Draw(t, "renews"); sub.AutoRenew && rapid.Bool().Draw(t, "other plan") {
			sub.RenewalPlan = plan.Draw(t, "renewal plan")
		}
		terms.Subscription = &sub
	}
	m.mode, m.plan, m.sub = terms.Mode, terms.Plan, terms.Subscription
	m.grantMonth()
	b := k.open(m, false)
	b.SetTerms(terms, k.plans)
	k.keep(b.Changes())
}

// TestBookIsTheModel runs random histories against the model, and checks every
// invariant after every step.
func TestBookIsTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(2027, 12, rapid.IntRange(1, 31).Draw(t, "day"), 23, 0, 0, 0, time.UTC)
		m, k := newModel(rapid.SampledFrom(ledger.Modes()).Draw(t, "mode"), rapid.SampledFrom([]string{"free", "starter", "unlimited"}).Draw(t, "plan"), start)
		k.keep(k.open(m, false).Changes())
		for n := range rapid.IntRange(1, 40).Draw(t, "steps") {
			step(t, m, k, n)
			k.compare(t, m)
			k.admission(t, m)
		}
	})
}
