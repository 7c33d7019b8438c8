package catalogue

import "slices"

// Status is where a record is in its life: draft → published → suspended or
// retired. A suspended one may be published again, a retired one is at its end.
type Status string

// The statuses.
const (
	Drafted   Status = "draft"     // not to be seen
	Published Status = "published" // listed
	Suspended Status = "suspended" // not to be seen for now
	Retired   Status = "retired"   // no longer offered; its record stays
)

// Visible reports whether the record can be read by its slug.
func (s Status) Visible() bool { return s == Published || s == Retired }

// MayBecome reports whether a record of this status can be moved to another one.
func (s Status) MayBecome(to Status) bool { return slices.Contains(moves[s], to) }
