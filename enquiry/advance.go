package enquiry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vaak/internal/fault"
)

// questionsPerEnquiry is how many questions may be put to people for each enquiry that a limit
// allows: people say no, and hosts lose answers.
const questionsPerEnquiry = 3

// Advance handles one call of an agent. It asks for the person's consent, or sends the enquiry
// if the agent's host attests that the person has consented. If the person is asked by a
// mailed link, nothing that the agent receives or sends can consent for them: only
// [Service.Confirm] sends then. Errors are those of Submit; with an error nobody is asked.
//
// A yes whose state is forged, has expired or belongs to another text counts as no answer: the
// person is asked again, with the current text. A no is respected even without a valid state.
func (s *Service) Advance(ctx context.Context, src Source, f Form, in AgentInput) (Step, error) {
	d, err := s.checked(ctx, src, f, ByHost)
	if err != nil {
		return Step{}, err
	}
	a := advance{Service: s, src: src, draft: d, content: s.keys.contentOf(d), text: s.keys.textOf(d), now: s.cfg.Now()}
	if a.declined, err = s.wasDeclined(ctx, d); err != nil {
		return Step{}, err
	}
	switch {
	case in.State != "" && in.Answer != nil:
		return a.answered(ctx, in)
	case in.Token != "":
		return a.attested(ctx, in)
	case in.Answer != nil:
		a.stale(ctx, staleUnasked)
	}
	return a.ask(ctx, in.CanAsk)
}

// advance is one call of an agent.
type advance struct {
	*Service
	src      Source
	draft    Draft
	content  string // digest of everything that the person is shown
	text     string // digest of who asks for what in which words, as [Entry] has it
	declined bool   // the person has declined this text before
	now      time.Time
}

// stale records that a state or token came back that cannot be used, and why.
func (a *advance) stale(ctx context.Context, why string) {
	a.note(ctx, a.folded(a.src, Entry{Outcome: OutcomeStale, Code: why, Method: ByHost}))
}

// answered acts on the answer that the host brings back from the person.
func (a *advance) answered(ctx context.Context, in AgentInput) (Step, error) {
	// An accept without the ticked box is not consent.
	yes := in.Answer.Action == Accept && in.Answer.Send
	st, stale := a.keys.opened(in.State, a.content, a.now, false)
	// The policy may have changed between the question and the answer.
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
	case yes: // to another text, or too late: the person is asked about the current one
		a.stale(ctx, stale)
		return a.ask(ctx, in.CanAsk)
	default: // a no that cannot be checked still ends the call; asking again would press the person
		a.stale(ctx, stale)
		return a.unsent(Cancelled), nil
	}
	switch {
	case yes:
		return a.send(ctx, st, ByHost)
	case in.Answer.Action == Accept, in.Answer.Action == Decline:
		a.close(ctx, st, OutcomeDeclined)
		return a.unsent(Declined), nil
	}
	a.close(ctx, st, OutcomeCancelled)
	return a.unsent(Cancelled), nil
}

// unsent returns a step that sends nothing and points the person to the public form.
func (a *advance) unsent(s Status) Step {
	return Step{Status: s, Draft: a.draft, Form: a.formURL(a.draft)}
}

// superseded returns why a yes no longer counts, or "": the person has declined the text or
// dismissed this question meanwhile. A yes after that comes from a host that asked again by
// itself, or is a replay.
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

// close records an answer that is not a yes. The same answer again is folded into one entry.
func (a *advance) close(ctx context.Context, st state, o Outcome) {
	digest := a.keys.digest(st.Token)
	e := a.entry(a.src, Entry{
		Outcome: o, Method: ByHost, Content: a.text, State: digest, Asked: time.Unix(st.Asked, 0), Answered: a.now,
	})
	// By the question, so that a host that repeats its call does not fill the journal.
	e.Fold = string(o) + " " + digest
	a.note(ctx, e)
}

// attested sends if the operator allows agents to attest consent and the token is valid.
func (a *advance) attested(ctx context.Context, in AgentInput) (Step, error) {
	stale := staleUnasked
	var st state
	// Under any other policy the token is ignored and the person is asked.
	if a.cfg.Policy == AllowAttested {
		st, stale = a.keys.opened(in.Token, a.content, a.now, true)
	}
	if stale == "" && a.declined {
		stale = staleDeclined
	}
	if stale != "" {
		a.stale(ctx, stale)
		return a.ask(ctx, in.CanAsk)
	}
	return a.send(ctx, st, ByAgent)
}

// send sends the enquiry that the person has consented to.
func (a *advance) send(ctx context.Context, st state, by Method) (Step, error) {
	r, err := a.keep(ctx, a.src, a.draft, consent{
		method: by, burn: a.keys.digest(st.Token), asked: time.Unix(st.Asked, 0), answered: a.now,
	})
	if err != nil {
		return Step{}, err
	}
	return Step{Status: Sent, Draft: a.draft, Receipt: &r}, nil
}

