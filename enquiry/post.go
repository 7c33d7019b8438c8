package enquiry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Post delivers mails, as jobs.
type Post struct {
	Outbox Outbox
	Sender Sender
	// Reveal returns a mail as it goes out, false when this server cannot; nil is the
	// mail as it is kept. See [Service.Reveal].
	Reveal func(Mail) (Mail, bool)
	Now    func() time.Time // nil is time.Now
	Log    *slog.Logger     // nil discards
}

// Attempts is how often a mail is tried: over two days, as [Backoff] has it.
const Attempts = 17

// Backoff is how long to wait after an attempt, counted from 1: a minute, doubling up
// to six hours.
func Backoff(attempt int) time.Duration {
	return min(time.Minute<<min(max(attempt-1, 0), 10), 6*time.Hour)
}

// sentWait is how long it may take to note that a mail was taken. When that fails it
// is sent again, with the same Message-ID.
const sentWait = 15 * time.Second

// Deliver works a [JobMail] or a [JobLink]. A mail that was delivered is not sent again, one that was
// refused for good, or tried for two days, is marked so, and any other error asks for
// another attempt.
func (p *Post) Deliver(ctx context.Context, args []byte) error {
	var a MailArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return fmt.Errorf("read the arguments: %w", err)
	}
	m, found, err := p.Outbox.Mail(ctx, a.Mail)
	if err != nil || !found || m.State != Queued {
		return err
	}
	failure := p.send(ctx, m)
	now := time.Now
	if p.Now != nil {
		now = p.Now
	}
	kept, cancel := context.WithTimeout(context.WithoutCancel(ctx), sentWait)
	defer cancel()
	if failure == nil {
		return p.Outbox.MailSent(kept, m.ID, now())
	}
	if ctx.Err() != nil {
		return fmt.Errorf("deliver %s: %w", m.ID, failure) // it was broken off: not a failed attempt
	}
	_, refused := errors.AsType[*Refusal](failure)
	final := refused || m.Attempts+1 >= Attempts
	if err := p.Outbox.MailFailed(kept, m.ID, now(), failure.Error(), final); err != nil {
		return errors.Join(failure, err)
	}
	if !final {
		return fmt.Errorf("deliver %s: %w", m.ID, failure)
	}
	if p.Log != nil {
		p.tell(ctx, m, failure)
	}
	return nil
}

// errSealed is the error of a mail that another server has to send.
var errSealed = errors.New("the mail was sealed with a secret that this server does not have; every server needs the same one")

// send hands a mail over as it is meant to be read.
func (p *Post) send(ctx context.Context, m Mail) error {
	if p.Reveal != nil {
		open, ok := p.Reveal(m)
		if !ok {
			return errSealed
		}
		m = open
	}
	return p.Sender.Send(ctx, m)
}

// tell logs a mail that is given up. One with a link is no loss: whoever typed an
// address wrong learns it from the agent, and the form is there.
func (p *Post) tell(ctx context.Context, m Mail, failure error) {
	if m.Kind == WithLink {
		p.Log.WarnContext(ctx, "a mail with a link for a person could not be delivered, so nothing is sent for them", "mail", m.ID, "attempts", m.Attempts+1, "error", failure)
		return
	}
	p.Log.ErrorContext(ctx, "a mail could not be delivered; see vaak enquiry show, and vaak enquiry retry", "enquiry", m.Enquiry, "mail", m.ID, "attempts", m.Attempts+1, "error", failure)
}
