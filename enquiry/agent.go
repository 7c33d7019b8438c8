package enquiry

import "time"

// Action is what a person did with a question.
type Action string

// The actions, as MCP has them.
const (
	Accept  Action = "accept"
	Decline Action = "decline"
	Cancel  Action = "cancel" // dismissed the question without an answer
)

// Answer is a person's answer to the question in a [Step].
type Answer struct {
	Action Action
	Send   bool // the box was ticked; an accept without it counts as a decline
}

// AgentInput is what an agent's call has besides the form.
type AgentInput struct {
	CanAsk bool    // the agent's host can show the person a question
	State  string  // Step.State as it came back; "" in a first call
	Answer *Answer // nil if there is none
	Token  string  // Step.Token as it came back
}

// Status says how far an enquiry of an agent is.
type Status string

// The statuses.
const (
	Sent      Status = "sent"
	Asking    Status = "asking"                // the host must show Question, and call again with State and the answer
	Waiting   Status = "confirmation_required" // the person must open the mailed link, or the form
	Declined  Status = "declined"              // final for this text: nobody is asked or mailed again
	Cancelled Status = "cancelled"             // the person may be asked again
)

// Step is the result of an agent's call.
type Step struct {
	Status  Status
	Draft   Draft
	Receipt *Receipt // if Status is Sent
	// Question shows the person the whole enquiry, and State must come back with the
	// answer. Both are set if Status is Asking.
	Question, State string
	// Mailed says what became of the mail with the link, at which the person can send the
	// enquiry until Expires. The link itself is given to that mailbox only.
	Mailed  Mailed
	Expires time.Time
	// Form is the address of the public form, with dataset and intent preselected. It is ""
	// if the server has no public address, if Status is Sent or Asking, and if a mail goes
	// to the person.
	Form string
	// Token lets the agent attest the person's consent in a second call. It is set only if
	// Status is Waiting and the operator allows it.
	Token string
}

// Mailed says what became of the mail with a link.
type Mailed string

// The values of Mailed.
const (
	NotMailed  Mailed = ""       // there is none
	MailQueued Mailed = "queued" // it is being sent
	MailAgain  Mailed = "again"  // the same was mailed before and still waits, so no other is sent
	MailFailed Mailed = "failed" // the earlier mail could not be delivered, and no other is sent
)

// Policy says what counts as a person's consent when an agent calls.
type Policy string

// The policies.
const (
	ElicitationOrLink Policy = "elicitation_or_link" // the agent's host attests that it asked the person, or a link is mailed
	MailedLink        Policy = "mailed_link"         // only a link that was mailed to the person
	AllowAttested     Policy = "allow_attested"      // the host attests or, if it cannot ask, the agent itself
)

// Pending is an enquiry that a person was asked about: by the agent's host, or by a mailed link
// at which it waits.
type Pending struct {
	Digest  string // of the token of the link; the token itself is not stored
	Form    Form   // was valid when it was stored
	Content string // digest of the form, as in [Entry]
	Client  string // digest of the client that caused it, as in [Submission]
	Source  Source // without Client
	Asked   time.Time
	Expires time.Time
	Sent    string // id of the enquiry once it is sent, else ""
	// Recipient is the digest of the address that the link was mailed to, as limits count it,
	// or "" if it was not mailed. Nothing can be sent from a link that was not mailed.
	Recipient string
	Whole     string // digest of everything that the person is shown; "" if no link was mailed
}
