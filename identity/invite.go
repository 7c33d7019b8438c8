package identity

import (
	"context"
	"fmt"
	"time"

	"vaak/internal/fault"
)

// invitedFor is how long an invitation is good for.
const invitedFor = 7 * 24 * time.Hour

// Invite adds a person, for an operator, and returns the token of a link with which they
// choose a password. It is shown once, and good for a week. Somebody else with the
// address is Conflict.
func (s *Service) Invite(ctx context.Context, by Person, from Client, d Draft) (Person, string, error) {
	p, token, err := s.invite(ctx, by, d)
	s.note(ctx, from, by.ID, "person.invite", p, err)
	return p, token, err
}

func (s *Service) invite(ctx context.Context, by Person, d Draft) (Person, string, error) {
	if err := s.operator(ctx, by); err != nil {
		return Person{}, "", err
	}
	p, err := s.person(d)
	if err != nil {
		return Person{}, "", err
	}
	err = s.store.CreatePerson(ctx, p)
	if fault.KindOf(err) == fault.Conflict {
		return Person{}, "", fault.New(fault.Conflict, CodePersonExists, "email", "there is somebody with this e-mail address already")
	} else if err != nil {
		return Person{}, "", fmt.Errorf("add a person: %w", err)
	}
	token, err := s.newInvitation(ctx, p.ID)
	return p, token, err
}

// Reinvite returns the token of a new link for a person, in place of an earlier one:
// for somebody whose link has expired, or who has lost the password or the codes. Both
// are removed, and so is what an identity provider calls them; all sessions end. An
// operator cannot do that to themselves; [Machine] can to everybody.
func (s *Service) Reinvite(ctx context.Context, by Person, from Client, id string) (string, error) {
	p, err := s.changeOther(ctx, by, id, func(p *Person) error {
		if !p.Active() {
			return fault.New(fault.Conflict, CodePersonDisabled, "", "this person is disabled; enable them first")
		}
		p.Proof = Proof{}
		p.Epoch++
		return nil
	})
	var token string
	if err == nil {
		token, err = s.newInvitation(ctx, id)
	}
	s.note(ctx, from, by.ID, "person.reinvite", target(p, id), err)
	return token, err
}

// newInvitation keeps a new invitation for a person and returns its token.
func (s *Service) newInvitation(ctx context.Context, id string) (string, error) {
	token := newToken()
	err := s.store.PutInvitation(ctx, Invitation{Hash: hashToken(token), PersonID: id, Expires: s.now().Add(invitedFor)})
	if err != nil {
		return "", fmt.Errorf("keep the invitation: %w", err)
	}
	return token, nil
}

// endInvitation makes the invitation that a person may have worth nothing.
func (s *Service) endInvitation(ctx context.Context, id string) error {
	if err := s.store.PutInvitation(ctx, Invitation{Hash: hashToken(newToken()), PersonID: id, Expires: s.now()}); err != nil {
		return fmt.Errorf("end the invitation: %w", err)
	}
	return nil
}

// Invited returns whom an invitation is for. One that was used, has expired, never was,
// or is for somebody who is disabled, is NotFound.
func (s *Service) Invited(ctx context.Context, token string) (Person, error) {
	if !isToken(token) {
		return Person{}, errInvitation()
	}
	i, err := s.store.Invitation(ctx, hashToken(token))
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return Person{}, errInvitation()
	case err != nil:
		return Person{}, fmt.Errorf("look for the invitation: %w", err)
	case !s.now().Before(i.Expires):
		return Person{}, errInvitation()
	}
	p, err := s.Person(ctx, i.PersonID)
	if fault.KindOf(err) == fault.NotFound || err == nil && !p.Active() {
		return Person{}, errInvitation()
	}
	return p, err
}

// Accept has whoever holds an invitation choose a password, once, and lets them in. A
// password that is refused leaves the invitation as it is. Unknown tokens are counted to
// the client's failures.
func (s *Service) Accept(ctx context.Context, from Client, token, password string) (Person, error) {
	try, err := s.tryToken(ctx, from, "person.accept")
	if err != nil {
		return Person{}, err
	}
	defer try.drop()
	p, err := s.Invited(ctx, token)
	if fault.KindOf(err) == fault.NotFound {
		try.fail(s.clock())
		s.note(ctx, from, "", "person.accept", Person{}, err)
	}
	if err != nil {
		return Person{}, err
	}
	password, err = newPassword(password, p)
	if err != nil {
		return Person{}, err
	}
	kept, err := s.hash(ctx, password)
	if err != nil {
		return Person{}, err
	}
	if _, err := s.store.TakeInvitation(ctx, hashToken(token)); fault.KindOf(err) == fault.NotFound {
		return Person{}, errInvitation() // somebody was quicker
	} else if err != nil {
		return Person{}, fmt.Errorf("take the invitation: %w", err)
	}
	return s.enter(ctx, from, p, "person.accept", func(now *Person) error {
		if now.Epoch != p.Epoch {
			return errInvitation() // a newer link was made meanwhile
		}
		now.Proof.Password, now.Proof.Codes, now.Proof.CodesUsed = kept, "", 0
		now.Epoch++
		return nil
	})
}

func errInvitation() error {
	return fault.New(fault.NotFound, CodeInvitationInvalid, "token",
		"this invitation was used, has expired, or never was one; an operator can send a new link")
}
