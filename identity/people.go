package identity

import (
	"context"
	"fmt"

	"vaak/internal/fault"
)

// SetPassword changes the password of a person who is signed in and knows the old one. All
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
	stored, err := s.hash(ctx, new)
	if err != nil {
		return Person{}, err
	}
	return s.change(ctx, p.ID, func(now *Person) error {
		if now.Proof.Password != p.Proof.Password {
			return errChanged()
		}
		now.Proof.Password = stored
		now.Epoch++
		return nil
	})
}

// SignOutEverywhere ends all sessions of a person.
func (r *register) SignOutEverywhere(ctx context.Context, from Client, id string) (Person, error) {
	p, err := r.change(ctx, id, func(p *Person) error {
		p.Epoch++
		return nil
	})
	r.note(ctx, from, id, "sign_out.everywhere", target(p, id), err)
	return p, err
}

// SetDisabled sets whether another person may sign in; by must be an operator. Disabling
// ends all sessions and the invitation. Enabling restores the password and the codes that
// the person had.
func (r *register) SetDisabled(ctx context.Context, by Person, from Client, id string, disabled bool) (Person, error) {
	p, err := r.changeOther(ctx, by, id, func(p *Person) error {
		switch {
		case disabled && p.Active():
			p.Disabled = r.now()
			p.Epoch++
		case !disabled && !p.Active():
			p.Disabled = Person{}.Disabled
		}
		return nil
	})
	if err == nil && disabled {
		err = r.endInvitation(ctx, id)
	}
	action := "person.enable"
	if disabled {
		action = "person.disable"
	}
	r.note(ctx, from, by.ID, action, target(p, id), err)
	return p, err
}

// SetRole changes the role of another person; by must be an operator. A member needs an
// organisation, and the caller has to check that it exists. When something changes, all
// sessions end.
func (r *register) SetRole(ctx context.Context, by Person, from Client, id string, role Role, orgID string) (Person, error) {
	if err := checkRole(role, orgID); err != nil {
		return Person{}, err
	}
	p, err := r.changeOther(ctx, by, id, func(p *Person) error {
		if p.Role != role || p.OrgID != orgID {
			p.Role, p.OrgID = role, orgID
			p.Epoch++
		}
		return nil
	})
	r.note(ctx, from, by.ID, "person.role", target(p, id), err)
	return p, err
}

// changeOther changes another person for an operator. An operator who can sign in always
// remains: the one who makes the change. Within a process the roster lock lets one change
// happen at a time. In two processes at once, two operators could disable each other. So
// each checks after its change that it is still an operator, and otherwise undoes the
// change. The later of the two sees the change of the earlier one, so at least one undoes.
func (r *register) changeOther(ctx context.Context, by Person, id string, change func(*Person) error) (Person, error) {
	r.roster.Lock()
	defer r.roster.Unlock()
	if err := r.operator(ctx, by); err != nil {
		return Person{}, err
	}
	if by.ID == id {
		return Person{}, fault.New(fault.Conflict, CodeOwnAccount, "", "this is your own account; another operator has to do that")
	}
	var before Person
	after, err := r.change(ctx, id, func(p *Person) error {
		before = *p
		return change(p)
	})
	if err != nil || !before.Operates() || !before.Active() || after == before {
		return after, err
	}
	ctx = context.WithoutCancel(ctx) // the check and the undo must not be skipped
	if err = r.operator(ctx, by); err == nil {
		return after, nil
	}
	if _, undo := r.change(ctx, id, func(p *Person) error {
		if p.Epoch == after.Epoch {
			p.Role, p.OrgID, p.Disabled, p.Proof = before.Role, before.OrgID, before.Disabled, before.Proof
		}
		return nil
	}); undo != nil {
		return Person{}, fmt.Errorf("put an operator back: %w", undo)
	}
	return Person{}, fault.New(fault.Conflict, CodeLastOperator, "", "another operator changed your account at the same time, and one has to remain; nothing was done")
}

// operator returns an error unless by is [Machine], or an operator who may sign in now.
func (r *register) operator(ctx context.Context, by Person) error {
	if by.ID == machineID {
		return nil
	}
	now, err := r.Person(ctx, by.ID)
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
