package web

import "time"

// moment is a time as a page shows it.
type moment struct{ Machine, Words string }

// newMoment returns a time to the minute, in UTC; nil for the zero time.
func newMoment(t time.Time) *moment {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &moment{t.Format("2006-01-02T15:04:05Z"), t.Format("2 January 2006, 15:04 UTC")}
}
