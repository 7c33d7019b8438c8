package web

import (
	"fmt"
	"strings"
	"time"

	"vaak/enquiry"
)

// inert makes text fit to be read by whom it is to bind: what could turn the order
// around, hide something or end the line elsewhere than it seems is written as its
// code, such as ⟨U+202E⟩: what an enquiry may not hold. Lines still end at \n, and
// tabs stay.
func inert(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if enquiry.Hidden(r) && r != '\n' && r != '\t' {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

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
