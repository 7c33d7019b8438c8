package enquiry

import "time"

// Action is what a person did with a question.
type Action string

// The actions, as MCP has them.
const (
	Accept  Action = "accept"
	Decline Action = "decline"
	Cancel  Action = "cancel" // dismissed without an answer
)

// Answer is a person's answer to the question of a [Step].
type Answer struct {
	Action Action
	Send   bool // the box was ticked; without it an accept is a decline
}

// Said is what came with an agent's call beside the form.
type Said struct {
	CanAsk bool    // the agent's host can show the person a question
	State  string  // Step.State as it came back; "" in a first call
	Answer *Answer // nil without one
	Token  string  // Step.Token as it came back
}

// Status is how an enquiry over an agent stands.
type Status string

// The statuses.
const (
	Sent      Status = "sent"
	Asking    Status = "asking"                // the host shows Question, and calls again with State and the answer
	Waiting   Status = "confirmation_required" // the person opens Link
	Declined  Status = "declined"              // final for this text: it is not asked again; Link is left to the person
	Cancelled Status = "cancelled"             // may be asked again
)

// Step is what an agent's call came to.
type Step struct {
	Status  Status
	Draft   Draft
	Receipt *Receipt // when Sent
	// Question shows the person the whole enquiry, and State is what the host brings
	// back with the answer, both when Asking.
	Question, State string
	// Link is a page where the person can send it, until Expires; "" where the server
	// has no public address. Not when Sent or Asking.
	Link    string
	Expires time.Time
	// Token lets the agent attest the person's consent in a second call, when Waiting,
	// and only where the operator allows it.
	Token string
}

// Policy is what counts as consent over an agent.
type Policy string

// The policies.
const (
	ElicitationOrLink Policy = "elicitation_or_link" // the person is asked by the host, or on a page
	AllowAttested     Policy = "allow_attested"      // and an agent whose host cannot ask may attest it
)

// Pending is an enquiry that waits for a person at a link.
type Pending struct {
	Digest  string // of the link's token, which itself is not kept
	Form    Form   // valid when it was written
	Content string // digest of the form, as in [Entry]
	Client  string // digest of the client that caused it, as in [Submission]
	Source  Source // Client is left out
	Asked   time.Time
	Expires time.Time
	Sent    string // id of the enquiry that came of it, "" until then
}
