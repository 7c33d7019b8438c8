package identity

import (
	"context"
	"fmt"
	"time"

	"vaak/internal/fault"
)

// guard checks who people are, within the limits of failures and of work.
type guard struct {
	*register
	limits *limits
	work   *work
	decoy  string // a stored password that no text matches
}

// Means of proof. Failures of each are counted on their own.
const (
	bySignIn   = "sign_in"      // the password, to sign in
	byCode     = "sign_in.code" // the one-time code beside it
	byPassword = "password"     // the password again, of a person who is signed in
	byProvider = "sign_in.provider"
)

// SignIn returns the person with an address and a password. With needsCode they are not
// signed in yet: [Service.CheckCode] has to follow, for the id of that person, which the
// caller must keep to itself: a client that could choose the id would need no password.
//
// An unknown address, a wrong password and a disabled person get the same Unauthenticated
// answer after the same work, so that the answer does not tell them apart. Failures are
// limited by address and by client; beyond that the error is RateLimited, with the time to
// wait. [limits] says why others cannot lock out an owner.
func (s *Service) SignIn(ctx context.Context, from Client, email, password string) (p Person, needsCode bool, err error) {
	email = normalEmail(email)
	try, err := s.try(ctx, from, passwords, bySignIn, email)
	if err != nil {
		return Person{}, false, err
	}
	defer try.drop()
	p, stored, err := s.lookUp(ctx, email)
	if err != nil {
		return Person{}, false, err
	}
	// Also for the decoy, so that the time does not tell whether the address exists.
	ok, err := s.matches(ctx, !try.known, stored, password)
	if err != nil {
		if fault.KindOf(err) == fault.RateLimited { // the queue of hashes is full
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
	// A right password is no failure, even when the code that follows is wrong: that failure
	// has a budget of its own.
	if p.HasCodes() {
		try.drop()
		s.note(ctx, from, p.ID, "sign_in.password", p, nil)
		return p, true, nil
	}
	p, err = s.enter(ctx, from, p, "sign_in", func(now *Person) error {
		if now.Proof.Password != stored || now.HasCodes() {
			return errRefused() // the password was changed after lookUp
		}
		return nil
	})
	return p, false, err
}

// lookUp returns the person with an address and the stored password. When there is no such
// person, or they cannot sign in, the password is the decoy: it takes as long to check,
// and never matches.
func (g *guard) lookUp(ctx context.Context, email string) (Person, string, error) {
	if !isEmail(email) {
		return Person{}, g.decoy, nil
	}
	p, err := g.store.PersonByEmail(ctx, email)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return Person{}, g.decoy, nil
	case err != nil:
		return Person{}, "", fmt.Errorf("look for who signs in: %w", err)
	case !p.Active() || p.Proof.Password == "":
		return p, g.decoy, nil
	}
	return p, p.Proof.Password, nil
}

// enter signs in a person who has proved who they are. Check runs on the person as stored
// now: it may refuse, and may change them. After that the client is known to the limits.
func (g *guard) enter(ctx context.Context, from Client, p Person, action string, check func(*Person) error) (Person, error) {
	entered, err := g.change(ctx, p.ID, func(now *Person) error {
		if !now.Active() {
			return errRefused()
		}
		if err := check(now); err != nil {
			return err
		}
		now.SignedIn = g.now()
		return nil
	})
	actor := p.ID
	if err != nil {
		actor = ""
	} else {
		g.limits.know(g.clock(), entered.Email, from.Scope)
	}
	g.note(ctx, from, actor, action, p, err)
	return entered, err
}

// try begins an attempt within the limits.
func (g *guard) try(ctx context.Context, from Client, b budget, means, email string) (*attempt, error) {
	try, wait := g.limits.begin(g.clock(), b, means, email, from.Scope)
	if wait == 0 {
		return try, nil
	}
	return nil, g.limited(ctx, from, means, wait)
}

// tryToken begins an attempt with a token, which only the client's failures limit.
func (g *guard) tryToken(ctx context.Context, from Client, action string) (*attempt, error) {
	try, wait := g.limits.beginClient(g.clock(), from.Scope)
	if wait == 0 {
		return try, nil
	}
	return nil, g.limited(ctx, from, action, wait)
}

// limited returns the refusal of an attempt for which there was no room.
func (g *guard) limited(ctx context.Context, from Client, action string, wait time.Duration) error {
	err := errLimited(wait)
	g.noteSeldom(ctx, from, action, err)
	return err
}

// noteSeldom adds the event of a refusal that a client can cause at no cost: one a minute for
// each client, so that the events do not fill the disk.
func (g *guard) noteSeldom(ctx context.Context, from Client, action string, err error) {
	if g.limits.noted.Take(scope(from.Scope), g.clock(), 1).Allowed {
		g.add(ctx, from, Event{Action: action}, err)
	}
}

// prove checks the password of a person who is signed in.
func (g *guard) prove(ctx context.Context, from Client, p Person, password string) error {
	if p.Proof.Password == "" {
		return fault.New(fault.Conflict, CodeNoPassword, "", "this account has no password; an operator can send a link to choose one")
	}
	try, err := g.try(ctx, from, codes, byPassword, p.Email)
	if err != nil {
		return err
	}
	defer try.drop()
	ok, err := g.matches(ctx, false, p.Proof.Password, password)
	if err != nil {
		return err
	}
	if !ok {
		try.fail(g.clock())
		return fault.New(fault.Unprocessable, CodePasswordWrong, "password", "this is not the password of the account")
	}
	if wait := g.limits.enter(g.clock(), p.Email); wait > 0 {
		return g.limited(ctx, from, byPassword, wait)
	}
	return nil
}

func errRefused() error {
	return fault.New(fault.Unauthenticated, CodeSignInRefused, "", "the e-mail address or the password is not right, or the account cannot sign in")
}
