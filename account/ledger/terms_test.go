package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/account/ledger"
)

func utc(s string) time.Time {
	t, err := time.Parse("2006-01-02T15:04:05.999999", s)
	if err != nil {
		panic(err)
	}
	return t
}

func renewing(plan, renewal string, expires time.Time) ledger.Terms {
	s := ledger.Subscribe(plan, expires)
	s.AutoRenew, s.RenewalPlan, s.FallsBackTo = true, renewal, "free"
	return ledger.Terms{Mode: ledger.Lots, Plan: "free", Subscription: &s}
}

// TestTermsAt looks at instants around the ends of windows.
func TestTermsAt(t *testing.T) {
	t.Parallel()
	end := utc("2027-01-31T10:30:00.5")
	once := ledger.Terms{Mode: ledger.Wallet, Plan: "free", Subscription: &ledger.Subscription{Plan: "growth", Expires: end, FallsBackTo: "starter", AnchorDay: 31}}
	for _, tt := range []struct {
		name  string
		terms ledger.Terms
		at    time.Time
		plan  string
		next  string // end of the window; "" is none
	}{
		{"no window", ledger.Terms{Plan: "free"}, end, "free", ""},
		{"1 µs before a lapse", once, end.Add(-time.Microsecond), "growth", "2027-01-31T10:30:00.5"},
		{"a lapse", once, end, "starter", ""},
		{"1 µs after a lapse", once, end.Add(time.Microsecond), "starter", ""},
		{"years after a lapse", once, end.AddDate(7, 0, 0), "starter", ""},
		{"1 µs before a renewal", renewing("growth", "scale", end), end.Add(-time.Microsecond), "growth", "2027-01-31T10:30:00.5"},
		{"a renewal", renewing("growth", "scale", end), end, "scale", "2027-02-28T10:30:00.5"},
		{"1 µs after a renewal", renewing("growth", "scale", end), end.Add(time.Microsecond), "scale", "2027-02-28T10:30:00.5"},
		{"renewal without another plan", renewing("growth", "", end), end, "growth", "2027-02-28T10:30:00.5"},
		{"1 µs before the second", renewing("growth", "scale", end), utc("2027-02-28T10:30:00.499999"), "scale", "2027-02-28T10:30:00.5"},
		{"the second", renewing("growth", "scale", end), utc("2027-02-28T10:30:00.5"), "scale", "2027-03-31T10:30:00.5"},
		{"the 13th, of a leap year", renewing("growth", "", end), utc("2028-02-01T00:00:00"), "growth", "2028-02-29T10:30:00.5"},
		{"December to January", renewing("growth", "", end), utc("2027-12-31T10:30:00.5"), "growth", "2028-01-31T10:30:00.5"},
		{"a century on", renewing("growth", "", end), utc("2127-02-28T10:30:00.5"), "growth", "2127-03-31T10:30:00.5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := window(tt.terms)
			got := tt.terms.At(tt.at)
			if got.PlanID() != tt.plan || got.Mode != tt.terms.Mode {
				t.Errorf("At(%v) is on %s, %s, want %s", tt.at, got.Mode, got.PlanID(), tt.plan)
			}
			switch s := got.Subscription; {
			case (s == nil) != (tt.next == ""):
				t.Errorf("At(%v) has the window %+v, want one until %q", tt.at, s, tt.next)
			case s != nil && !s.Expires.Equal(utc(tt.next)):
				t.Errorf("At(%v) has a window until %v, want %s", tt.at, s.Expires, tt.next)
			}
			if d := cmp.Diff(before, window(tt.terms)); d != "" {
				t.Errorf("At changed the terms it was asked of: -before +after\n%s", d)
			}
		})
	}
}

// window copies the window of terms; the zero one when they have none.
func window(t ledger.Terms) ledger.Subscription {
	if t.Subscription == nil {
		return ledger.Subscription{}
	}
	return *t.Subscription
}

// TestAnchors steps 25 renewals from each day of a January, over a leap year.
func TestAnchors(t *testing.T) {
	t.Parallel()
	for day := 1; day <= 31; day++ {
		end := time.Date(2027, 1, day, 7, 0, 0, 1000, time.UTC)
		terms := renewing("growth", "", end)
		for n := 1; n <= 25; n++ {
			want := time.Date(2027, time.Month(1+n), min(day, lastDay(2027, 1+n)), 7, 0, 0, 1000, time.UTC)
			if terms = terms.At(terms.Subscription.Expires); !terms.Subscription.Expires.Equal(want) {
				t.Fatalf("renewal %d of a window that ended on day %d ends %v, want %v", n, day, terms.Subscription.Expires, want)
			}
		}
	}
}

func lastDay(year, month int) int {
	years, months := (month-1)/12, (month-1)%12+1
	leap := (year+years)%4 == 0 // none of the tests is near 2100
	days := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[months-1]
	if leap && months == 2 {
		days++
	}
	return days
}

