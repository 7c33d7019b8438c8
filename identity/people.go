package identity

import (
	"context"
	"fmt"

	"vaak/internal/fault"
)

// SetPassword changes the password of somebody who is in and knows the old one. All
// sessions end.
func (s *Service) SetPassword(ctx context.Context, from Client, id, old, new string) (Person, error) {
	p, err := s.Person(ctx, id)
	if err != nil {
		return Person{}, err
	}
	changed, err := s.setPassword(ctx, from, p, old, new)
	s.note(ctx, from, id, "password.change", p, err)
	return changed, err
}

func (s *Service) setPassword(ctx context.Context, from Client, p Person, old, new string) (Person, error) {
	new, err := newPassword(new, p)
	if err != nil {
		return Person{}, err
	}
	if err := s.prove(ctx, from, p, old); err != nil {
		return Person{}, err
	}
	kept, err := s.hash(ctx, new)
	if err != nil {
		return Person{}, err
	}
	return s.change(ctx, p.ID, func(now *Person) error {
		if now.Proof.Password != p.Proof.Password {
			return errChanged()
		}
		now.Proof.Password = kept
		now.Epoch++
		return nil
	})
}

// SignOutEverywhere ends all sessions of a person.
func (s *Service) SignOutEverywhere(ctx context.Context, from Client, id string) (Person, error) {
	p, err := s.change(ctx, id, func(p *Person) error {
		p.Epoch++
		return nil
	})
	s.note(ctx, from, id, "sign_out.everywhere", target(p, id), err)
	return p, err
}

// SetDisabled says whether somebody else may sign in, for an operator. Disabling ends all
// sessions and the invitation; enabling brings back what they had.
func (s *Service) SetDisabled(ctx context.Context, by Person, from Client, id string, disabled bool) (Person, error) {
	p, err := s.changeOther(ctx, by, id, func(p *Person) error {
		switch {
		case disabled && p.Active():
			p.Disabled = s.now()
			p.Epoch++
		case !disabled && !p.Active():
			p.Disabled = Person{}.Disabled
		}
		return nil
	})
	if err == nil && disabled {
		err = s.endInvitation(ctx, id)
	}
	action := "person.enable"
	if disabled {
		action = "person.disable"
	}
	s.note(ctx, from, by.ID, action, target(p, id), err)
	return p, err
}

// SetRole gives somebody else another role, for an operator; a member needs an
// organisation, of which the caller has seen that it exists. All sessions end when
// something changes.
func (s *Service) SetRole(ctx context.Context, by Person, from Client, id string, role Role, orgID string) (Person, error) {
	if err := checkRole(role, orgID); err != nil {
		return Person{}, err
	}
	p, err := s.changeOther(ctx, by, id, func(p *Person) error {
		if p.Role != role || p.OrgID != orgID {
			p.Role, p.OrgID = role, orgID
			p.Epoch++
		}
		return nil
	})
	s.note(ctx, from, by.ID, "person.role", target(p, id), err)
	return p, err
}

// changeOther has an operator change somebody else, so that an operator who can sign in
// always remains: the one who does it. Within a process one is changed at a time. Two
// operators who change each other in two processes at once would both succeed; so each
// looks afterwards whether they are still one, and if not puts back what they changed.
// The later of the two sees the earlier.
func (s *Service) changeOther(ctx context.Context, by Person, id string, change func(*Person) error) (Person, error) {
	s.roster.Lock()
	defer s.roster.Unlock()
	if err := s.operator(ctx, by); err != nil {
		return Person{}, err
	}
	if by.ID == id {
		return Person{}, fault.New(fault.Conflict, CodeOwnAccount, "", "this is your own account; another operator has to do that")
	}
	var before Person
	after, err := s.change(ctx, id, func(p *Person) error {
		before = *p
		return change(p)
	})
	if err != nil || !before.Operates() || !before.Active() || after == before {
		return after, err
	}
	ctx = context.WithoutCancel(ctx)
	if err = s.operator(ctx, by); err == nil {
		return after, nil
	}
	if _, undo := s.change(ctx, id, func(p *Person) error {
		if p.Epoch == after.Epoch {
			p.Role, p.OrgID, p.Disabled, p.Proof = before.Role, before.OrgID, before.Disabled, before.Proof
		}
		return nil
	}); undo != nil {
		return Person{}, fmt.Errorf("put an operator back: %w", undo)
	}
	return Person{}, fault.New(fault.Conflict, CodeLastOperator, "", "another operator changed your account at the same time, and one has to remain; nothing was done")
}

// operator is an error unless a person is an operator who may sign in, now, or [Machine].
func (s *Service) operator(ctx context.Context, by Person) error {
	if by.ID == machineID {
		return nil
	}
	now, err := s.Person(ctx, by.ID)
	switch {
	case fault.KindOf(err) == fault.NotFound || err == nil && (!now.Operates() || !now.Active()):
		return fault.New(fault.Forbidden, CodeOperatorsOnly, "", "only an operator may do that")
	case err != nil:
		return fmt.Errorf("look for the operator: %w", err)
	}
	return nil
}

func errChanged() error {
	return fault.New(fault.Conflict, CodeChanged, "", "the account was changed meanwhile; begin again")
}
