package identity

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"vaak/internal/fault"
	"vaak/internal/seal"
)

// Stable codes of what is refused.
const (
	CodeSignInRefused     = "sign_in_refused"
	CodeSetupTokenInvalid = "setup_token_invalid"
	CodeAlreadySetUp      = "already_set_up"
	CodePersonExists      = "person_exists"
	CodePersonDisabled    = "person_disabled"
	CodePersonNotFound    = "person_not_found"
	CodeInvitationInvalid = "invitation_invalid"
	CodePasswordWrong     = "password_wrong"
	CodeNoPassword        = "no_password"
	CodeCodeInvalid       = "code_invalid"
	CodeCodesOn           = "codes_on"
	CodeCodesOff          = "codes_off"
	CodeCodesUnreadable   = "codes_unreadable"
	CodeOperatorsOnly     = "operators_only"
	CodeOwnAccount        = "own_account"
	CodeLastOperator      = "last_operator"
	CodeChanged           = "changed_meanwhile"
)

// Config is what a service needs.
type Config struct {
	Store     Store
	Secret    *seal.Secret     // seals the secrets of one-time codes as they are kept
	SetupFile string           // where the setup token is kept, with mode 0600
	Issuer    string           // the name that apps of one-time codes show; "" is "Vaak"
	Now       func() time.Time // nil is time.Now
	Log       *slog.Logger     // nil is slog.Default
}

// Client is who asks.
type Client struct {
	Address netip.Addr // for the log of events; the zero one is not known
	// Scope is what failures are counted by, such as an address or the /64 of one. When
	// all clients come from one proxy, this must be the address that the proxy tells.
	Scope string
}

// Draft is a person who is to be added.
type Draft struct {
	Email    string
	Name     string // 1 to [MaxName] code points
	Password string // of the first operator; else it is chosen with the invitation
	Role     Role
	OrgID    string // of a member; the caller has seen that it exists
}

// Service signs people in and keeps who they are. It is safe for concurrent use, and
// several processes may share a store; each counts failures for itself.
type Service struct {
	store     Store
	codes     *seal.Key
	setupFile string
	issuer    string
	clock     func() time.Time
	log       *slog.Logger
	limits    *limits
	work      *work
	decoy     string // a password that nobody has
	setUp     atomic.Bool

	roster sync.Mutex // held while roles change, and who may sign in
}

// New returns a service. Store, Secret and SetupFile are needed.
func New(c Config) (*Service, error) {
	switch {
	case c.Store == nil:
		return nil, errors.New("identity: a store is needed")
	case c.Secret == nil:
		return nil, errors.New("identity: a secret is needed")
	case c.SetupFile == "":
		return nil, errors.New("identity: the file of the setup token has no name")
	}
	s := &Service{
		store: c.Store, codes: c.Secret.For("one-time codes"), setupFile: c.SetupFile, issuer: c.Issuer,
		clock: c.Now, log: c.Log, work: newWork(), decoy: decoy(),
	}
	if s.issuer == "" {
		s.issuer = "Vaak"
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.limits = newLimits(s.clock())
	return s, nil
}

// now is the present as it is kept.
func (s *Service) now() time.Time { return s.clock().UTC().Truncate(time.Microsecond) }

// Person returns the one with an id, or NotFound.
func (s *Service) Person(ctx context.Context, id string) (Person, error) {
	if !isID(id) {
		return Person{}, errNobody(id)
	}
	p, err := s.store.Person(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return Person{}, errNobody(id)
	}
	return p, err
}

// Find returns the one with an id or an e-mail address, or NotFound.
func (s *Service) Find(ctx context.Context, who string) (Person, error) {
	email := normalEmail(who)
	if !isEmail(email) {
		return s.Person(ctx, who)
	}
	p, err := s.store.PersonByEmail(ctx, email)
	if fault.KindOf(err) == fault.NotFound {
		return Person{}, errNobody(who)
	}
	return p, err
}

// People returns all, by e-mail.
func (s *Service) People(ctx context.Context) ([]Person, error) { return s.store.People(ctx) }

// change alters a person; see [PersonStore].
func (s *Service) change(ctx context.Context, id string, change func(*Person) error) (Person, error) {
	if !isID(id) {
		return Person{}, errNobody(id)
	}
	there := false
	p, err := s.store.ChangePerson(ctx, id, func(p *Person) error {
		there = true
		return change(p)
	})
	if !there && fault.KindOf(err) == fault.NotFound {
		return Person{}, errNobody(id)
	}
	return p, err
}

func errNobody(id string) error {
	return fault.New(fault.NotFound, CodePersonNotFound, "", "there is no person %.64q", id)
}

// Prune forgets the sessions and invitations that have expired by now, and the events
// that are older than [KeepEvents], and returns how many. It is for a job that runs now
// and then; nothing depends on when.
func Prune(ctx context.Context, s Store, now time.Time) (int, error) {
	expired, err := s.PruneSessions(ctx, now)
	if err != nil {
		return expired, fmt.Errorf("forget what has expired: %w", err)
	}
	old, err := s.PruneEvents(ctx, now.Add(-KeepEvents))
	if err != nil {
		return expired + old, fmt.Errorf("forget old events: %w", err)
	}
	return expired + old, nil
}
