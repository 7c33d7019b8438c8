package identity

import (
	"context"
	"fmt"
	"time"

	"vaak/internal/fault"
)

// invitedFor is how long an invitation is good for.
const invitedFor = 7 * 24 * time.Hour

// Invite adds a person and returns the token of a link with which they choose a password;
// by must be an operator. The token cannot be read again, and is valid for a week. It is
// Conflict when another person has the address.
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

// Reinvite returns the token of a new link for a person and ends an earlier one. It is for a
// person whose link has expired, or who has lost the password or the codes. It removes
// both, and the link to an identity provider, and ends all sessions. An operator cannot
// reinvite themselves; [Machine] can reinvite every person.
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

// newInvitation stores a new invitation for a person and returns its token.
func (r *register) newInvitation(ctx context.Context, id string) (string, error) {
	token := newToken()
	err := r.store.PutInvitation(ctx, Invitation{Hash: hashToken(token), PersonID: id, Expires: r.now().Add(invitedFor)})
	if err != nil {
		return "", fmt.Errorf("keep the invitation: %w", err)
	}
	return token, nil
}

// endInvitation ends the invitation that a person may have, by replacing it with one that has
// expired and whose token nobody knows.
func (r *register) endInvitation(ctx context.Context, id string) error {
	if err := r.store.PutInvitation(ctx, Invitation{Hash: hashToken(newToken()), PersonID: id, Expires: r.now()}); err != nil {
		return fmt.Errorf("end the invitation: %w", err)
	}
	return nil
}

// Invited returns the person that an invitation is for. It is NotFound when the invitation
// was used, has expired or never existed, and when the person is disabled.
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

// Accept sets the password of the person that an invitation is for, and signs them in. It
// uses the invitation up, unless the password is refused. Unknown tokens count as failures
// of the client.
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
	stored, err := s.hash(ctx, password)
	if err != nil {
		return Person{}, err
	}
	if _, err := s.store.TakeInvitation(ctx, hashToken(token)); fault.KindOf(err) == fault.NotFound {
		return Person{}, errInvitation() // another call has used it
	} else if err != nil {
		return Person{}, fmt.Errorf("take the invitation: %w", err)
	}
	return s.enter(ctx, from, p, "person.accept", func(now *Person) error {
		if now.Epoch != p.Epoch {
			return errInvitation() // a newer link was made meanwhile
		}
		now.Proof.Password, now.Proof.Codes, now.Proof.CodesUsed = stored, "", 0
		now.Epoch++
		return nil
	})
}

func errInvitation() error {
	return fault.New(fault.NotFound, CodeInvitationInvalid, "token",
		"this invitation was used, has expired, or never was one; an operator can send a new link")
}
