package enquiry

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// MailKind says what a mail is for.
type MailKind string

// The kinds.
const (
	ToOperator MailKind = "operator" // the enquiry itself
	ToPerson   MailKind = "receipt"  // a receipt; it has nothing of what the person typed
	WithSample MailKind = "sample"   // a link to a sample bundle
	WithLink   MailKind = "link"     // a link at which the person can send what an agent prepared
)

// MailState says how far a mail is.
type MailState string

// The states.
const (
	Queued    MailState = "queued"
	Delivered MailState = "delivered" // a server has accepted it
	Failed    MailState = "failed"    // refused for good, or tried too many times
)

// Mail is a mail in plain text. It is the same at every attempt, byte for byte.
type Mail struct {
	ID        string // "mail_", letters and digits, and the kind
	Enquiry   string // "" for a mail with a link, because its enquiry is not sent yet
	Kind      MailKind
	MessageID string // without angle brackets
	Date      time.Time
	From      string // From, To and ReplyTo are addresses without names
	To        string
	ReplyTo   string // "" is none
	Subject   string // one line of ASCII without anything that a person typed
	Text      string // UTF-8, lines end in \n; that of a mail with a link is sealed until it is sent

	State    MailState
	Attempts int
	Problem  string    // error of the last failed attempt
	Changed  time.Time // when State or Attempts changed
}

// Sender hands mails to a mail server.
type Sender interface {
	// Send returns nil when the next server has accepted the mail. A [*Refusal] means that
	// trying again is of no use; any other error means that it is worth another attempt.
	// Errors contain no address and nothing of the mail.
	Send(ctx context.Context, m Mail) error
}

// Refusal is the error of a mail that is refused for good.
type Refusal struct {
	Stage  string // the refused command, such as "RCPT TO", or field, such as "Reply-To"
	Code   int    // of the reply, such as 550; 0 if no server was asked
	Status string // enhanced status code, such as "5.1.1", or ""
}

// Error implements error.
func (r *Refusal) Error() string {
	if r.Code == 0 {
		return r.Stage + " was refused"
	}
	return strings.TrimSpace(fmt.Sprintf("%s was refused: %d %s", r.Stage, r.Code, r.Status))
}

// JobMail is the kind of the job that delivers one mail; its arguments are [MailArgs].
const JobMail = "enquiry.mail"

// JobLink is the kind of the job that delivers a mail with a link; its arguments are [MailArgs].
const JobLink = "enquiry.link"

// MailLane is the lane of mail jobs. Only servers of the catalogue work on it, and a mail server
// that hangs delays nothing but mails.
const MailLane = "mail"

// MailArgs are the arguments of a [JobMail].
type MailArgs struct {
	Mail string `json:"mail"` // id of the mail
}
