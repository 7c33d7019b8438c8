package identity

import (
	"context"
	"fmt"
	"time"

	"vaak/internal/fault"
)

// means of proof, each of which is counted for itself.
const (
	bySignIn   = "sign_in"      // the password, of somebody who wants to come in
	byCode     = "sign_in.code" // the code beside it
	byPassword = "password"     // the password, of somebody who is in
	byProvider = "sign_in.provider"
)

// SignIn returns the person with an address and a password. With needsCode they have not
// come in yet: [Service.CheckCode] has to follow, for the id that the caller keeps and
// does not let the client choose.
//
// An address that nobody has, a wrong password and somebody who is disabled are one
// Unauthenticated answer after the same work. Failures are limited, by address and by
// client; over that it is RateLimited, with the time to wait. How an owner cannot be
// locked out by others is told at the limits.
func (s *Service) SignIn(ctx context.Context, from Client, email, password string) (p Person, needsCode bool, err error) {
	email = normalEmail(email)
	try, err := s.try(ctx, from, passwords, bySignIn, email)
	if err != nil {
		return Person{}, false, err
	}
	defer try.drop()
	p, kept, err := s.lookUp(ctx, email)
	if err != nil {
		return Person{}, false, err
	}
	ok, err := s.matches(ctx, !try.known, kept, password)
	if err != nil {
		if fault.KindOf(err) == fault.RateLimited { // too many wait
			s.noteSeldom(ctx, from, bySignIn, err)
		}
		return Person{}, false, err
	}
	if !ok {
		try.fail(s.clock())
		err := errRefused()
		s.note(ctx, from, "", "sign_in", p, err)
		return Person{}, false, err
	}
	if wait := s.limits.enter(s.clock(), p.Email); wait > 0 {
		return Person{}, false, s.limited(ctx, from, bySignIn, wait)
	}
	if p.HasCodes() {
		try.drop()
		s.note(ctx, from, p.ID, "sign_in.password", p, nil)
		return p, true, nil
	}
	p, err = s.enter(ctx, from, p, "sign_in", func(now *Person) error {
		if now.Proof.Password != kept || now.HasCodes() {
			return errRefused() // it was changed meanwhile
		}
		return nil
	})
	return p, false, err
}

// lookUp returns the person with an address and the password that was kept; for nobody
// and for those who cannot sign in, one that nobody has.
func (s *Service) lookUp(ctx context.Context, email string) (Person, string, error) {
	if !isEmail(email) {
		return Person{}, s.decoy, nil
	}
	p, err := s.store.PersonByEmail(ctx, email)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return Person{}, s.decoy, nil
	case err != nil:
		return Person{}, "", fmt.Errorf("look for who signs in: %w", err)
	case !p.Active() || p.Proof.Password == "":
		return p, s.decoy, nil
	}
	return p, p.Proof.Password, nil
}

// enter lets somebody in who has proved who they are: check may refuse that by what is
// true now, and change what has to change with it. The client is known from then on.
func (s *Service) enter(ctx context.Context, from Client, p Person, action string, check func(*Person) error) (Person, error) {
	entered, err := s.change(ctx, p.ID, func(now *Person) error {
		if !now.Active() {
			return errRefused()
		}
		if err := check(now); err != nil {
			return err
		}
		now.SignedIn = s.now()
		return nil
	})
	actor := p.ID
	if err != nil {
		actor = ""
	} else {
		s.limits.know(s.clock(), entered.Email, from.Scope)
	}
	s.note(ctx, from, actor, action, p, err)
	return entered, err
}

// try begins an attempt within the limits.
func (s *Service) try(ctx context.Context, from Client, b budget, means, email string) (*attempt, error) {
	try, wait := s.limits.begin(s.clock(), b, means, email, from.Scope)
	if wait == 0 {
		return try, nil
	}
	return nil, s.limited(ctx, from, means, wait)
}

// tryToken begins an attempt with a token, which only the client's failures limit.
func (s *Service) tryToken(ctx context.Context, from Client, action string) (*attempt, error) {
	try, wait := s.limits.beginClient(s.clock(), from.Scope)
	if wait == 0 {
		return try, nil
	}
	return nil, s.limited(ctx, from, action, wait)
}

// limited returns the refusal of an attempt for which there was no room.
func (s *Service) limited(ctx context.Context, from Client, action string, wait time.Duration) error {
	err := errLimited(wait)
	s.noteSeldom(ctx, from, action, err)
	return err
}

// noteSeldom adds the event of a refusal that costs nothing to have: one a minute of each
// client, or others would fill the disk.
func (s *Service) noteSeldom(ctx context.Context, from Client, action string, err error) {
	if s.limits.noted.Take(scope(from.Scope), s.clock(), 1).Allowed {
		s.add(ctx, from, Event{Action: action}, err)
	}
}

// prove checks the password of somebody who is in.
func (s *Service) prove(ctx context.Context, from Client, p Person, password string) error {
	if p.Proof.Password == "" {
		return fault.New(fault.Conflict, CodeNoPassword, "", "this account has no password; an operator can send a link to choose one")
	}
	try, err := s.try(ctx, from, codes, byPassword, p.Email)
	if err != nil {
		return err
	}
	defer try.drop()
	ok, err := s.matches(ctx, false, p.Proof.Password, password)
	if err != nil {
		return err
	}
	if !ok {
		try.fail(s.clock())
		return fault.New(fault.Unprocessable, CodePasswordWrong, "password", "this is not the password of the account")
	}
	if wait := s.limits.enter(s.clock(), p.Email); wait > 0 {
		return s.limited(ctx, from, byPassword, wait)
	}
	return nil
}

func errRefused() error {
	return fault.New(fault.Unauthenticated, CodeSignInRefused, "", "the e-mail address or the password is not right, or the account cannot sign in")
}
