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
	ids := m.ids()
	pick := func() string {
		if len(ids) == 0 {
			return "nobody"
		}
		return rapid.SampledFrom(ids).Draw(t, "hold")
	}
	id := fmt.Sprint("hold", n)
	switch what := rapid.IntRange(0, 11).Draw(t, "what"); what {
	case 0, 1, 2:
		key, amount := rapid.SampledFrom([]string{"capped", "other"}).Draw(t, "key"), some.Draw(t, "n")
		wantKept, wantOK := m.reserve(id, key, amount, lease)
		b := k.open(m, false)
		got, err := b.Reserve(id, key, amount, lease)
		if got != wantKept || (err == nil) != wantOK || err != nil && fault.KindOf(err) != fault.QuotaExceeded {
			t.Fatalf("Reserve(%d) by %s = %v, %v, want %v, %v", amount, key, got, err, wantKept, wantOK)
		}
		k.keep(b.Changes())
	case 3, 4, 5, 6:
		id := pick()
		b := k.open(m, false, id)
		stepHold(t, m, b, id, what, some.Draw(t, "n"), lease)
		k.keep(b.Changes())
	case 7, 8:
		var expires time.Time
		if rapid.Bool().Draw(t, "expires") {
			expires = to.Add(time.Duration(rapid.IntRange(1, 100).Draw(t, "days")) * 12 * time.Hour)
		}
		amount := rapid.Int64Range(1, 60).Draw(t, "n")
		m.grant(id, amount, expires)
		b := k.open(m, false)
		b.Grant(ledger.Lot{Kind: ledger.Purchase, Source: id, Granted: amount, Expires: expires})
		k.keep(b.Changes())
	case 9, 10:
		stepTerms(t, m, k)
	default: // somebody looks, and the book rolls
		k.keep(k.open(m, false).Changes())
	}
}

func stepHold(t *rapid.T, m *model, b *ledger.Book, id string, what int, n int64, lease time.Time) {
	if m.holds[id] == nil {
		if _, err := b.Settle(id, n); err == nil {
			t.Fatalf("Settle of a hold that was never made: no error")
		}
		b.Release(id)
		return
	}
	switch what {
	case 3:
		want := m.extend(id, n, lease)
		if err := b.Extend(id, n, lease); (err == nil) != want {
			t.Fatalf("Extend(%s, %d) = %v, want success %v", id, n, err, want)
		}
	case 4:
		m.release(id)
		b.Release(id)
	default:
		before := m.holds[id].state
		want := m.settle(id, n)
		got, err := b.Settle(id, n)
		if (err == nil) != want || got.Again != (before == ledger.Settled) {
			t.Fatalf("Settle(%s, %d) of a %s hold = %+v, %v, want success %v", id, n, before, got, err, want)
		}
	}
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
