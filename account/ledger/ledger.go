// Package ledger keeps the books of organisations: what was granted to one, what
// is held for requests that run, and what was spent.
//
// Everything here is a pure function of a record and the time. The store loads a
// [Book], has it changed by one posting at a time, and writes it. Months, renewals and
// lapses need no clock of their own: [Open] rolls a book forward to the present.
//
// The characters of a lot are always in one of four places:
//
//	granted = remaining + held + charged + expired
//
// A process draws characters ahead of its requests from the lots that expire soonest, which
// moves them from remaining to held: an advance. What a request spoke is charged from it, and
// what nobody used returns to remaining.
package ledger

import "time"

// Unlimited is the value of a limit that does not bind.
const Unlimited = -1

// MaxAmount is the most characters that one reservation can ask for. No balance has that
// many, and sums of them stay far below the limit of int64.
const MaxAmount = 1 << 50

// Plan says what an organisation may do.
type Plan struct {
	ID                string // 1 to 64 of a-z, 0-9, _ and -
	Name              string
	MonthlyCharacters int64 // granted at the first use of a month; Unlimited counts and never refuses
	RequestsPerMinute int   // of each key; Unlimited
	MaxStreams        int   // of each key at once; Unlimited
}

// unmetered reports whether characters are counted and never refused.
func (p Plan) unmetered() bool { return p.MonthlyCharacters < 0 }

// Mode is how an organisation pays.
type Mode string

// The modes. Lots is the normal state; the others are older ways, whose lots
// are not shown to the customer.
const (
	Lots      Mode = "lots"      // the plan grants each month, and lots are bought beside
	Wallet    Mode = "wallet"    // only what was bought, which does not expire
	Allowance Mode = "allowance" // only what the plan grants each month
)

// Modes lists the modes.
func Modes() []Mode { return []Mode{Lots, Wallet, Allowance} }

// Period is a UTC calendar month, YYYY-MM.
type Period string

const periodLayout = "2006-01"

// PeriodOf returns the month in which t lies.
func PeriodOf(t time.Time) Period { return Period(t.UTC().Format(periodLayout)) }

// ParsePeriod returns the month that s writes; ok is false when it is none.
func ParsePeriod(s string) (p Period, ok bool) {
	_, err := time.Parse(periodLayout, s)
	return Period(s), err == nil
}

// NextMonth returns the first instant of the UTC month after that of t.
func NextMonth(t time.Time) time.Time {
	y, m, _ := t.UTC().Date()
	return time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC)
}
