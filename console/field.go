package console

import (
	"strings"
	"time"

	"vaak/account/ledger"
	"vaak/enquiry"
	"vaak/internal/fault"
)

// entered is what was sent of one form of a page that has several, to be shown in it
// again: the zero view where another one was sent. Path ends the form's address.
func (v *visit) entered(path string) view {
	if v.wrong == nil || !strings.HasSuffix(v.route.path, path) {
		return view{}
	}
	_, field := sentence(v.wrong)
	return view{Sent: v.sent, Field: field}
}

// bound reads a limit: a whole number, or the word unlimited, which is
// [ledger.Unlimited].
func (v *visit) bound(name string) (int64, error) {
	s := v.field(name)
	if strings.EqualFold(s, "unlimited") {
		return ledger.Unlimited, nil
	}
	if s == "" {
		return 0, fault.BadParameter(name, "%s is missing: a whole number is needed, or the word unlimited", name)
	}
	return v.number(name, 0)
}

// minuteLayout is how browsers send a time without a zone, which is meant in UTC.
const minuteLayout = "2006-01-02T15:04:05"

// instant reads a time in UTC, with seconds or without; the zero time of an empty
// field.
func (v *visit) instant(name string) (time.Time, error) {
	s := v.field(name)
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{minuteLayout, "2006-01-02T15:04", time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fault.BadParameter(name, "%s %.40q is not a time of the form 2027-01-31T00:00, in UTC", name, s)
}

// noSuch is the error of an address whose id names nothing.
func noSuch(what string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "", "There is no such %s.", what)
}

// sure refuses what cannot be undone while the box that says so is not ticked.
func (v *visit) sure() error {
	if v.field("sure") != "yes" {
		return fault.BadParameter("sure", "nothing was done: tick the box to say that you are sure")
	}
	return nil
}

// inertLines returns the lines of what a stranger typed, made inert.
func inertLines(s string) []string { return strings.Split(enquiry.Inert(s), "\n") }
