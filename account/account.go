// Package account knows organisations and their keys. It admits callers, holds the
// characters of a request until they are spoken, and charges for them.
//
// A request passes five steps: [Service.Authenticate] finds the caller,
// [Service.Enter] counts the request to the caller's minute, [Service.Admit] gives
// it a stream slot, [Service.Reserve] puts characters aside, and [Hold.Commit]
// charges for what was spoken, or [Hold.Cancel] releases it.
//
// Package ledger has the rules of money, as functions of a record and the time.
// [Store] keeps the data. [LimitStore] counts what all processes have to count
// together; without one, this process counts alone.
package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"vaak/account/backlog"
	"vaak/account/ledger"
	"vaak/internal/ratelimit"
)

// Organisation owns keys and pays for what they use.
type Organisation struct {
	ID       string // "org_" and 16 lower-case base32 characters
	Name     string // 1 to MaxName code points, unique
	Terms    ledger.Terms
	Ceilings Ceilings
	Created  time.Time
}

// Ceilings are limits over all keys of an organisation, beside those of each
// key.
type Ceilings struct {
	RequestsPerMinute int // ledger.Unlimited is none
	MaxStreams        int // likewise
}

// NoCeilings is what an organisation has unless the operator sets some.
var NoCeilings = Ceilings{ledger.Unlimited, ledger.Unlimited}

// Key is an API key as it is kept: never the secret, only its hash.
type Key struct {
	ID         string // "key_" and 16 lower-case base32 characters
	OrgID      string
	Label      string // 1 to MaxName code points
	Hash       []byte // SHA-256 of the secret
	LastFour   string // of the secret, the only part of it that is stored in clear; see Application
	Display    string // what a person may see of the secret: its prefix and last four characters; derived, not stored
	MonthlyCap int64  // characters a UTC month; ledger.Unlimited is none
	Created    time.Time
	Expires    time.Time // zero: never
	Revoked    time.Time // zero while it is not revoked
	LastUsed   time.Time // to some seconds; zero: never
}

// Valid reports whether the key is neither revoked nor expired at t.
func (k Key) Valid(t time.Time) bool { return k.Revoked.IsZero() && alive(k.Expires, t) }

func alive(expires, t time.Time) bool { return expires.IsZero() || t.Before(expires) }

// Caller is the key and organisation of an authenticated request, with their limits.
type Caller struct {
	OrgID string
	KeyID string // [ConsoleKey] of the console
	Plan  string // in force
	// Metered says that characters are held and charged. Those of other callers are only
	// counted.
	Metered bool
	Capped  bool // the key may spend so many characters a month
	// Limits of the key and of its organisation over all keys; 0 is none.
	Requests, Streams       int
	OrgRequests, OrgStreams int
}

// Local is the caller of commands that run on the server's own machine. They need no key,
// and nothing counts them.
var Local = Caller{OrgID: "local", KeyID: "local", Plan: PlanUnlimited}

// local reports whether c is [Local]. No stored key has its id.
func (c Caller) local() bool { return c.KeyID == "local" }

// known reports whether c was returned by Authenticate or Console, or is Local.
func (c Caller) known() bool { return c.KeyID != "" && c.OrgID != "" }

// Receipt says how much of a hold was spoken.
type Receipt struct {
	Characters int           // code points whose audio was handed over
	Audio      time.Duration // of the audio that was handed over
	Voice      string        // id
	Language   string        // code
	// Delivered says that the listener has the audio. Then it is charged even when the
	// store is away, as soon as the store is back. Otherwise Commit may fail when there is
	// no backlog, and the caller must withhold the answer.
	Delivered bool
}

// Config is what a [Service] needs.
type Config struct {
	Store  Store      // required; the caller closes it, after the service
	Limits LimitStore // counts for all processes; nil counts in this one
	// Backlog keeps charges that the store cannot take now; the caller closes it, after
	// the service. Nil keeps them in memory, and refuses an answer that is not charged.
	Backlog *backlog.Backlog
	Lanes   int              // how many postings may run at once; 0 is 1, which suits a store with one writer
	Logger  *slog.Logger     // nil logs nothing
	Now     func() time.Time // nil is time.Now; leases follow the store's clock
}

