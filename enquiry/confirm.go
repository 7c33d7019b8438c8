package enquiry

import (
	"context"
	"errors"
	"strings"
	"time"

	"vaak/internal/fault"
)

// Codes of the errors of links at which nothing can be sent.
const (
	CodeLinkNotFound = "enquiry_link_not_found" // it leads nowhere
	CodeLinkUnmailed = "enquiry_link_unmailed"  // an agent was given it, by an older version
)

// Waits is what a person sees at a link.
type Waits struct {
	Draft   Draft
	Agent   string // the name and version of the agent's program, as it said itself
	Asked   time.Time
	Expires time.Time
	Sent    string // id of the enquiry, when it was sent already
}

// Pending returns what waits for the person at a link, by the token at its end. The
// error of a token that is unknown or has expired is of kind NotFound, code
// [CodeLinkNotFound], as is that of a link that went through an agent, code
// [CodeLinkUnmailed], unless it was used then; that of a dataset that is not offered any more is that of Check,
// unless it was sent already.
func (s *Service) Pending(ctx context.Context, token string) (Waits, error) {
	p, err := s.linked(ctx, token)
	if err != nil {
		return Waits{}, err
	}
	d, err := s.draftOf(ctx, p)
	if err != nil {
		return Waits{}, err
	}
	return Waits{
		Draft: d, Agent: strings.TrimSpace(p.Source.Agent + " " + p.Source.AgentVersion), Asked: p.Asked, Expires: p.Expires, Sent: p.Sent,
	}, nil
}

// linked returns what a link leads to, also one that was made before the secret was
// changed.
func (s *Service) linked(ctx context.Context, token string) (Pending, error) {
	for _, digest := range s.keys.token.Signatures(token) {
		p, found, err := s.cfg.Store.Pending(ctx, digest)
		if found && p.Recipient == "" && p.Sent == "" {
			return Pending{}, fault.New(fault.NotFound, CodeLinkUnmailed, "",
				"nothing can be sent from this link: it went through a program, and only one that is mailed to you counts; ask the program to send the enquiry again, and a link comes by mail, or use the form of the site")
		}
		if found || err != nil {
			return p, err
		}
	}
	return Pending{}, fault.New(fault.NotFound, CodeLinkNotFound, "", "this link leads nowhere (any more): it is good for a day, and nothing was sent by it")
}

// draftOf is the draft that waits, or that was sent.
func (s *Service) draftOf(ctx context.Context, p Pending) (Draft, error) {
	if p.Sent == "" {
		return s.Check(ctx, p.Form)
	}
	e, _, err := s.cfg.Store.Enquiry(ctx, p.Sent)
	return e.Draft, err
}

// Confirm sends what waits at a link; a second time it has no effect, and the receipt
// is Repeated. Errors are those of Pending and of Submit.
func (s *Service) Confirm(ctx context.Context, src Source, token string) (Receipt, error) {
	p, err := s.linked(ctx, token)
	if err != nil {
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.NotFound {
			why := staleUnknown
			if f.Code == CodeLinkUnmailed {
				why = staleUnmailed
			}
			s.note(ctx, s.folded(src, Entry{Outcome: OutcomeStale, Code: why, Method: ByMail}))
		}
		return Receipt{}, err
	}
	d, err := s.draftOf(ctx, p)
	if err != nil {
		return Receipt{}, err
	}
	if p.Sent != "" {
		s.note(ctx, s.folded(src, Entry{Outcome: OutcomeRepeated, Method: ByMail, Enquiry: p.Sent, State: p.Digest}))
		r, err := s.Receipt(ctx, p.Sent)
		r.Repeated = true
		return r, err
	}
	src.Agent, src.AgentVersion, src.Protocol = p.Source.Agent, p.Source.AgentVersion, p.Source.Protocol
	return s.keep(ctx, src, d, consent{method: ByMail, burn: p.Digest, asked: p.Asked})
}
