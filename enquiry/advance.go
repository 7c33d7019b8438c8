package enquiry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vaak/internal/fault"
)

// questionsPerEnquiry is how many questions may be put for each enquiry that a limit
// lets pass: people say no, and hosts lose answers.
const questionsPerEnquiry = 3

// Advance takes an agent's call one step further: it asks for the person's consent,
// and sends when the agent's host attests it. Where the person is asked by a mail with a
// link, nothing that an agent gets or sends can say yes for them: that is [Service.Confirm].
// Errors are those of Submit; nothing is asked then.
//
// A yes whose state was forged, has expired or belongs to another text is as none: the
// person is asked again, with the text as it stands now. A no needs no state to be
// heeded.
func (s *Service) Advance(ctx context.Context, src Source, f Form, said Said) (Step, error) {
	d, err := s.checked(ctx, src, f, ByHost)
	if err != nil {
		return Step{}, err
	}
	a := advance{Service: s, src: src, draft: d, content: s.keys.contentOf(d), text: s.keys.textOf(d), now: s.cfg.Now()}
	if a.declined, err = s.wasDeclined(ctx, d); err != nil {
		return Step{}, err
	}
	switch {
	case said.State != "" && said.Answer != nil:
		return a.answered(ctx, said)
	case said.Token != "":
		return a.attested(ctx, said)
	case said.Answer != nil:
		a.stale(ctx, staleUnasked)
	}
	return a.ask(ctx, said.CanAsk)
}

// advance is one call of an agent.
type advance struct {
	*Service
	src      Source
	draft    Draft
	content  string // digest of all that the person is shown
	text     string // as [Entry] has it
	declined bool   // the person said no to this text before
	now      time.Time
}

// stale notes that something came back which is worth nothing.
func (a *advance) stale(ctx context.Context, why string) {
	a.note(ctx, a.folded(a.src, Entry{Outcome: OutcomeStale, Code: why, Method: ByHost}))
}

// answered heeds what the person answered.
func (a *advance) answered(ctx context.Context, said Said) (Step, error) {
	yes := said.Answer.Action == Accept && said.Answer.Send
	st, stale := a.keys.opened(said.State, a.content, a.now, false)
	if stale == "" && yes && a.cfg.Policy == MailedLink {
		stale = stalePolicy
	}
	if stale == "" && yes {
		var err error
		if stale, err = a.superseded(ctx, st); err != nil {
			return Step{}, err
		}
	}
	switch {
	case stale == "":
	case yes:
		a.stale(ctx, stale)
		return a.ask(ctx, said.CanAsk)
	default:
		a.stale(ctx, stale)
		return a.unsent(Cancelled), nil
	}
	switch {
	case yes:
		return a.send(ctx, st, ByHost)
	case said.Answer.Action == Accept, said.Answer.Action == Decline:
		a.close(ctx, st, OutcomeDeclined)
		return a.unsent(Declined), nil
	}
	a.close(ctx, st, OutcomeCancelled)
	return a.unsent(Cancelled), nil
}

// unsent is a step that sends nothing, and leaves the form to the person.
func (a *advance) unsent(s Status) Step {
	return Step{Status: s, Draft: a.draft, Form: a.formURL(a.draft)}
}

// superseded says what makes a yes to a question void: the person said no to the text,
// or put the question away. Then the host asked once more by itself, or somebody
// replays.
func (a *advance) superseded(ctx context.Context, st state) (stale string, err error) {
	if a.declined {
		return staleDeclined, nil
	}
	cancelled, err := a.cfg.Store.WasCancelled(ctx, a.keys.digest(st.Token))
	if cancelled {
		stale = staleAnswered
	}
	return stale, err
}

// close notes an answer that is not a yes; the same one again is the same entry.
func (a *advance) close(ctx context.Context, st state, o Outcome) {
	digest := a.keys.digest(st.Token)
	e := a.entry(a.src, Entry{
		Outcome: o, Method: ByHost, Content: a.text, State: digest, Asked: time.Unix(st.Asked, 0), Answered: a.now,
	})
	e.Fold = string(o) + " " + digest
	a.note(ctx, e)
}

// attested heeds an agent that says that the person agreed.
func (a *advance) attested(ctx context.Context, said Said) (Step, error) {
	stale := staleUnasked
	var st state
	if a.cfg.Policy == AllowAttested {
		st, stale = a.keys.opened(said.Token, a.content, a.now, true)
	}
	if stale == "" && a.declined {
		stale = staleDeclined
	}
	if stale != "" {
		a.stale(ctx, stale)
		return a.ask(ctx, said.CanAsk)
	}
	return a.send(ctx, st, ByAgent)
}

// send sends what the person agreed to.
func (a *advance) send(ctx context.Context, st state, by Method) (Step, error) {
	r, err := a.keep(ctx, a.src, a.draft, consent{
		method: by, burn: a.keys.digest(st.Token), asked: time.Unix(st.Asked, 0), answered: a.now,
	})
	if err != nil {
		return Step{}, err
	}
	return Step{Status: Sent, Draft: a.draft, Receipt: &r}, nil
}

// wasDeclined reports whether the person said no to a text, also under a secret that was
// changed since.
func (s *Service) wasDeclined(ctx context.Context, d Draft) (declined bool, err error) {
	for _, text := range s.keys.text.Signatures(words(d)...) {
		if declined, err = s.cfg.Store.WasDeclined(ctx, text); declined || err != nil {
			break
		}
	}
	return declined, err
}

