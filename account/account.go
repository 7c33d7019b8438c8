// Package account knows organisations and their keys; it admits callers, holds
// the characters of a request until they are spoken, and counts them.
//
// A request passes four steps: [Service.Authenticate] tells who calls,
// [Service.Admit] gives a stream slot, [Service.Reserve] puts characters aside,
// and [Hold.Commit] counts what was spoken, or [Hold.Cancel] gives it back.
// What is kept lies behind [Store]; what is held while a request runs lies in
// the process.
package account

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Organisation owns keys and pays for what they use.
type Organisation struct {
	ID      string // "org_" and 16 lower-case base32 characters
	Name    string // 1 to MaxName code points, unique
	Plan    string // id of its plan
	Created time.Time
}

// Key is an API key as it is kept: never the secret, only its hash.
type Key struct {
	ID       string // "key_" and 16 lower-case base32 characters
	OrgID    string
	Label    string // 1 to MaxName code points
	Hash     []byte // SHA-256 of the secret
	LastFour string // of the secret: all of it that is kept legible
	Display  string // what a person may see of the secret: its prefix and last four characters; derived, not stored
	Created  time.Time
	Revoked  time.Time // zero while the key is valid
}

// Caller is who an authenticated request acts for.
type Caller struct {
	OrgID string
	KeyID string
	Plan  string
}

// Local is the caller of commands that run on the server's own machine, which
// need no key and are not counted.
var Local = Caller{OrgID: "local", KeyID: "local", Plan: PlanUnlimited}

// local reports whether c is [Local]. No stored key has its id.
func (c Caller) local() bool { return c.KeyID == "local" }

// known reports whether c came out of Authenticate or is Local.
func (c Caller) known() bool { return c.KeyID != "" && c.OrgID != "" }

// Receipt says what became of a hold.
type Receipt struct {
	Characters int           // code points whose audio was handed over
	Audio      time.Duration // of the audio that was handed over
}

// Config is what a [Service] needs.
type Config struct {
	Store  Store            // required; the caller closes it, after the service
	Logger *slog.Logger     // nil logs nothing
	Now    func() time.Time // nil is time.Now
}

// Service answers every question about accounts. Its methods may be called
// from many goroutines at once. Errors that a caller can act on are
// *fault.Error; while the store is down they are of kind Unavailable.
type Service struct {
	store  Store
	log    *slog.Logger
	now    func() time.Time
	slots  *slots
	ledger *ledger
}

// New returns a service and starts the goroutine that writes its usage;
// [Service.Close] stops it.
func New(cfg Config) (*Service, error) {
	if cfg.Store == nil {
		return nil, errors.New("account needs a store")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Service{
		store:  cfg.Store,
		log:    cfg.Logger,
		now:    cfg.Now,
		slots:  newSlots(),
		ledger: startLedger(cfg.Store, cfg.Logger),
	}, nil
}

// Close refuses new holds and receipts, writes the receipts that wait, and
// returns when they are written. When ctx ends first it returns ctx's error and
// the writing goes on, for at most twice [WriteTimeout]. It may be called more than once.
func (s *Service) Close(ctx context.Context) error { return s.ledger.close(ctx) }

// instant is the present in the resolution that stores keep.
func (s *Service) instant() time.Time { return s.now().UTC().Truncate(time.Microsecond) }