// wasDeclined reports whether the person has declined a text. It tries the secrets of the past
// as well, because a decline must outlive a change of the secret.
func (s *Service) wasDeclined(ctx context.Context, d Draft) (declined bool, err error) {
	for _, text := range s.keys.text.Signatures(words(d)...) {
		if declined, err = s.cfg.Store.WasDeclined(ctx, text); declined || err != nil {
			break
		}
	}
	return declined, err
}

// ask puts the question to the person: through the host if it can show questions, otherwise by
// mail. An enquiry that was sent today already is not asked about again; but the caller is
// told so only if it knows the whole content, so that nobody can probe for enquiries.
func (a *advance) ask(ctx context.Context, canAsk bool) (Step, error) {
	sent, found, err := a.cfg.Store.Enquiry(ctx, a.keys.id(a.draft, a.now, 0))
	if err != nil {
		return Step{}, err
	}
	// The id follows from the words alone. Only a caller who knows name, company and agent too has
	// sent this enquiry or seen it.
	if found && a.keys.contentOf(sent.Draft) == a.content {
		a.note(ctx, a.folded(a.src, Entry{Outcome: OutcomeRepeated, Method: ByHost, Enquiry: sent.ID, Content: a.text}))
		r := a.receipt(Kept{Enquiry: sent, Repeated: true})
		return Step{Status: Sent, Draft: a.draft, Receipt: &r}, nil
	}
	// Checked before anybody is asked: a person should not consent to what is then refused.
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
	// A host that can ask comes first: the person answers at once and no mail is needed.
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

// asking returns a new question about the draft. Nobody knows its token yet.
func (a *advance) asking(o Outcome, by Method) (state, Ask) {
	st := state{Token: newToken(), Content: a.content, Asked: a.now.Unix()}
	p := Pending{
		Digest: a.keys.digest(st.Token), Form: a.draft.Form, Content: a.text, Client: a.keys.clientOf(a.src.Client),
		Source: a.src.kept(), Asked: a.now, Expires: a.now.Add(linkValid),
	}
	e := a.entry(a.src, Entry{
		Outcome: o, Method: by, Content: a.text, Shown: a.question(a.draft), State: p.Digest, Asked: a.now,
	})
	return st, Ask{Pending: p, Entry: e, Limits: a.Terms().Questions, Links: a.cfg.Links}
}

// put stores a question. The error says which limit has no room, if one has none.
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

// askByAgent leaves the asking to the agent, which may attest the person's consent later.
func (a *advance) askByAgent(ctx context.Context) (Step, error) {
	st, q := a.asking(OutcomePointed, ByAgent)
	if _, err := a.put(ctx, q); err != nil {
		return Step{}, err
	}
	step := a.unsent(Waiting)
	step.Token = a.keys.sealed(st, true)
	return step, nil
}

// askByMail mails a link to the person, unless the same question was mailed before and still
// waits. The token of the link is in the mail and nowhere else: the stored mail is sealed
// until it is handed to the mail server.
func (a *advance) askByMail(ctx context.Context) (Step, error) {
	st, q := a.asking(OutcomeMailed, ByMail)
	// By these two the store finds the same question to the same person.
	q.Pending.Recipient, q.Pending.Whole = a.keys.sender.Sign(sender(a.draft.Email)), a.content
	q.Mail = a.linkMail(a.draft, st.Token, q.Pending)
	put, err := a.put(ctx, q)
	if err != nil {
		return Step{}, err
	}
	step := Step{Status: Waiting, Draft: a.draft, Mailed: MailQueued, Expires: q.Pending.Expires}
	// The mail was queued in the same transaction as the question.
	if put.There == nil {
		return step, nil
	}
	a.note(ctx, a.folded(a.src, Entry{Outcome: OutcomeRepeated, Method: ByMail, Content: a.text}))
	// The address does not work. Another mail to it would fail too.
	if put.State == Failed {
		step = a.unsent(Waiting)
		step.Mailed = MailFailed
		return step, nil
	}
	step.Mailed, step.Expires = MailAgain, put.There.Expires
	return step, nil
}

// mailLimited returns the error for a limit of mails with a link.
func (a *advance) mailLimited(ctx context.Context, full Scope) error {
	l := a.cfg.Links
	err := a.limited(ctx, a.src, ByMail, full, Limits{Client: l.Client, All: l.All}, "mails with a link")
	f, ok := errors.AsType[*fault.Error](err)
	if ok && full == SenderScope {
		f.Msg = fmt.Sprintf("too many mails with a link: to one e-mail address go at most %d in 24 hours, whatever its plus-tag; the person can use a link that they got, the form of the site, or write to %s",
			l.Address, a.cfg.Addresses.Operator)
		f.RetryAfter = linkValid
	}
	return err
}
