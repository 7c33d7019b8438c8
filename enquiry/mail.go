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
	ToPerson   MailKind = "receipt"  // that it has come; of what the person typed it holds nothing
	WithSample MailKind = "sample"   // the link to a sample bundle
	WithLink   MailKind = "link"     // the link at which the person can send what an agent prepared
)

// MailState is how far a mail is.
type MailState string

// The states.
const (
	Queued    MailState = "queued"
	Delivered MailState = "delivered" // a server has taken it
	Failed    MailState = "failed"    // refused for good, or tried for too long
)

// Mail is a mail in plain text. It is the same, byte for byte, at each attempt.
type Mail struct {
	ID        string // "mail_", letters and digits, and the kind
	Enquiry   string // "" of a mail with a link, whose enquiry is not sent yet
	Kind      MailKind
	MessageID string // without angle brackets
	Date      time.Time
	From      string // addresses without names
	To        string
	ReplyTo   string // "" is none
	Subject   string // one line, ASCII, nothing that a person typed
	Text      string // lines end in \n; UTF-8. That of a mail with a link is sealed until it goes out

	State    MailState
	Attempts int
	Problem  string    // of the last attempt that failed
	Changed  time.Time // when State or Attempts did
}

// Sender hands mails over.
type Sender interface {
	// Send returns nil when the mail is in the hands of the next server. A
	// [*Refusal] says that trying again is of no use; any other error that it is.
	// Errors hold no address and nothing of the mail.
	Send(ctx context.Context, m Mail) error
}

// Refusal is the error of a mail that was refused for good.
type Refusal struct {
	Stage  string // the command that was refused, such as "RCPT TO", or the field, such as "Reply-To"
	Code   int    // of the reply, such as 550; 0 when no server was asked
	Status string // its enhanced status, such as "5.1.1", or ""
}

// Error implements error.
func (r *Refusal) Error() string {
	if r.Code == 0 {
		return r.Stage + " was refused"
	}
	return strings.TrimSpace(fmt.Sprintf("%s was refused: %d %s", r.Stage, r.Code, r.Status))
}

// JobMail is the kind of job that delivers one mail, with [MailArgs].
const JobMail = "enquiry.mail"

// JobLink is the kind of job that delivers a mail with a link, with [MailArgs].
const JobLink = "enquiry.link"

// MailLane is where the jobs of mails are: only servers of the catalogue work them, and
// a mail server that hangs holds up nothing but mails.
const MailLane = "mail"

// MailArgs are the arguments of a [JobMail].
type MailArgs struct {
	Mail string `json:"mail"` // its id
}
