package enquiry

import "time"

// Outcome is what an entry of the journal records.
type Outcome string

// The outcomes.
const (
	OutcomeSent      Outcome = "sent"
	OutcomeRepeated  Outcome = "repeated" // the same enquiry again; nothing was sent
	OutcomeRefused   Outcome = "refused"  // Code is the field at fault, or "consent" or "origin"
	OutcomeLimited   Outcome = "limited"  // a limit was exceeded; Code is its scope
	OutcomeAsked     Outcome = "asked"    // the agent's host was given Shown, to show it to the person
	OutcomeMailed    Outcome = "mailed"   // the person was mailed a link to a page with Shown
	OutcomePointed   Outcome = "pointed"  // nobody could be asked, so the agent was given the form
	OutcomeLinked    Outcome = "linked"   // older versions: the agent was given a link
	OutcomeDeclined  Outcome = "declined"
	OutcomeCancelled Outcome = "cancelled"
	OutcomeStale     Outcome = "stale"    // a state, link or token cannot be used; Code says why
	OutcomeReleased  Outcome = "released" // an operator released the sample bundle
	OutcomeAccepted  Outcome = "accepted" // the evaluation licence was accepted and the bundle downloaded
	OutcomeRetried   Outcome = "retried"  // an operator queued a failed mail again
)

// Entry is a line of the journal. Every outcome has one. What a person typed is in Shown only,
// which a purge empties.
type Entry struct {
	At       time.Time
	Outcome  Outcome
	Code     string    // see the outcomes
	Method   Method    // "" if no consent is involved
	Enquiry  string    // id, or "" if there is no enquiry
	Content  string    // digest of who asks for what in which words; "" if the form was not valid
	Shown    string    // what the person was asked, word for word
	State    string    // digest of the question, as in [Pending]; or id of the release; or ""
	Client   string    // digest of the client's address, or ""
	Source   Source    // without Client
	Asked    time.Time // zero if nobody was asked
	Answered time.Time
	// Fold, if not "", joins this entry with all entries that have the same value: Times
	// counts them, and At is the last one. Refusals are folded by client and hour, so that
	// they cannot fill the disk.
	Fold  string
	Times int // at least 1
}
