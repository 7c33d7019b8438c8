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

// Config configures a [Service].
type Config struct {
	Store Store // required
	Files Files // required
	// PublicURL is the address at which clients reach the server, without a slash at its
	// end. Addresses in records begin with it. It is "" if there is no server; addresses
	// are paths then.
	PublicURL string
	// Publishing, if not nil, returns why a record must not be published, or nil. It is
	// asked before a record is published, and before a published one is replaced. The
	// record has the addresses and gaps that readers would see.
	Publishing func(*Stored) error
	Logger     *slog.Logger     // nil logs nothing
	Now        func() time.Time // nil means time.Now
}

// maxRecords bounds the records in memory. A record takes some tens of KiB, and more if it has a
// long sample, because all turns of it are in the record.
const maxRecords = 1000

// Service is the catalogue. Safe for concurrent use. Without Start it answers from what the store
// had when it was made or last refreshed.
type Service struct {
	store      Store
	files      Files
	at         addresses
	publishing func(*Stored) error
	log        *slog.Logger
	now        func() time.Time

	current atomic.Pointer[index]
	records *recent.Memory[string, *Stored] // by slug

	mu       sync.Mutex // guards the fields below; one refresh at a time
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

// Start makes the service follow changes of other processes until Close.
func (s *Service) Start(ctx context.Context) {
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	changed := make(chan struct{}, 1)
	s.done.Go(func() {
		for ctx.Err() == nil {
			_ = s.store.Watch(ctx, func() { // ends only with ctx
				select {
				case changed <- struct{}{}:
				default: // a refresh is pending already
				}
			})
		}
	})
	s.done.Go(func() { s.follow(ctx, changed) })
}

// lookEvery is how often the store is read even if it reports no change.
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

// entriesAtOnce is how many entries are read at a time.
const entriesAtOnce = 5000

// Refresh reads the changes from the store and builds a new index. Readers use the old index
// meanwhile.
func (s *Service) Refresh(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, in := s.revision, newInterner()
	if gone, err := s.goneBack(ctx); err != nil {
		return err
	} else if gone {
		// -1 is no revision, so that the index is rebuilt even if the store is empty now.
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
	// Nothing changed, so the index and all tags stay.
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

// goneBack reports whether the database is in an earlier state than the one that was read, for
// example after a restore: then it has no record as new as the newest known.
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

// List answers a query from memory. The error is a *fault.Error that says what is wrong with it.
func (s *Service) List(q Query) (Page, error) {
	selection, err := q.check()
	if err != nil {
		return Page{}, err
	}
	return s.current.Load().list(selection), nil
}

// notFound returns the error for a dataset that does not exist or is not visible.
func notFound(slugOrID string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "slug", "there is no dataset with the slug or id %.90q", slugOrID)
}
