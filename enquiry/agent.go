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
	Waiting   Status = "confirmation_required" // the person opens the link that was mailed to them, or the form
	Declined  Status = "declined"              // final for this text: nobody is asked again, nor sent a mail
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
	// Mailed is what became of the mail that takes a link to the person, who can send
	// it there until Expires. The link itself is told to nobody but that mailbox.
	Mailed  Mailed
	Expires time.Time
	// Form is the public form, with the dataset and the intent chosen, on which anybody
	// may write; "" where the server has no public address. Not when Sent or Asking, nor
	// when a mail goes to the person.
	Form string
	// Token lets the agent attest the person's consent in a second call, when Waiting,
	// and only where the operator allows it.
	Token string
}

// Mailed is what became of the mail that takes a link to a person.
type Mailed string

// What becomes of it.
const (
	NotMailed  Mailed = ""       // none was made
	MailQueued Mailed = "queued" // it goes out now
	MailAgain  Mailed = "again"  // the same was asked before, and its mail holds: no other goes out
	MailFailed Mailed = "failed" // the mail of before could not be delivered, and no other goes out
)

// Policy is what counts as consent over an agent.
type Policy string

// The policies.
const (
	ElicitationOrLink Policy = "elicitation_or_link" // the agent's host attests that it asked the person, or a link is mailed to them
	MailedLink        Policy = "mailed_link"         // a link that was mailed to the person, and nothing else
	AllowAttested     Policy = "allow_attested"      // the host's word, or the agent's own where its host cannot ask
)

// Pending is an enquiry that a person was asked about: by the agent's host, or by a mail
// with a link, at which it waits for them.
type Pending struct {
	Digest  string // of the link's token, which itself is not kept
	Form    Form   // valid when it was written
	Content string // digest of the form, as in [Entry]
	Client  string // digest of the client that caused it, as in [Submission]
	Source  Source // Client is left out
	Asked   time.Time
	Expires time.Time
	Sent    string // id of the enquiry that came of it, "" until then
	// Recipient is the digest of the address to which the link was mailed, as limits
	// count it; "" where none was. Nothing can be sent from a link that was not mailed.
	Recipient string
	Whole     string // digest of all that the person is shown; "" where no link was mailed
}