// Service answers every question about accounts. Each embedded part has the methods of one
// subject, which are methods of the Service. They may be called from many goroutines at
// once. Errors that a caller can act on are *fault.Error; while the store is down they are
// of kind Unavailable.
type Service struct {
	*base
	*directory
	*reports
	*bookkeeping
	*admission
	*reservations
	recorder *recorder

	life    sync.Mutex
	stop    context.CancelFunc // of what Start started; nil before
	watched chan struct{}      // closed when all of that has ended
	closed  bool
}

// base is what every part of a [Service] needs.
type base struct {
	store Store
	log   *slog.Logger
	now   func() time.Time
}

// instant is the present in the resolution that stores keep.
func (b *base) instant() time.Time { return b.now().UTC().Truncate(time.Microsecond) }

// New returns a service and starts the goroutines that write for it;
// [Service.Close] stops them.
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
	b := &base{store: cfg.Store, log: cfg.Logger, now: cfg.Now}
	count, running, ahead := &totals{}, &sessions{}, &advances{}
	d := &directory{base: b, sessions: running}
	away := &outage{store: cfg.Store, log: cfg.Logger}
	l := &limits{
		shared: cfg.Limits, windows: ratelimit.NewLimiter(maxScopes), slots: ratelimit.NewSlots(),
		log: cfg.Logger, suspect: away.suspect, replicas: 1,
	}
	v := &reservations{base: b, backlog: cfg.Backlog, advances: ahead, recalled: make(chan struct{}, 1), outage: away, limits: l, totals: count}
	for range max(cfg.Lanes, 1) {
		v.lanes = append(v.lanes, startLane(v))
	}
	return &Service{
		base: b, directory: d, reports: &reports{base: b, directory: d, limits: l, ahead: ahead}, bookkeeping: &bookkeeping{base: b, directory: d},
		admission:    &admission{base: b, limits: l, sessions: running, used: &usedKeys{}, totals: count},
		reservations: v, recorder: startRecorder(cfg.Store, cfg.Logger),
	}, nil
}

// Start begins the work of a server beside requests: it renews leases, watches for changes
// by other processes, and ends sessions whose key was revoked. [Service.Close] ends it; the
// end of ctx does not. A second call, or one after Close, does nothing.
func (s *Service) Start(ctx context.Context) {
	s.life.Lock()
	defer s.life.Unlock()
	if s.stop != nil || s.closed {
		return
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.watched = make(chan struct{})
	keys := make(chan string, 64)
	var running sync.WaitGroup
	running.Go(func() { s.watch(ctx, keys) })
	running.Go(func() { s.recheck(ctx, keys) })
	running.Go(func() { s.beat(ctx) })
	running.Go(func() { s.beatHolds(ctx) })
	if s.backlog != nil {
		running.Go(func() { s.followUp(ctx) })
	}
	go func() {
		running.Wait()
		close(s.watched)
	}()
}

// Close refuses new holds and receipts, and returns when the waiting receipts are written.
// When ctx ends first, it returns the error of ctx, and the writing goes on for at most
// twice [WriteTimeout]. It may be called more than once.
func (s *Service) Close(ctx context.Context) error {
	var errs []error
	s.shut()
	for _, l := range s.lanes {
		errs = append(errs, l.wait(ctx))
	}
	errs = append(errs, s.recorder.close(ctx), s.unwatch(ctx))
	if err := s.flushUsed(ctx); err != nil {
		s.log.Warn("the last use of keys was not written", "error", err) // no reason to fail
	}
	return errors.Join(errs...)
}

// unwatch ends what Start started.
func (s *Service) unwatch(ctx context.Context) error {
	s.life.Lock()
	s.closed = true
	stop, watched := s.stop, s.watched
	s.life.Unlock()
	if stop == nil {
		return nil
	}
	stop()
	select {
	case <-watched:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("end what watches the store: %w", ctx.Err())
	}
}
