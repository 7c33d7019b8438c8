package identity

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/internal/fault"
)

// maxSubject is the longest that an issuer and a subject may be, in bytes. OpenID Connect
// Core 1.0 has 255 characters for a subject.
const maxSubject = 512

// Vouched is what an identity provider says about a person.
type Vouched struct {
	Issuer, Subject string // together they identify the person for ever
	Email           string
	EmailVerified   bool // by the provider
}

// SignInAs signs in the person that an identity provider vouches for. The first time, that
// is the person who was invited with the address that the provider has verified, and the
// two are linked. It is Unauthenticated when there is none, and when the person is
// disabled. A person with one-time codes is not linked: the address alone would replace a
// stronger proof.
func (s *Service) SignInAs(ctx context.Context, from Client, v Vouched) (Person, error) {
	subject := v.Issuer + " " + v.Subject
	if !isSubject(v.Issuer) || !isSubject(v.Subject) || strings.Contains(v.Issuer, " ") {
		return Person{}, s.refuse(ctx, from)
	}
	p, err := s.store.PersonBySubject(ctx, subject)
	link := fault.KindOf(err) == fault.NotFound
	if link {
		email := normalEmail(v.Email)
		if !v.EmailVerified || !isEmail(email) {
			return Person{}, s.refuse(ctx, from)
		}
		p, err = s.store.PersonByEmail(ctx, email)
	}
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return Person{}, s.refuse(ctx, from)
	case err != nil:
		return Person{}, fmt.Errorf("look for whom the provider vouches for: %w", err)
	}
	if wait := s.limits.enter(s.clock(), p.Email); wait > 0 {
		return Person{}, s.limited(ctx, from, byProvider, wait)
	}
	if !link {
		return s.enter(ctx, from, p, byProvider, func(now *Person) error {
			if now.Proof.Subject != subject {
				return errUninvited()
			}
			return nil
		})
	}
	linked, err := s.enter(ctx, from, p, "sign_in.link", func(now *Person) error {
		if now.Proof.Subject != "" || now.HasCodes() || now.Email != p.Email {
			return errUninvited()
		}
		now.Proof.Subject = subject
		return nil
	})
	if fault.KindOf(err) == fault.Conflict { // the subject was linked to another person meanwhile
		err = errUninvited()
	}
	if err == nil { // an invitation that was not used must not let anybody else in
		if err := s.endInvitation(ctx, p.ID); err != nil {
			s.log.ErrorContext(ctx, "invitation not ended", "person", p.ID, "error", err)
		}
	}
	return linked, err
}

// refuse adds the event of a refused sign-in by a provider, and returns the refusal.
func (s *Service) refuse(ctx context.Context, from Client) error {
	err := errUninvited()
	s.note(ctx, from, "", byProvider, Person{}, err)
	return err
}

func errUninvited() error {
	return fault.New(fault.Unauthenticated, CodeSignInRefused, "",
		"nobody here belongs to this account; an operator has to invite you with the e-mail address that the provider has verified")
}

// isSubject reports whether a part of a subject can be kept.
func isSubject(s string) bool {
	return s != "" && len(s) <= maxSubject/2 && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}
