package catalogue

import "slices"

// Status is where a record is in its life: draft, then published, then suspended or retired. A
// suspended record may be published again; retired is final.
type Status string

// The statuses.
const (
	Drafted   Status = "draft"     // not visible
	Published Status = "published" // listed
	Suspended Status = "suspended" // not visible for now
	Retired   Status = "retired"   // no longer offered; the record stays visible
)

// Visible reports whether the record can be read by its slug.
func (s Status) Visible() bool { return s == Published || s == Retired }

// MayBecome reports whether a record of this status can get another one.
func (s Status) MayBecome(to Status) bool { return slices.Contains(moves[s], to) }
