package enquiry

import "time"

// Outcome is what an entry of the journal tells.
type Outcome string

// The outcomes.
const (
	OutcomeSent      Outcome = "sent"
	OutcomeRepeated  Outcome = "repeated" // the same again: nothing was sent
	OutcomeRefused   Outcome = "refused"  // Code names the field that was wrong, or is "consent" or "origin"
	OutcomeLimited   Outcome = "limited"  // too many; Code is the scope
	OutcomeAsked     Outcome = "asked"    // the agent's host was given Shown for the person
	OutcomeMailed    Outcome = "mailed"   // a link to a page with Shown was mailed to the person
	OutcomePointed   Outcome = "pointed"  // the agent was told of the form, as nobody could be asked
	OutcomeLinked    Outcome = "linked"   // of older versions: the agent was given a link
	OutcomeDeclined  Outcome = "declined"
	OutcomeCancelled Outcome = "cancelled"
	OutcomeStale     Outcome = "stale"    // a state, link or token was forged, expired, used or for another text; Code says which
	OutcomeReleased  Outcome = "released" // the sample bundle, by an operator
	OutcomeAccepted  Outcome = "accepted" // the evaluation licence, and the bundle was downloaded
	OutcomeRetried   Outcome = "retried"  // a failed mail, by an operator
)

// Entry is a line of the journal, which has one for every outcome. What a person
// typed stands in Shown alone, which a purge empties.
type Entry struct {
	At       time.Time
	Outcome  Outcome
	Code     string    // see the outcomes
	Method   Method    // "" where no consent was in question
	Enquiry  string    // its id, "" where none came of it
	Content  string    // digest of who asks for what in which words, "" where the form was not valid
	Shown    string    // what the person was asked, word for word
	State    string    // digest of the question, as in [Pending]; id of the release; "" of neither
	Client   string    // digest of the client's address, "" where there is none
	Source   Source    // Client is left out
	Asked    time.Time // zero where nobody was asked
	Answered time.Time
	// Fold, unless "", makes this entry one with those of the same key: Times counts
	// them, and At is that of the last. Refusals have one for each client and hour, so
	// that they cannot fill the disk.
	Fold  string
	Times int // at least 1
}
