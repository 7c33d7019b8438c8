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

// Deliver works a [JobMail]. A mail that was delivered is not sent again, one that was
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
	failure := p.Sender.Send(ctx, m)
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
		p.Log.ErrorContext(ctx, "a mail could not be delivered; see vaak enquiry show, and vaak enquiry retry", "enquiry", m.Enquiry, "mail", m.ID, "attempts", m.Attempts+1, "error", failure)
	}
	return nil
}
