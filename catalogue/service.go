package catalogue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vaak/internal/fault"
	"vaak/internal/recent"
)

// Config says what a service works with.
type Config struct {
	Store Store // required
	Files Files // required
	// PublicURL is where clients reach the server, without a slash at its end;
	// addresses in records begin with it. Where there is no server it is "", and they
	// are paths.
	PublicURL string
	// Publishing says what keeps a record from being published: it is asked before
	// one is put on the list, and before one that is on it is replaced. The record is
	// as readers would see it. nil lets all pass.
	Publishing func(*Stored) error
	Logger     *slog.Logger     // nil discards
	Now        func() time.Time // nil is time.Now
}

// maxRecords bounds the records in memory. One takes some tens of KiB, more with a
// long sample, whose turns are all in it.
const maxRecords = 1000

// Service is the catalogue. Its methods may be called from many goroutines. One
// that was not started finds what there was when it was made.
type Service struct {
	store      Store
	files      Files
	at         addresses
	publishing func(*Stored) error
	log        *slog.Logger
	now        func() time.Time

	current atomic.Pointer[index]
	records *recent.Memory[string, *Stored] // by slug

	mu       sync.Mutex // guards what follows: one refresh at a time
	entries  map[string]Entry
	revision int64

	stop context.CancelFunc
	done sync.WaitGroup
}

// New returns a service with the records that the store holds.
func New(ctx context.Context, cfg Config) (*Service, error) {
	if cfg.Store == nil || cfg.Files == nil || strings.HasSuffix(cfg.PublicURL, "/") {
		return nil, errors.New("the catalogue needs Store and Files, and a PublicURL without a slash at its end")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Publishing == nil {
		cfg.Publishing = func(*Stored) error { return nil }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Service{
		store: cfg.Store, files: cfg.Files, at: addresses{cfg.PublicURL}, publishing: cfg.Publishing, log: cfg.Logger, now: cfg.Now,
		entries: map[string]Entry{}, stop: func() {},
		records: recent.New[string, *Stored](maxRecords, nil),
	}
	s.current.Store(newIndex(nil, s.at))
	return s, s.Refresh(ctx)
}

// Start keeps the service up to date with what other processes write, until Close.
func (s *Service) Start(ctx context.Context) {
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	changed := make(chan struct{}, 1)
	s.done.Go(func() {
		for ctx.Err() == nil {
			_ = s.store.Watch(ctx, func() { // it ends with ctx
				select {
				case changed <- struct{}{}:
				default: // a look is due already
				}
			})
		}
	})
	s.done.Go(func() { s.follow(ctx, changed) })
}

// lookEvery is how often the store is looked at though nothing was heard.
const lookEvery = time.Minute

func (s *Service) follow(ctx context.Context, changed <-chan struct{}) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-tick.C:
		}
		if err := s.Refresh(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("the catalogue could not be looked at; what was known is served", "error", err)
		}
	}
}

// Close ends what Start began.
func (s *Service) Close() error {
	s.stop()
	s.done.Wait()
	return nil
}

// entriesAtOnce is how many entries are read in one go.
const entriesAtOnce = 5000

// Refresh reads what changed and makes a new index of it. Readers go on with the
// old one meanwhile.
func (s *Service) Refresh(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, in := s.revision, newInterner()
	if gone, err := s.goneBack(ctx); err != nil {
		return err
	} else if gone {
		before, s.entries, s.revision = -1, map[string]Entry{}, 0
	}
	for {
		some, err := s.store.Entries(ctx, s.revision, entriesAtOnce)
		if err != nil {
			return fmt.Errorf("read the catalogue: %w", err)
		}
		for _, e := range some {
			s.entries[e.Brief.ID] = in.entry(e)
			s.revision = e.Revision
		}
		if len(some) < entriesAtOnce {
			break
		}
	}
	if s.revision == before {
		return nil
	}
	all := make([]Entry, 0, len(s.entries))
	for _, e := range s.entries {
		all = append(all, e)
	}
	s.current.Store(newIndex(all, s.at))
	return nil
}

// goneBack reports whether the database has gone back to an earlier state: nothing
// in it is as new as the newest that was read.
func (s *Service) goneBack(ctx context.Context) (bool, error) {
	if s.revision == 0 {
		return false, nil
	}
	last, err := s.store.Entries(ctx, s.revision-1, 1)
	if err != nil {
		return false, fmt.Errorf("read the catalogue: %w", err)
	}
	return len(last) == 0, nil
}

// List answers a query from memory. A *fault.Error says what of it is wrong.
func (s *Service) List(q Query) (Page, error) {
	selection, err := q.check()
	if err != nil {
		return Page{}, err
	}
	return s.current.Load().list(selection), nil
}

// notFound is the error of a dataset that is not there, or not to be seen.
func notFound(slugOrID string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "slug", "there is no dataset with the slug or id %.90q", slugOrID)
}
