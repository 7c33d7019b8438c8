package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"

	"vaak/internal/fault"
)

// IsSetUp reports whether a person exists. After the first true it no longer asks the store:
// people are never deleted.
func (s *Service) IsSetUp(ctx context.Context) (bool, error) {
	if s.setUp.Load() {
		return true, nil
	}
	people, err := s.store.People(ctx)
	if err != nil {
		return false, fmt.Errorf("look for people: %w", err)
	}
	if len(people) > 0 {
		s.setUp.Store(true)
	}
	return len(people) > 0, nil
}

// SetupToken returns the token that sets up the console while no person exists. It is made
// once and kept in the setup file, with mode 0600. When a person exists, it returns "" and
// removes the file.
func (s *Service) SetupToken(ctx context.Context) (string, error) {
	if there, err := s.IsSetUp(ctx); err != nil {
		return "", err
	} else if there {
		return "", removeToken(s.setupFile)
	}
	return makeToken(s.setupFile)
}

// SetUp adds the first person, an operator, with the name, address and password of d. It is
// Conflict when a person exists. A token other than that of the setup file is
// Unauthenticated and counts as a failure of the client. The draft is checked after the
// token, so its errors tell nothing to those without it.
func (s *Service) SetUp(ctx context.Context, from Client, token string, d Draft) (Person, error) {
	p, err := s.firstPerson(ctx, from, token, d)
	if outcome(err) == CodeAlreadySetUp {
		s.noteSeldom(ctx, from, "setup", err)
	} else {
		s.note(ctx, from, p.ID, "setup", p, err)
	}
	return p, err
}

func (s *Service) firstPerson(ctx context.Context, from Client, token string, d Draft) (Person, error) {
	if there, err := s.IsSetUp(ctx); err != nil {
		return Person{}, err
	} else if there {
		return Person{}, errSetUp()
	}
	if err := s.checkSetup(ctx, from, token); err != nil {
		return Person{}, err
	}
	d.Role, d.OrgID = Operator, ""
	p, err := s.person(d)
	if err != nil {
		return Person{}, err
	}
	password, err := newPassword(d.Password, p)
	if err != nil {
		return Person{}, err
	}
	if p.Proof.Password, err = s.hash(ctx, password); err != nil {
		return Person{}, err
	}
	// CreateFirst decides: IsSetUp has looked, but another process may have added a person
	// since.
	p.SignedIn = p.Created
	first, err := s.store.CreateFirst(ctx, p)
	if err != nil {
		return Person{}, fmt.Errorf("add the first operator: %w", err)
	}
	s.setUp.Store(true)
	if !first {
		return Person{}, errSetUp()
	}
	if err := removeToken(s.setupFile); err != nil {
		s.log.ErrorContext(ctx, "setup token not removed; it is worth nothing now", "error", err)
	}
	s.limits.know(s.clock(), p.Email, from.Scope)
	return p, nil
}

func (s *Service) checkSetup(ctx context.Context, from Client, token string) error {
	try, err := s.tryToken(ctx, from, "setup")
	if err != nil {
		return err
	}
	defer try.drop()
	want, err := readToken(s.setupFile)
	if err != nil && !errors.Is(err, errNoToken) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// Hashes have one length, so the comparison does not tell that of the token.
	a, b := sha256.Sum256([]byte(want)), sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(a[:], b[:]) != 1 || want == "" {
		try.fail(s.clock())
		return fault.New(fault.Unauthenticated, CodeSetupTokenInvalid, "token",
			"this is not the setup token; the server shows it when it starts, and keeps it in a file of its data directory")
	}
	return nil
}

func errSetUp() error {
	return fault.New(fault.Conflict, CodeAlreadySetUp, "", "the console is set up already; sign in, or have an operator invite you")
}
