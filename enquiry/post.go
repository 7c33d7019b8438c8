package enquiry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Post delivers mails. Its Deliver is the handler of mail jobs.
type Post struct {
	Outbox Outbox
	Sender Sender
	// Reveal returns a mail with its text unsealed, and false if this server cannot; nil
	// sends mails as they are stored. See [Service.Reveal].
	Reveal func(Mail) (Mail, bool)
	Now    func() time.Time // nil means time.Now
	Log    *slog.Logger     // nil logs nothing
}

// Attempts is how often a mail is tried; with [Backoff] that takes two days.
const Attempts = 17

// Backoff returns the wait after an attempt, counted from 1: one minute, doubled each time up
// to six hours.
func Backoff(attempt int) time.Duration {
	return min(time.Minute<<min(max(attempt-1, 0), 10), 6*time.Hour)
}

// sentWait is how long recording the outcome may take. If it fails after the mail was accepted,
// the mail is sent again with the same Message-ID, by which receivers know it as the same.
const sentWait = 15 * time.Second

// Deliver works a [JobMail] or a [JobLink]. A mail that was delivered is not sent again. A mail
// that was refused for good, or has been tried for two days, is marked as failed. Any other
// error asks for another attempt.
func (p *Post) Deliver(ctx context.Context, args []byte) error {
	var a MailArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return fmt.Errorf("read the arguments: %w", err)
	}
	m, found, err := p.Outbox.Mail(ctx, a.Mail)
	// A job may run twice: after a crash, or when the record of a success was lost.
	if err != nil || !found || m.State != Queued {
		return err
	}
	failure := p.send(ctx, m)
	now := time.Now
	if p.Now != nil {
		now = p.Now
	}
	// The outcome is recorded even if the server shuts down meanwhile; otherwise the mail would be
	// sent twice or an attempt not counted.
	recordCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sentWait)
	defer cancel()
	if failure == nil {
		return p.Outbox.MailSent(recordCtx, m.ID, now())
	}
	if ctx.Err() != nil {
		return fmt.Errorf("deliver %s: %w", m.ID, failure) // interrupted: not a failed attempt
	}
	_, refused := errors.AsType[*Refusal](failure)
	// m.Attempts is from before this attempt.
	final := refused || m.Attempts+1 >= Attempts
	if err := p.Outbox.MailFailed(recordCtx, m.ID, now(), failure.Error(), final); err != nil {
		return errors.Join(failure, err)
	}
	if !final {
		return fmt.Errorf("deliver %s: %w", m.ID, failure)
	}
	if p.Log != nil {
		p.logFailure(ctx, m, failure)
	}
	return nil
}

// errSealed is the error for a mail that only a server with another secret can send.
var errSealed = errors.New("the mail was sealed with a secret that this server does not have; every server needs the same one")

// send unseals a mail and hands it over.
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

// logFailure logs that a mail is given up. For a mail with a link that is only a warning: the address
// was wrong, the agent learns it, and the form remains.
func (p *Post) logFailure(ctx context.Context, m Mail, failure error) {
	if m.Kind == WithLink {
		p.Log.WarnContext(ctx, "a mail with a link for a person could not be delivered, so nothing is sent for them", "mail", m.ID, "attempts", m.Attempts+1, "error", failure)
		return
	}
	p.Log.ErrorContext(ctx, "a mail could not be delivered; vaak enquiry show with the id of the enquiry says why, vaak enquiry retry with the id of the mail sends it again", "enquiry", m.Enquiry, "mail", m.ID, "attempts", m.Attempts+1, "error", failure)
}