// TestTermsCompose checks that t.At(a).At(b) is t.At(b), however often terms are rolled forward.
func TestTermsCompose(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		instant := rapid.Custom(func(t *rapid.T) time.Time {
			return start.Add(time.Duration(rapid.Int64Range(0, 6*366*24*3600*1e6).Draw(t, "µs")) * time.Microsecond)
		})
		s := ledger.Subscribe("growth", instant.Draw(t, "expires"))
		s.AutoRenew, s.FallsBackTo = rapid.Bool().Draw(t, "renews"), "free"
		s.RenewalPlan = rapid.SampledFrom([]string{"", "scale"}).Draw(t, "renewal plan")
		if rapid.Bool().Draw(t, "odd anchor") {
			s.AnchorDay = rapid.IntRange(1, 31).Draw(t, "anchor")
		}
		terms := ledger.Terms{Mode: ledger.Lots, Plan: "starter", Subscription: &s}
		a, b := instant.Draw(t, "a"), instant.Draw(t, "b")
		if b.Before(a) {
			a, b = b, a
		}
		if d := cmp.Diff(terms.At(b), terms.At(a).At(b)); d != "" {
			t.Fatalf("At(%v) and At(%v).At(%v) differ: -want +got\n%s", b, a, b, d)
		}
		if got := terms.At(b); got.Subscription != nil && !b.Before(got.Subscription.Expires) {
			t.Fatalf("At(%v) has a window that ended %v", b, got.Subscription.Expires)
		}
		if d := cmp.Diff(terms.At(b), terms.At(b).At(b)); d != "" {
			t.Fatalf("At twice differs:\n%s", d)
		}
	})
}

// TestTwoYears opens a book once in each hour of 24 months and a day: the
// month's characters come with its first instant and go with its last.
func TestTwoYears(t *testing.T) {
	t.Parallel()
	start := utc("2027-01-31T00:00:00")
	m, k := newModel(ledger.Lots, "free", start)
	k.keep(k.open(m, false).Changes()) // 10 on free, before the subscription
	sub := ledger.Subscribe("starter", start.Add(time.Hour))
	sub.AutoRenew, sub.FallsBackTo = true, "free"
	m.sub, k.terms.Subscription = &sub, &sub
	m.grantMonth()
	for now := start; now.Before(start.AddDate(2, 0, 1)); now = now.Add(time.Hour) {
		m.advance(now)
		b := k.open(m, false)
		if got := b.Balance(); got.Remaining != 40 || (len(got.Lots) != 1) != (now.Month() == 1 && now.Year() == 2027) || !got.Next.At.Equal(ledger.NextMonth(now)) {
			t.Fatalf("%v: Balance = %+v, want 40 until %v", now, got, ledger.NextMonth(now))
		}
		k.keep(b.Changes())
		if now.Hour() == 0 {
			k.compare(t, m)
		}
	}
	if got := len(k.lots); got != 26 {
		t.Errorf("%d lots, want 2 of January 2027 and one of each month to January 2029", got)
	}
	if got, want := k.terms.Subscription.Expires, utc("2029-02-28T01:00:00"); !got.Equal(want) {
		t.Errorf("the window ends %v, want %v", got, want)
	}
}

func TestPeriods(t *testing.T) {
	t.Parallel()
	kolkata := time.FixedZone("IST", 5*3600+1800)
	for _, tt := range []struct {
		at     time.Time
		period ledger.Period
		next   string
	}{
		{utc("2027-12-31T23:59:59.999999"), "2027-12", "2028-01-01T00:00:00"},
		{utc("2028-01-01T00:00:00"), "2028-01", "2028-02-01T00:00:00"},
		{utc("2028-02-29T12:00:00"), "2028-02", "2028-03-01T00:00:00"},
		{time.Date(2028, 3, 1, 5, 29, 59, 0, kolkata), "2028-02", "2028-03-01T00:00:00"},
		{time.Date(2028, 3, 1, 5, 30, 0, 0, kolkata), "2028-03", "2028-04-01T00:00:00"},
	} {
		if got := ledger.PeriodOf(tt.at); got != tt.period {
			t.Errorf("PeriodOf(%v) = %s, want %s", tt.at, got, tt.period)
		}
		if got := ledger.NextMonth(tt.at); !got.Equal(utc(tt.next)) {
			t.Errorf("NextMonth(%v) = %v, want %s", tt.at, got, tt.next)
		}
	}
	for s, want := range map[string]bool{"2027-01": true, "2027-12": true, "2027-13": false, "2027-1": false, "": false, "2027-00": false, "02027-01": false, "2027-01-01": false} {
		if _, ok := ledger.ParsePeriod(s); ok != want {
			t.Errorf("ParsePeriod(%q) ok = %v, want %v", s, ok, want)
		}
	}
}

func TestPlanIDs(t *testing.T) {
	t.Parallel()
	terms := renewing("growth", "scale", utc("2027-01-31T00:00:00"))
	if d := cmp.Diff([]string{"free", "growth", "free", "scale"}, terms.PlanIDs()); d != "" {
		t.Errorf("PlanIDs: -want +got\n%s", d)
	}
	known := fmt.Sprint(terms.PlanIDs())
	for at := utc("2027-01-01T00:00:00"); at.Year() < 2029; at = at.AddDate(0, 0, 9) {
		if id := terms.At(at).PlanID(); !(id == "growth" || id == "scale") {
			t.Errorf("At(%v).PlanID() = %s, which is not one of %s", at, id, known)
		}
	}
}
