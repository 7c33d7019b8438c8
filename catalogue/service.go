package catalogue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vaak/internal/fault"
	"vaak/internal/pause"
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
	// Unseen, if not nil, returns why somebody must look at what a record publishes first, or nil.
	// [Service.Move] asks it before it publishes a record; open opens a file of the record.
	Unseen func(ctx context.Context, s *Stored, open func(File) (io.ReadSeekCloser, error)) error
	// Links signs links under which clients read files where they are kept, without this
	// server. Nil has none.
	Links  Links
	Logger *slog.Logger     // nil logs nothing
	Now    func() time.Time // nil means time.Now
}

// unseenFunc is the type of [Config.Unseen].
type unseenFunc = func(context.Context, *Stored, func(File) (io.ReadSeekCloser, error)) error

// Service is the catalogue. Safe for concurrent use. Without Start it answers from what the store
// had when it was made or last refreshed.
type Service struct {
	store      Store
	files      Files
	at         addresses
	publishing func(*Stored) error
	unseen     unseenFunc
	links      Links
	log        *slog.Logger
	now        func() time.Time

	current atomic.Pointer[index]
	// searching has an element for each search that computes now, one for each processor at most.
	// Without this bound searches interrupt each other, at every 10 ms of the scheduler, and those of
	// a millisecond wait for as many slices of the longer ones as there are clients.
	searching chan struct{}

	mu       sync.Mutex // guards the fields below; one refresh at a time
	library  *library
	revision int64
	dirty    bool // the library has what the index has not

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
		store: cfg.Store, files: cfg.Files, at: addresses{cfg.PublicURL}, publishing: cfg.Publishing, unseen: cfg.Unseen, links: cfg.Links, log: cfg.Logger, now: cfg.Now,
		library: newLibrary(), stop: func() {}, searching: make(chan struct{}, runtime.GOMAXPROCS(0)),
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
		began := s.now()
		if err := s.Refresh(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("the catalogue could not be looked at; what was known is served", "error", err)
		}
		// While many records change one after the other, a large index must not be built all the
		// time. A small one takes no time to speak of.
		_ = pause.For(ctx, min(2*s.now().Sub(began), lookEvery)) // the loop looks at ctx
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
	if gone, err := s.goneBack(ctx); err != nil {
		return err
	} else if gone {
		s.library, s.revision, s.dirty = newLibrary(), 0, true
	}
	err := s.read(ctx, func(some []Entry) {
		for _, e := range some {
			s.library.put(e)
			s.revision, s.dirty = e.Revision, true
		}
	})
	if err != nil {
		return fmt.Errorf("read the catalogue: %w", err)
	}
	// Nothing changed since the index was built, so it and all tags stay. What a refresh has
	// read before it failed is left to the next.
	if !s.dirty {
		return nil
	}
	s.current.Store(s.library.index(s.at))
	s.dirty = false
	return nil
}

// read calls put with the entries that the store has beyond the last known revision. The next ones are
// read meanwhile: of a large catalogue, decoding them takes as long as putting them in.
func (s *Service) read(ctx context.Context, put func([]Entry)) error {
	ctx, stop := context.WithCancel(ctx)
	some, failed := make(chan []Entry, 1), error(nil)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer stop()
	after := s.revision
	reader.Go(func() {
		defer close(some)
		for {
			next, err := s.store.Entries(ctx, after, entriesAtOnce)
			if failed = err; err != nil || len(next) == 0 {
				return
			}
			select {
			case some <- next:
			case <-ctx.Done():
				failed = ctx.Err()
				return
			}
			if after = next[len(next)-1].Revision; len(next) < entriesAtOnce {
				return
			}
		}
	})
	for entries := range some {
		put(entries)
	}
	return failed
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
	x := s.current.Load()
	if of := selection.Similar; of != "" && x.named(of) == nil {
		return Page{}, fault.BadParameter("similar", "similar is the slug or id of a dataset; there is none with %.90q", of)
	}
	s.searching <- struct{}{}
	defer func() { <-s.searching }()
	return x.list(selection), nil
}

// notFound returns the error for a dataset that does not exist or is not visible.
func notFound(slugOrID string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "slug", "there is no dataset with the slug or id %.90q", slugOrID)
}
