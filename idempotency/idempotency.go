// Package idempotency answers repeated requests with the answer of the first.
//
// A client names a request by a key. The first request with the key runs; repeats wait for it
// and get the same answer, for a day and from every process on the same store
// (draft-ietf-httpapi-idempotency-key-header). An entry of the store has a lease, so when the
// process that runs a request dies, a repeat runs it again. Its charge has a name, by which it
// is booked once: see [Run.Operation].
package idempotency

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"vaak/internal/fault"
	"vaak/internal/ids"
	"vaak/internal/pause"
)

// Bounds.
const (
	// MaxKey is how long a key may be, in bytes.
	MaxKey = 255
	// KeptFor is how long an answer is kept.
	KeptFor = 24 * time.Hour
	// MaxBody is the largest body that is kept, in bytes. Of a larger answer only the fact is
	// kept, and it is made again.
	MaxBody = 4 << 20
	// MaxBodies is how many bytes of bodies are kept for an organisation, and MaxAllBodies
	// for all. What comes above them is kept without a body.
	MaxBodies, MaxAllBodies = 64 << 20, 1 << 30
	// MaxKeys is how many keys of an organisation are kept; more are refused.
	MaxKeys = 100_000
	// Patience is how long a repeat waits for the first request.
	Patience = 30 * time.Second
)

// Times of the lease of a request that runs.
const (
	lease     = 15 * time.Second
	beat      = lease / 3
	askTime   = 5 * time.Second        // for a question to the store that no request waits for
	firstLook = 25 * time.Millisecond  // a repeat looks again after this, and then less and less often,
	lastLook  = 500 * time.Millisecond // up to this
	roomFresh = 10 * time.Second       // how long a count of what is kept is used
)

// Codes of errors.
const (
	// CodeReused says that a key came with another request before.
	CodeReused = "idempotency_key_reuse"
	// CodeInProgress says that the first request with the key still runs.
	CodeInProgress = "idempotency_in_progress"
	// CodeTooMany says that an organisation has [MaxKeys] keys.
	CodeTooMany = "too_many_idempotency_keys"
)

// Request names a request.
type Request struct {
	Scope string // whose keys they are, and of which route; never stored in clear
	Org   string // whose room the answer takes; "" is that of nobody
	Key   string
	// Digest is of all that the answer depends on.
	Digest [sha256.Size]byte
}

// CheckKey returns an error unless a key is 1 to [MaxKey] visible ASCII characters.
func CheckKey(key string) error {
	if key == "" || len(key) > MaxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fault.BadParameter("Idempotency-Key", "Idempotency-Key must have 1 to %d visible ASCII characters; one of %d bytes was sent", MaxKey, len(key))
	}
	return nil
}

// id is the name of a request in the store.
func (r Request) id() [sha256.Size]byte {
	// The lengths of scope and key cannot be confused: a scope has no NUL, and a key neither.
	return sha256.Sum256([]byte(r.Scope + "\x00" + r.Key))
}

// Answer is a kept answer.
type Answer struct {
	Status int
	Header map[string][]string
	Body   []byte
	Bodied bool // the body is kept; false says that it was too large
}

// Entry is a request in the store.
type Entry struct {
	ID        []byte
	Org       string
	Digest    []byte
	Operation string // names the charge of all runs of the entry
	Holder    string // of the run that has it
	Answer    Answer // its Status is 0 until there is one
}

// Done reports whether the entry has its answer.
func (e Entry) Done() bool { return e.Answer.Status != 0 }

// Room is what is kept.
type Room struct {
	Keys     int   // of an organisation
	Bodies   int64 // bytes of its bodies
	Everyone int64 // bytes of all bodies
}

// Store keeps entries. It has the clock by which leases and ages are measured. Its errors are
// those of the other stores.
type Store interface {
	// Get returns an entry. Free says that it may begin: it is unknown, has expired, or its
	// lease has lapsed.
	Get(ctx context.Context, id []byte) (e Entry, free bool, err error)
	// Begin adds an entry with a lease, or takes over one that is free. A run of the same
	// request that has lapsed passes on its Operation. Won is false when the entry is not
	// free; then it is returned as it is.
	Begin(ctx context.Context, e Entry, lease, keep time.Duration) (_ Entry, won bool, err error)
	// Renew extends the lease of a holder; false when it has lost it.
	Renew(ctx context.Context, id []byte, holder string, lease time.Duration) (bool, error)
	// Finish writes the answer of a holder; false when it has lost its lease to another.
	Finish(ctx context.Context, id []byte, holder string, a Answer) (bool, error)
	// Drop ends the lease of a holder. Forget deletes the entry; else a repeat takes it over.
	Drop(ctx context.Context, id []byte, holder string, forget bool) error
	// Room counts what is kept of an organisation, and of all.
	Room(ctx context.Context, org string) (Room, error)
	// Prune deletes entries that have expired and returns how many.
	Prune(ctx context.Context) (int, error)
}

// Config is what a [Service] needs.
type Config struct {
	Store  Store        // required
	Logger *slog.Logger // nil discards
}

// Service lets requests run once. Its methods may be called from many goroutines.
type Service struct {
	store Store
	log   *slog.Logger

	life context.Context // ends with Close
	end  context.CancelFunc
	runs sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	flights map[flightKey]*flight
	rooms   map[string]*counted // by organisation
}

// flightKey is a request of this process. Two requests of one id that differ are two flights;
// the store refuses one of them.
type flightKey struct{ id, digest [sha256.Size]byte }

// flight is a request that one goroutine of this process sees to, while others wait.
type flight struct {
	done   chan struct{}
	answer *Answer // set when done is closed; nil when there is none
}

// counted is a count of what is kept and its time.
type counted struct {
	Room
	at time.Time
}

