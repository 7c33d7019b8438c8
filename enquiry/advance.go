package enquiry

import (
	"context"
	"time"
)

// questionsPerEnquiry is how many questions may be put for each enquiry that a limit
// lets pass: people say no, and hosts lose answers.
const questionsPerEnquiry = 3

// Advance takes an agent's call one step further: it asks for the person's consent,
// and sends when it has it. Errors are those of Submit; nothing is asked then.
//
// A yes whose state was forged, has expired or belongs to another text is as none: the
// person is asked again, with the text as it stands now. A no needs no state to be
// heeded.
func (s *Service) Advance(ctx context.Context, src Source, f Form, said Said) (Step, error) {
	d, err := s.checked(ctx, src, f, ByElicitation)
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
	a.note(ctx, a.folded(a.src, Entry{Outcome: OutcomeStale, Code: why, Method: ByElicitation}))
}

// answered heeds what the person answered.
func (a *advance) answered(ctx context.Context, said Said) (Step, error) {
	yes := said.Answer.Action == Accept && said.Answer.Send
	st, stale := a.keys.opened(said.State, a.content, a.now, false)
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
		return Step{Status: Cancelled, Draft: a.draft}, nil
	}
	step := Step{Draft: a.draft, Link: a.link(st.Token), Expires: time.Unix(st.Asked, 0).Add(linkGood)}
	switch {
	case yes:
		return a.send(ctx, st, ByElicitation)
	case said.Answer.Action == Accept, said.Answer.Action == Decline:
		step.Status = Declined
		a.close(ctx, st, OutcomeDeclined)
	default:
		step.Status = Cancelled
		a.close(ctx, st, OutcomeCancelled)
	}
	return step, nil
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
		Outcome: o, Method: ByElicitation, Content: a.text, State: digest, Asked: time.Unix(st.Asked, 0), Answered: a.now,
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

// ask puts the question: to the host when it can show it, else on a page. What was
// sent today already is not asked again. Who does not know all of it is not told so.
func (a *advance) ask(ctx context.Context, canAsk bool) (Step, error) {
	sent, found, err := a.cfg.Store.Enquiry(ctx, a.keys.id(a.draft, a.now, 0))
	if err != nil {
		return Step{}, err
	}
	if found && a.keys.contentOf(sent.Draft) == a.content {
		a.note(ctx, a.folded(a.src, Entry{Outcome: OutcomeRepeated, Method: ByElicitation, Enquiry: sent.ID, Content: a.text}))
		r := a.receipt(Kept{Enquiry: sent, Repeated: true})
		return Step{Status: Sent, Draft: a.draft, Receipt: &r}, nil
	}
	full, err := a.cfg.Store.FullFor(ctx, a.keys.sender.Sign(sender(a.draft.Email)), a.keys.clientOf(a.src.Client), a.cfg.Limits)
	if err != nil {
		return Step{}, err
	}
	if full != "" {
		return Step{}, a.limited(ctx, a.src, ByElicitation, full, a.cfg.Limits, "enquiries")
	}
	return a.put(ctx, canAsk && !a.declined)
}

// put keeps the question and hands it out.
func (a *advance) put(ctx context.Context, byHost bool) (Step, error) {
	st := state{Token: newToken(), Content: a.content, Asked: a.now.Unix()}
	p := Pending{
		Digest: a.keys.digest(st.Token), Form: a.draft.Form, Content: a.text, Client: a.keys.clientOf(a.src.Client),
		Source: a.src.kept(), Asked: a.now, Expires: a.now.Add(linkGood),
	}
	e := a.entry(a.src, Entry{
		Outcome: OutcomeLinked, Method: ByLink, Content: a.text, Shown: a.question(a.draft), State: p.Digest, Asked: a.now,
	})
	if byHost {
		e.Outcome, e.Method = OutcomeAsked, ByElicitation
	}
	l := a.Terms().Questions
	full, err := a.cfg.Store.PutPending(ctx, p, l, e)
	if err != nil {
		return Step{}, err
	}
	if full != "" {
		return Step{}, a.limited(ctx, a.src, e.Method, full, l, "questions to people")
	}
	if byHost {
		return Step{Status: Asking, Draft: a.draft, Question: e.Shown, State: a.keys.sealed(st, false)}, nil
	}
	return a.linked(st, p.Expires), nil
}

// linked is the step of a question that is put on a page.
func (a *advance) linked(st state, expires time.Time) Step {
	step := Step{Status: Waiting, Draft: a.draft, Link: a.link(st.Token), Expires: expires}
	switch {
	case a.declined:
		step.Status = Declined
	case a.cfg.Policy == AllowAttested:
		step.Token = a.keys.sealed(st, true)
	}
	return step
}

// link is where a person can send what waits under a token; "" without an address.
func (s *Service) link(token string) string {
	if s.cfg.PublicURL == "" {
		return ""
	}
	return s.cfg.PublicURL + ConfirmPath + token
}
