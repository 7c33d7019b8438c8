package enquiry

import (
	"context"
	"errors"
	"strings"
	"time"

	"vaak/internal/fault"
)

// Error codes of links at which nothing can be sent.
const (
	CodeLinkNotFound = "enquiry_link_not_found" // unknown or expired
	CodeLinkUnmailed = "enquiry_link_unmailed"  // given to an agent by an older version, not mailed
)

// Waits is what a person sees at a link.
type Waits struct {
	Draft   Draft
	Agent   string // name and version of the agent's program, as it reported them
	Asked   time.Time
	Expires time.Time
	Sent    string // id of the enquiry if it is sent already, else ""
}

// Pending returns what waits for the person at a link; token is the end of the link. The error
// is of kind NotFound: with code [CodeLinkNotFound] if the token is unknown or has expired,
// with code [CodeLinkUnmailed] if the link went through an agent and was not used. If the
// dataset is no longer offered and nothing was sent, the error is that of Check.
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

// linked returns what a link leads to. It tries the secrets of the past as well, so that links
// survive a change of the secret.
func (s *Service) linked(ctx context.Context, token string) (Pending, error) {
	for _, digest := range s.keys.token.Signatures(token) {
		p, found, err := s.cfg.Store.Pending(ctx, digest)
		// Older versions gave links to agents. Whoever had such a link could have pressed Send.
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

// draftOf returns the draft that waits or, once it is sent, that of the enquiry.
func (s *Service) draftOf(ctx context.Context, p Pending) (Draft, error) {
	if p.Sent == "" {
		return s.Check(ctx, p.Form)
	}
	e, _, err := s.cfg.Store.Enquiry(ctx, p.Sent)
	return e.Draft, err
}

// Confirm sends what waits at a link. A second call has no effect and returns the receipt with
// Repeated set. Errors are those of Pending and of Submit.
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
	// The link was used before, perhaps by a second click.
	if p.Sent != "" {
		s.note(ctx, s.folded(src, Entry{Outcome: OutcomeRepeated, Method: ByMail, Enquiry: p.Sent, State: p.Digest}))
		r, err := s.Receipt(ctx, p.Sent)
		r.Repeated = true
		return r, err
	}
	// The request comes from a browser; the agent that prepared the enquiry is on record.
	src.Agent, src.AgentVersion, src.Protocol = p.Source.Agent, p.Source.AgentVersion, p.Source.Protocol
	return s.keep(ctx, src, d, consent{method: ByMail, burn: p.Digest, asked: p.Asked})
}
