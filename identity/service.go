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

// Client is where a call comes from.
type Client struct {
	Address netip.Addr // for the log of events; the zero one is not known
	// Scope is what failures are counted by, such as an address or the /64 of one. Behind a
	// proxy it must be the address that the proxy reports, or all clients share a budget.
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
//
// It is made of layers, each of which embeds the one below and uses only that: base, then
// the journal, the register of people, and the guard, which checks passwords within
// limits. Their exported methods are methods of the Service.
type Service struct {
	*guard
	codes     *seal.Key
	setupFile string
	issuer    string
	setUp     atomic.Bool // somebody exists, and always will
}

// base is what every layer of a [Service] needs.
type base struct {
	store Store
	clock func() time.Time
	log   *slog.Logger
}

// now is the present in the resolution that stores keep.
func (b *base) now() time.Time { return b.clock().UTC().Truncate(time.Microsecond) }

// register finds people, changes them, and keeps their invitations.
type register struct {
	*journal
	roster sync.Mutex // held while a role changes, or whether a person may sign in
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
	if c.Issuer == "" {
		c.Issuer = "Vaak"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	people := &register{journal: &journal{&base{store: c.Store, clock: c.Now, log: c.Log}}}
	g := &guard{register: people, limits: newLimits(c.Now()), work: newWork(), decoy: decoy()}
	return &Service{guard: g, codes: c.Secret.For("one-time codes"), setupFile: c.SetupFile, issuer: c.Issuer}, nil
}

// Person returns the one with an id, or NotFound.
func (r *register) Person(ctx context.Context, id string) (Person, error) {
	if !isID(id) {
		return Person{}, errNobody(id)
	}
	p, err := r.store.Person(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return Person{}, errNobody(id)
	}
	return p, err
}

// Find returns the one with an id or an e-mail address, or NotFound.
func (r *register) Find(ctx context.Context, who string) (Person, error) {
	email := normalEmail(who)
	if !isEmail(email) {
		return r.Person(ctx, who)
	}
	p, err := r.store.PersonByEmail(ctx, email)
	if fault.KindOf(err) == fault.NotFound {
		return Person{}, errNobody(who)
	}
	return p, err
}

// People returns all, by e-mail.
func (r *register) People(ctx context.Context) ([]Person, error) { return r.store.People(ctx) }

// change changes a person, see [PersonStore.ChangePerson].
func (r *register) change(ctx context.Context, id string, change func(*Person) error) (Person, error) {
	if !isID(id) {
		return Person{}, errNobody(id)
	}
	there := false // tells a missing person from another NotFound, such as of an organisation
	p, err := r.store.ChangePerson(ctx, id, func(p *Person) error {
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

// Prune deletes the sessions and invitations that have expired, and the events that are
// older than [KeepEvents], and returns how many. A job calls it from time to time; nothing
// depends on when.
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
