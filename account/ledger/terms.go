package ledger

import "time"

// Terms are what an organisation has agreed on.
type Terms struct {
	Mode Mode
	Plan string // the plan while there is no subscription
	// Subscription replaces the plan for a while; nil is none.
	Subscription *Subscription
}

// Subscription is a plan for a window of time.
type Subscription struct {
	Plan        string
	Expires     time.Time // end of the window
	AutoRenew   bool      // whether another window of a month follows
	RenewalPlan string    // the plan of the windows that follow; "" is the same
	FallsBackTo string    // the plan when the window ends and is not renewed
	// AnchorDay is the day of the month on which windows end where the month has
	// that day, else on its last: 1 to 31.
	AnchorDay int
}

// Subscribe returns a subscription whose first window ends at expires.
func Subscribe(plan string, expires time.Time) Subscription {
	return Subscription{Plan: plan, Expires: expires.UTC(), AnchorDay: expires.UTC().Day()}
}

// At returns the terms as they stand at t: renewed as often as a window has run
// out since, or lapsed. It holds that t.At(a).At(b) is t.At(b) for a before b.
func (t Terms) At(now time.Time) Terms {
	s := t.Subscription
	if s == nil || now.Before(s.Expires) {
		return t
	}
	if !s.AutoRenew {
		return Terms{Mode: t.Mode, Plan: s.FallsBackTo}
	}
	renewed := *s // a copy: terms are values, and others may have this pointer
	if s.RenewalPlan != "" {
		renewed.Plan = s.RenewalPlan
	}
	renewed.Expires = s.windowAfter(now)
	t.Subscription = &renewed
	return t
}

// windowAfter returns the end of the first window that ends after now.
func (s *Subscription) windowAfter(now time.Time) time.Time {
	end := s.Expires.UTC()
	// Near enough to now that the loop takes at most two turns.
	if months := monthsBetween(end, now.UTC()) - 1; months > 0 {
		end = s.addMonths(months)
	}
	for n := monthsBetween(s.Expires.UTC(), end) + 1; !end.After(now); n++ {
		end = s.addMonths(n)
	}
	return end
}

// addMonths returns the end of the nth window after the current one.
func (s *Subscription) addMonths(n int) time.Time {
	e := s.Expires.UTC()
	// From the first of the month: a month added to the 31st would overflow into the next
	// but one. The day is counted from the anchor and not from Expires, so that a window
	// which ended on 28 February is followed by one that ends on the 31st again.
	first := time.Date(e.Year(), e.Month()+time.Month(n), 1, e.Hour(), e.Minute(), e.Second(), e.Nanosecond(), time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(max(s.AnchorDay, 1), last)-1)
}

// monthsBetween counts calendar months from a's to b's.
func monthsBetween(a, b time.Time) int {
	return (b.Year()-a.Year())*12 + int(b.Month()) - int(a.Month())
}

// PlanID returns the plan in force while the terms stand as they are.
func (t Terms) PlanID() string {
	if t.Subscription != nil {
		return t.Subscription.Plan
	}
	return t.Plan
}

// PlanIDs lists every plan that the terms may come to.
func (t Terms) PlanIDs() []string {
	ids := []string{t.Plan}
	if s := t.Subscription; s != nil {
		ids = append(ids, s.Plan, s.FallsBackTo)
		if s.RenewalPlan != "" {
			ids = append(ids, s.RenewalPlan)
		}
	}
	return ids
}