// ask puts the question: to the host when it can show it, else by a mail to the person.
// What was sent today already is not asked again. Who does not know all of it is not
// told so.
func (a *advance) ask(ctx context.Context, canAsk bool) (Step, error) {
	sent, found, err := a.cfg.Store.Enquiry(ctx, a.keys.id(a.draft, a.now, 0))
	if err != nil {
		return Step{}, err
	}
	if found && a.keys.contentOf(sent.Draft) == a.content {
		a.note(ctx, a.folded(a.src, Entry{Outcome: OutcomeRepeated, Method: ByHost, Enquiry: sent.ID, Content: a.text}))
		r := a.receipt(Kept{Enquiry: sent, Repeated: true})
		return Step{Status: Sent, Draft: a.draft, Receipt: &r}, nil
	}
	full, err := a.cfg.Store.FullFor(ctx, a.keys.sender.Sign(sender(a.draft.Email)), a.keys.clientOf(a.src.Client), a.cfg.Limits)
	if err != nil {
		return Step{}, err
	}
	if full != "" {
		return Step{}, a.limited(ctx, a.src, ByHost, full, a.cfg.Limits, "enquiries")
	}
	switch {
	case a.declined:
		a.note(ctx, a.folded(a.src, Entry{Outcome: OutcomeRefused, Code: staleDeclined, Method: ByHost, Content: a.text}))
		return a.unsent(Declined), nil
	case canAsk && a.cfg.Policy != MailedLink:
		return a.askByHost(ctx)
	case a.cfg.Policy == AllowAttested:
		return a.askByAgent(ctx)
	case a.mailsLinks():
		return a.askByMail(ctx)
	}
	a.note(ctx, a.folded(a.src, Entry{Outcome: OutcomePointed, Method: ByPage}))
	return a.unsent(Waiting), nil
}

// asking is a question about the draft, whose token is known to nobody yet.
func (a *advance) asking(o Outcome, by Method) (state, Ask) {
	st := state{Token: newToken(), Content: a.content, Asked: a.now.Unix()}
	p := Pending{
		Digest: a.keys.digest(st.Token), Form: a.draft.Form, Content: a.text, Client: a.keys.clientOf(a.src.Client),
		Source: a.src.kept(), Asked: a.now, Expires: a.now.Add(linkGood),
	}
	e := a.entry(a.src, Entry{
		Outcome: o, Method: by, Content: a.text, Shown: a.question(a.draft), State: p.Digest, Asked: a.now,
	})
	return st, Ask{Pending: p, Entry: e, Limits: a.Terms().Questions, Links: a.cfg.Links}
}

// put keeps a question; the error is that of a limit without room.
func (a *advance) put(ctx context.Context, q Ask) (Asked, error) {
	put, err := a.cfg.Store.PutQuestion(ctx, q)
	switch {
	case err != nil || put.Full == "":
		return put, err
	case put.OfMail:
		return put, a.mailLimited(ctx, put.Full)
	}
	return put, a.limited(ctx, a.src, q.Entry.Method, put.Full, q.Limits, "questions to people")
}

// askByHost has the agent's host ask the person.
func (a *advance) askByHost(ctx context.Context) (Step, error) {
	st, q := a.asking(OutcomeAsked, ByHost)
	if _, err := a.put(ctx, q); err != nil {
		return Step{}, err
	}
	return Step{Status: Asking, Draft: a.draft, Question: q.Entry.Shown, State: a.keys.sealed(st, false)}, nil
}

// askByAgent leaves it to the agent to ask, and to attest that the person agreed.
func (a *advance) askByAgent(ctx context.Context) (Step, error) {
	st, q := a.asking(OutcomePointed, ByAgent)
	if _, err := a.put(ctx, q); err != nil {
		return Step{}, err
	}
	step := a.unsent(Waiting)
	step.Token = a.keys.sealed(st, true)
	return step, nil
}

// askByMail mails a link to the person, unless the same was mailed before and waits. The
// token of the link goes into the mail and nowhere else: what is kept of the mail is
// sealed until it is handed to the mail server.
func (a *advance) askByMail(ctx context.Context) (Step, error) {
	st, q := a.asking(OutcomeMailed, ByMail)
	q.Pending.Recipient, q.Pending.Whole = a.keys.sender.Sign(sender(a.draft.Email)), a.content
	q.Mail = a.linkMail(a.draft, st.Token, q.Pending)
	put, err := a.put(ctx, q)
	if err != nil {
		return Step{}, err
	}
	step := Step{Status: Waiting, Draft: a.draft, Mailed: MailQueued, Expires: q.Pending.Expires}
	if put.There == nil {
		return step, nil
	}
	a.note(ctx, a.folded(a.src, Entry{Outcome: OutcomeRepeated, Method: ByMail, Content: a.text}))
	if put.State == Failed {
		step = a.unsent(Waiting)
		step.Mailed = MailFailed
		return step, nil
	}
	step.Mailed, step.Expires = MailAgain, put.There.Expires
	return step, nil
}

// mailLimited is the error over a limit of mails with a link.
func (a *advance) mailLimited(ctx context.Context, full Scope) error {
	l := a.cfg.Links
	err := a.limited(ctx, a.src, ByMail, full, Limits{Client: l.Client, All: l.All}, "mails with a link")
	f, ok := errors.AsType[*fault.Error](err)
	if ok && full == SenderScope {
		f.Msg = fmt.Sprintf("too many mails with a link: to one e-mail address go at most %d in 24 hours, whatever its plus-tag; the person can use a link that they got, the form of the site, or write to %s",
			l.Address, a.cfg.Addresses.Operator)
		f.RetryAfter = linkGood
	}
	return err
}
