package enquiry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vaak/internal/fault"
)

// retryAfter is the advice to whoever is over a limit. Limits count sixty minutes, so
// after it there is room again for sure.
const retryAfter = time.Hour

// Submit sends an enquiry for which the caller attests the person's consent: by is
// ByREST or ByPage. Errors are those of Check, one of kind RateLimited, code
// [CodeTooMany], with RetryAfter, and Unavailable.
func (s *Service) Submit(ctx context.Context, src Source, f Form, by Method) (Receipt, error) {
	if by != ByREST && by != ByPage {
		return Receipt{}, fmt.Errorf("an enquiry by %q cannot be attested by sending", by)
	}
	d, err := s.checked(ctx, src, f, by)
	if err != nil {
		return Receipt{}, err
	}
	return s.keep(ctx, src, d, consent{method: by})
}

// checked is Check, with an entry of the journal for what it refuses.
func (s *Service) checked(ctx context.Context, src Source, f Form, by Method) (Draft, error) {
	d, err := s.Check(ctx, f)
	if bad, ok := errors.AsType[*fault.Error](err); ok && bad.Kind == fault.Invalid {
		s.note(ctx, s.folded(src, Entry{Outcome: OutcomeRefused, Code: bad.Field, Method: by}))
	}
	return d, err
}

// Refuse keeps an entry of a form that a way in refused before it came here: a box that
// was not ticked, a field of a wrong type. Code names the field.
func (s *Service) Refuse(ctx context.Context, src Source, by Method, code string) {
	s.note(ctx, s.folded(src, Entry{Outcome: OutcomeRefused, Code: code, Method: by}))
}

// consent is what is known of a person's consent.
type consent struct {
	method          Method
	burn            string // what was asked with; used up by the enquiry
	asked, answered time.Time
}

// overMidnight is how long after midnight (UTC) an enquiry of the day before is looked
// for: whoever got no answer to it tries again.
const overMidnight = 15 * time.Minute

// maxPurged is how many times an enquiry of a day may be purged and sent anew.
const maxPurged = 8

// keep sends a draft that the person agreed to.
func (s *Service) keep(ctx context.Context, src Source, d Draft, c consent) (Receipt, error) {
	now := s.cfg.Now()
	if c.answered.IsZero() {
		c.answered = now
	}
	day := now
	if before := now.Add(-overMidnight); before.UTC().Day() != now.UTC().Day() {
		there, found, err := s.cfg.Store.Enquiry(ctx, s.keys.id(d, before, 0))
		if err != nil {
			return Receipt{}, err
		}
		if found && !there.Purged && now.Sub(there.Received) < overMidnight {
			day = before // so that it is the same
		}
	}
	for n := 0; ; n++ {
		kept, err := s.keepAs(ctx, src, Enquiry{ID: s.keys.id(d, day, n), Draft: d, Method: c.method}, c, now)
		switch {
		case err != nil:
			return Receipt{}, err
		case kept.Full != "":
			return Receipt{}, s.limited(ctx, src, c.method, kept.Full, s.cfg.Limits, "enquiries")
		case kept.Repeated && kept.Enquiry.Purged && kept.Enquiry.ID == s.keys.id(d, day, n) && n < maxPurged:
			continue // what was deleted is not there: this is another one
		}
		return s.receipt(kept), nil
	}
}

// keepAs keeps an enquiry with its mails and its entry.
func (s *Service) keepAs(ctx context.Context, src Source, e Enquiry, c consent, now time.Time) (Kept, error) {
	entry := s.entry(src, Entry{
		Outcome: OutcomeSent, Method: c.method, Enquiry: e.ID, Content: s.keys.textOf(e.Draft), State: c.burn, Asked: c.asked, Answered: c.answered,
	})
	return s.cfg.Store.KeepEnquiry(ctx, Submission{
		Enquiry: e, Sender: s.keys.sender.Sign(sender(e.Email)), Client: entry.Client, Limits: s.cfg.Limits,
		Mails: s.compose(e, now), Entry: entry, Burn: c.burn,
	})
}

// limited is the error over a limit of what there are too many of, with its entry.
func (s *Service) limited(ctx context.Context, src Source, by Method, full Scope, l Limits, what string) error {
	s.note(ctx, s.folded(src, Entry{Outcome: OutcomeLimited, Code: string(full), Method: by}))
	why := map[Scope]string{
		SenderScope: fmt.Sprintf("from this e-mail address, whatever its plus-tag, come at most %d %s an hour", l.Sender, what),
		ClientScope: fmt.Sprintf("from your network address come at most %d %s an hour", l.Client, what),
		AllScope:    fmt.Sprintf("at most %d %s an hour are taken in all", l.All, what),
	}[full]
	return &fault.Error{
		Kind: fault.RateLimited, Code: CodeTooMany, RetryAfter: retryAfter,
		Msg: "too many " + what + ": " + why + "; try again in an hour, or write to " + s.cfg.Addresses.Operator,
	}
}

// entry fills in where a call comes from.
func (s *Service) entry(src Source, e Entry) Entry {
	e.At, e.Client, e.Source, e.Times = s.cfg.Now(), s.keys.clientOf(src.Client), src.kept(), max(e.Times, 1)
	return e
}

// folded is entry for what anybody can cause as often as they like: those of a client
// in an hour with the same outcome, of the same enquiry, are one.
func (s *Service) folded(src Source, e Entry) Entry {
	e = s.entry(src, e)
	e.Fold = fmt.Sprintf("%s %s %s %s %s %s", e.Outcome, e.Code, e.Method, e.Enquiry, e.Client, e.At.UTC().Format("2006-01-02T15"))
	return e
}

// noteWait is how long an entry may take to be kept when its caller is gone.
const noteWait = 10 * time.Second

// note keeps an entry that belongs to no transaction. What it tells has happened, so
// neither a caller that leaves nor a store that is down changes the answer.
func (s *Service) note(ctx context.Context, e Entry) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWait)
	defer cancel()
	if err := s.cfg.Store.Note(ctx, e); err != nil {
		s.cfg.Log.WarnContext(ctx, "an entry of the journal of enquiries is lost", "outcome", e.Outcome, "error", err)
	}
}