// New returns a service. [Service.Close] must be called before what the requests use is closed.
func New(cfg Config) (*Service, error) {
	if cfg.Store == nil {
		return nil, errors.New("idempotency needs a Store")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Service{store: cfg.Store, log: cfg.Logger, flights: map[flightKey]*flight{}, rooms: map[string]*counted{}}
	s.life, s.end = context.WithCancel(context.Background())
	return s, nil
}

// Close ends requests that run on without their client, and waits until all have ended.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.runs.Wait()
}

// Take returns the kept answer of a request, or a run: the caller is then the one who runs the
// request, and must end the run. It waits for a run that another has, up to [Patience]. The
// error is Unprocessable when the key came with another request, Conflict when the other run
// takes too long, and RateLimited when there are too many keys.
func (s *Service) Take(ctx context.Context, r Request) (*Answer, *Run, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, Patience, ErrInProgress)
	defer cancel()
	k := flightKey{r.id(), r.Digest}
	for {
		f, lead := s.join(k)
		if lead {
			answer, run, err := s.lead(ctx, k, f, r.Org)
			if run == nil {
				s.land(k, f, answer)
			}
			return answer, run, err
		}
		select {
		case <-f.done:
			if f.answer != nil {
				return f.answer, nil, nil
			}
		case <-ctx.Done():
			return nil, nil, waited(ctx)
		}
	}
}

// join returns the flight of a request. Lead says that the caller sees to it.
func (s *Service) join(k flightKey) (f *flight, lead bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.flights[k]; f != nil {
		return f, false
	}
	f = &flight{done: make(chan struct{})}
	s.flights[k] = f
	return f, true
}

// land ends a flight. Without an answer, one of those who wait sees to the request next.
func (s *Service) land(k flightKey, f *flight, answer *Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.flights, k)
	f.answer = answer
	close(f.done)
}

// waited is the error of a repeat whose wait has ended.
func waited(ctx context.Context) error {
	if f, ok := errors.AsType[*fault.Error](context.Cause(ctx)); ok {
		return f
	}
	return &fault.Error{Kind: fault.Cancelled, Code: "client_closed_request", Msg: "the client went away", Err: ctx.Err()}
}

// ErrInProgress is the error of a repeat that has waited for [Patience].
var ErrInProgress = inProgress()

func inProgress() *fault.Error {
	e := fault.New(fault.Conflict, CodeInProgress, "Idempotency-Key", "the first request with this key is not done after %g s; send it again", Patience.Seconds())
	e.RetryAfter = 5 * time.Second
	return e
}

func errReused() error {
	return fault.New(fault.Unprocessable, CodeReused, "Idempotency-Key", "another request came with this key before, in the last 24 hours; a key names one request: send a new key with this one")
}

// lead finds the answer of a request, or begins its run.
func (s *Service) lead(ctx context.Context, k flightKey, f *flight, org string) (*Answer, *Run, error) {
	for look := firstLook; ; look = min(2*look, lastLook) {
		e, free, err := s.store.Get(ctx, k.id[:])
		if err == nil && free {
			var won bool
			if e, won, err = s.begin(ctx, k, org); won {
				return nil, s.run(k, f, e), nil
			}
		}
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, nil, waited(ctx)
		case err != nil:
			return nil, nil, err
		case !bytes.Equal(e.Digest, k.digest[:]):
			return nil, nil, errReused()
		case e.Done():
			return &e.Answer, nil, nil
		}
		if pause.For(ctx, look) != nil {
			return nil, nil, waited(ctx)
		}
	}
}

// begin adds the entry of a request, if there is room.
func (s *Service) begin(ctx context.Context, k flightKey, org string) (Entry, bool, error) {
	room, err := s.room(ctx, org)
	if err != nil {
		return Entry{}, false, err
	}
	if org != "" && room.Keys >= MaxKeys {
		e := fault.New(fault.RateLimited, CodeTooMany, "Idempotency-Key", "the organisation has sent %d keys in 24 hours, and may send no more: send the request without a key, or wait", MaxKeys)
		e.RetryAfter = time.Minute
		return Entry{}, false, e
	}
	if !s.enter() {
		return Entry{}, false, fault.Down("server_stopping", time.Second, nil, "the server is stopping; try again")
	}
	e := Entry{ID: k.id[:], Org: org, Digest: k.digest[:], Operation: ids.New("op_", ids.Bytes), Holder: ids.New("run_", ids.Bytes)}
	e, won, err := s.store.Begin(ctx, e, lease, KeptFor)
	if won {
		s.add(org, 1, 0)
	} else {
		s.runs.Done()
	}
	return e, won, err
}

// enter counts a run, for which Close then waits; false after Close.
func (s *Service) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.runs.Add(1)
	}
	return !s.closed
}

// room returns what is kept of an organisation, as it was a short time ago.
func (s *Service) room(ctx context.Context, org string) (Room, error) {
	s.mu.Lock()
	if c := s.rooms[org]; c != nil && time.Since(c.at) < roomFresh {
		defer s.mu.Unlock()
		return c.Room, nil
	}
	s.mu.Unlock()
	at := time.Now()
	room, err := s.store.Room(ctx, org)
	if err != nil {
		return room, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, c := range s.rooms { // what is old is of no use, and must not pile up
		if time.Since(c.at) >= roomFresh {
			delete(s.rooms, other)
		}
	}
	s.rooms[org] = &counted{room, at}
	return room, nil
}

// add adds to the count of what is kept.
func (s *Service) add(org string, keys int, bodies int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.rooms[org]; c != nil {
		c.Keys, c.Bodies = c.Keys+keys, c.Bodies+bodies
	}
	for _, c := range s.rooms {
		c.Everyone += bodies
	}
}
