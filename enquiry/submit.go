package enquiry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vaak/internal/fault"
)

// retryAfter is the advice to a caller over a limit. Limits count sixty minutes, so that after
// this time there is certainly room.
const retryAfter = time.Hour

// Submit sends an enquiry for which the caller attests the person's consent; by is ByREST or
// ByPage. Errors are those of Check; of kind RateLimited, code [CodeTooMany], with
// RetryAfter; and of kind Unavailable.
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

// checked is Check with an entry in the journal if the form is refused.
func (s *Service) checked(ctx context.Context, src Source, f Form, by Method) (Draft, error) {
	d, err := s.Check(ctx, f)
	if bad, ok := errors.AsType[*fault.Error](err); ok && bad.Kind == fault.Invalid {
		s.note(ctx, s.folded(src, Entry{Outcome: OutcomeRefused, Code: bad.Field, Method: by}))
	}
	return d, err
}

// Refuse records a form that a transport has refused before it reached the service, for example
// because the box was not ticked or a field has the wrong type. code names the field.
func (s *Service) Refuse(ctx context.Context, src Source, by Method, code string) {
	s.note(ctx, s.folded(src, Entry{Outcome: OutcomeRefused, Code: code, Method: by}))
}

// consent is what is known about a person's consent.
type consent struct {
	method          Method
	burn            string // digest of the question, which the enquiry uses up; or ""
	asked, answered time.Time
}

// overMidnight is for how long after midnight (UTC) an enquiry is compared with those of the day
// before: a caller that got no answer just before midnight tries again just after it.
const overMidnight = 15 * time.Minute

// maxPurged is how often the same enquiry of one day may be purged and sent anew.
const maxPurged = 8

// keep stores a draft that the person agreed to.
func (s *Service) keep(ctx context.Context, src Source, d Draft, c consent) (Receipt, error) {
	now := s.cfg.Now()
	// A program that attests consent sends at the moment of consent.
	if c.answered.IsZero() {
		c.answered = now
	}
	day := now
	// Only in the first minutes of a day: ids of the day before are looked up once.
	if before := now.Add(-overMidnight); before.UTC().Day() != now.UTC().Day() {
		there, found, err := s.cfg.Store.Enquiry(ctx, s.keys.id(d, before, 0))
		if err != nil {
			return Receipt{}, err
		}
		if found && !there.Purged && now.Sub(there.Received) < overMidnight {
			day = before // gives it the id of that enquiry, so that it is a repetition
		}
	}
	// Each round tries the next id of the day, past enquiries that were purged.
	for n := 0; ; n++ {
		kept, err := s.keepAs(ctx, src, Enquiry{ID: s.keys.id(d, day, n), Draft: d, Method: c.method}, c, now)
		switch {
		case err != nil:
			return Receipt{}, err
		case kept.Full != "":
			return Receipt{}, s.limited(ctx, src, c.method, kept.Full, s.cfg.Limits, "enquiries")
		case kept.Repeated && kept.Enquiry.Purged && kept.Enquiry.ID == s.keys.id(d, day, n) && n < maxPurged:
			continue // the purged enquiry does not count, so this one gets another id
		}
		return s.receipt(kept), nil
	}
}

// keepAs stores an enquiry with its mails and its entry.
func (s *Service) keepAs(ctx context.Context, src Source, e Enquiry, c consent, now time.Time) (Kept, error) {
	entry := s.entry(src, Entry{
		Outcome: OutcomeSent, Method: c.method, Enquiry: e.ID, Content: s.keys.textOf(e.Draft), State: c.burn, Asked: c.asked, Answered: c.answered,
	})
	return s.cfg.Store.KeepEnquiry(ctx, Submission{
		Enquiry: e, Sender: s.keys.sender.Sign(sender(e.Email)), Client: entry.Client, Limits: s.cfg.Limits,
		Mails: s.compose(e, now), Entry: entry, Burn: c.burn,
	})
}

// limited records that a limit is exceeded and returns the error for it. what is the thing of
// which there are too many.
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

// entry fills in when and from where a call came.
func (s *Service) entry(src Source, e Entry) Entry {
	e.At, e.Client, e.Source, e.Times = s.cfg.Now(), s.keys.clientOf(src.Client), src.kept(), max(e.Times, 1)
	return e
}

// folded is entry for events that anybody can cause as often as they like. Those of one client
// with the same outcome about the same enquiry are one entry an hour.
func (s *Service) folded(src Source, e Entry) Entry {
	e = s.entry(src, e)
	e.Fold = fmt.Sprintf("%s %s %s %s %s %s", e.Outcome, e.Code, e.Method, e.Enquiry, e.Client, e.At.UTC().Format("2006-01-02T15"))
	return e
}

// noteWait is how long storing an entry may take after its caller has gone.
const noteWait = 10 * time.Second

// note stores an entry that belongs to no transaction. The event has happened, so neither a
// caller that leaves nor a store that is down changes the answer.
func (s *Service) note(ctx context.Context, e Entry) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWait)
	defer cancel()
	if err := s.cfg.Store.Note(ctx, e); err != nil {
		s.cfg.Log.WarnContext(ctx, "an entry of the journal of enquiries is lost", "outcome", e.Outcome, "error", err)
	}
}
