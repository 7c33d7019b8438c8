package ledger

import (
	"cmp"
	"time"
)

// LotKind says where the characters of a lot come from.
type LotKind string

// The kinds of lot.
const (
	PlanGrant LotKind = "plan_grant"
	Purchase  LotKind = "purchase"
	Promo     LotKind = "promo"
)

// LotKinds lists the kinds.
func LotKinds() []LotKind { return []LotKind{Purchase, Promo, PlanGrant} }

// Lot is a number of characters granted together, which expire together.
type Lot struct {
	ID      string
	Kind    LotKind
	Source  string    // what granted it, unique in its organisation, so that nothing is granted twice
	Expires time.Time // zero: never
	Created time.Time

	// Granted is the sum of the four others, all of which are 0 or more.
	Granted, Remaining, Held, Charged, Expired int64
}

// spendable reports whether the lot can be drawn from at t.
func (l *Lot) spendable(t time.Time) bool { return l.Expires.IsZero() || t.Before(l.Expires) }

// Sound reports whether the characters of the lot add up.
func (l Lot) Sound() bool {
	return min(l.Granted, l.Remaining, l.Held, l.Charged, l.Expired) >= 0 &&
		l.Granted == l.Remaining+l.Held+l.Charged+l.Expired
}

// spendFirst orders lots as they are spent: the one that expires soonest first.
func spendFirst(a, b *Lot) int {
	if a.Expires.IsZero() != b.Expires.IsZero() {
		if a.Expires.IsZero() {
			return 1
		}
		return -1
	}
	return cmp.Or(a.Expires.Compare(b.Expires), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

// Draw is a part of a lot that a hold keeps.
type Draw struct {
	Lot    string `json:"lot"`
	Amount int64  `json:"n"`
}

// State is what became of a hold.
type State string

// The states. A held one becomes one of the others; a lapsed one, whose holder
// was thought dead, may still settle.
const (
	Held     State = "held"
	Settled  State = "settled"
	Released State = "released" // given back by its holder
	Lapsed   State = "lapsed"   // given back because nobody renewed its lease
)

// Hold is the characters kept aside for one request.
type Hold struct {
	ID      string
	KeyID   string
	State   State
	Amount  int64 // kept aside
	Charged int64 // of a settled one; at most Amount
	Draws   []Draw
	Lease   time.Time // until when the holder is believed alive without a word
	Created time.Time
	Day     string // UTC, YYYY-MM-DD, that a settled one is counted on; "" before
	Advance bool   // a process keeps it for many requests; see [Book.Advance]
	Ahead   int64  // characters of an advance that no request used when its process last posted
}

// EntryKind says what an entry books.
type EntryKind string

// The kinds of entries. Those with a lot change it; the others say where
// characters were spoken that no lot paid for.
const (
	Granted    EntryKind = "grant"
	Charged    EntryKind = "charge"
	Expired    EntryKind = "expire"
	Unmetered  EntryKind = "unmetered"   // on a plan without a bound
	WrittenOff EntryKind = "written_off" // spoken after the hold had lapsed and could not be drawn again: the operator's loss
)

// Entry is one line of the journal, which is only ever added to.
type Entry struct {
	Kind   EntryKind
	LotID  string // "" for Unmetered and WrittenOff
	HoldID string // "" where there was none
	Amount int64  // more than 0
	At     time.Time
}
