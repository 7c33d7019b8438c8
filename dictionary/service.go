package dictionary

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"vaak/internal/fault"
	"vaak/internal/flight"
	"vaak/internal/recent"
	"vaak/text/respell"
)

// Config holds the settings of a [Service].
type Config struct {
	Store Store            // required
	Now   func() time.Time // nil is time.Now
	Log   *slog.Logger     // nil discards
	// CacheBytes bounds the compiled rules in memory; 0 is 64 MiB.
	CacheBytes int
}

// knownDictionaries is how many dictionaries the cache holds.
const knownDictionaries = 10_000

// Service edits and lists dictionaries, and hands them out ready to be applied to a text. Its
// methods may be called from many goroutines.
type Service struct {
	store Store
	now   func() time.Time
	log   *slog.Logger

	known    *recent.Memory[string, Dictionary] // by id
	compiled *recent.Memory[edition, *respell.Dictionary]
	making   flight.Group[edition, *respell.Dictionary]

	mu      sync.Mutex
	changes int // how many changes were heard of

	stop context.CancelFunc
	over sync.WaitGroup
}

// New returns a service. It listens to changes of other processes until [Service.Close].
func New(cfg Config) (*Service, error) {
	if cfg.Store == nil {
		return nil, errors.New("dictionaries need a Store")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.CacheBytes == 0 {
		cfg.CacheBytes = 64 << 20
	}
	s := &Service{
		store: cfg.Store, now: cfg.Now, log: cfg.Log,
		known:    recent.New[string, Dictionary](knownDictionaries, nil),
		compiled: recent.New(cfg.CacheBytes, func(_ edition, d *respell.Dictionary) int { return d.Size() }),
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.over.Go(func() { _ = s.store.Watch(ctx, s.forget) }) // the error is that of ctx
	return s, nil
}

// Close stops listening to changes, and waits until that has ended.
func (s *Service) Close() {
	s.stop()
	s.over.Wait()
}

// Locator names a dictionary as a request does.
type Locator struct {
	ID      string
	Version string // "" is the latest
}

// Merge appends locators to named. A dictionary that is already there is not repeated and keeps
// its position. It also keeps its version, unless named leaves that open and more names one.
func Merge(named []Locator, more ...Locator) []Locator {
	all := slices.Clone(named)
	for _, l := range more {
		at := slices.IndexFunc(all, func(n Locator) bool { return canonical(n.ID) == canonical(l.ID) })
		switch {
		case at < 0:
			all = append(all, l)
		case all[at].Version == "":
			all[at] = l
		}
	}
	return all
}

// Use returns dictionaries of an organisation ready to be applied, in order. The error is of
// kind NotFound when a dictionary or version does not exist, and Invalid when there are more
// than [MaxPerRequest].
func (s *Service) Use(ctx context.Context, org string, locators ...Locator) (respell.Dictionaries, error) {
	if n := len(locators); n > MaxPerRequest {
		return nil, fault.BadParameter("pronunciation_dictionary_locators", "%d pronunciation dictionaries are named; a request uses at most %d", n, MaxPerRequest)
	}
	var all respell.Dictionaries
	for _, l := range locators {
		rules, err := s.use(ctx, org, l)
		if err != nil {
			return nil, err
		}
		all = append(all, rules)
	}
	return all, nil
}

// use returns one dictionary. If the latest version in the cache was deleted from the store,
// there is a later one, so use forgets what the cache holds and looks again.
func (s *Service) use(ctx context.Context, org string, l Locator) (*respell.Dictionary, error) {
	for left := reads; ; left-- {
		d, err := s.find(ctx, org, l.ID)
		if err != nil {
			return nil, err
		}
		rules, err := s.compile(ctx, d, l.Version)
		if l.Version != "" || fault.KindOf(err) != fault.NotFound || left == 0 {
			return rules, err
		}
		s.forget(d.ID)
	}
}

// find returns a dictionary of an organisation, from the cache unless a change of it was heard
// of.
func (s *Service) find(ctx context.Context, org, id string) (Dictionary, error) {
	d, ok := s.known.Get(canonical(id))
	if !ok {
		before := s.heard()
		var err error
		if d, ok, err = s.get(ctx, id); err != nil {
			return Dictionary{}, err
		}
		if ok {
			s.remember(d, before)
		}
	}
	if !ok || org != Everyone && d.Org != org {
		return Dictionary{}, NotFound(id)
	}
	return d, nil
}

// heard returns how many changes were heard of so far.
func (s *Service) heard() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changes
}

// remember puts a dictionary into the cache, unless a change was heard of since the store was
// asked. Before is the count of changes at that time. What was read before a change must not be
// used after it.
func (s *Service) remember(d Dictionary, before int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes == before {
		s.known.Put(d.ID, d)
	}
}

// forget removes a dictionary from the cache, or with "" all of them.
func (s *Service) forget(id string) {
	// Counted for a dictionary that is not in the cache, too: another call may be reading it.
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	if id == "" {
		s.known.Clear()
		return
	}
	s.known.Drop(id)
}

// get asks the store for a dictionary. It does not ask for an id that is no UUID: no dictionary
// has such an id, and callers may send any text.
func (s *Service) get(ctx context.Context, id string) (Dictionary, bool, error) {
	if id = canonical(id); !isID(id) {
		return Dictionary{}, false, nil
	}
	return s.store.Get(ctx, id)
}

// NotFound returns the error of a dictionary that does not exist, or belongs to another
// organisation: a caller must not learn which.
func NotFound(id string) error {
	return fault.New(fault.NotFound, CodeNotFound, "pronunciation_dictionary_id", "there is no pronunciation dictionary %.64q", id)
}

// edition names a version together with its dictionary, so that a version of one dictionary is
// never taken for a version of another.
type edition struct{ id, version string }

// compile returns a version of a dictionary, compiled. Compiled versions are cached, since they
// never change.
func (s *Service) compile(ctx context.Context, d Dictionary, version string) (*respell.Dictionary, error) {
	e := edition{d.ID, version}
	if version == "" {
		e.version = d.Latest.ID
	}
	if made, ok := s.compiled.Get(e); ok {
		return made, nil
	}
	// Each caller reads the rules with its own context. Only the compilation is shared by
	// calls at the same time.
	_, rules, err := s.rules(ctx, e)
	if err != nil {
		return nil, err
	}
	return s.making.Do(e, func() (*respell.Dictionary, error) {
		made, ok := s.compiled.Get(e)
		if !ok {
			made = respell.Compile(rules)
			s.compiled.Put(e, made)
		}
		return made, nil
	})
}

// rules asks the store for a version.
func (s *Service) rules(ctx context.Context, e edition) (Version, []respell.Rule, error) {
	var v Version
	var rules []respell.Rule
	e.version = canonical(e.version)
	ok, err := isID(e.version), error(nil)
	if ok {
		v, rules, ok, err = s.store.Rules(ctx, e.id, e.version)
	}
	if err == nil && !ok {
		err = fault.New(fault.NotFound, CodeNotFound, "version_id", "the pronunciation dictionary %s has no version %.64q", e.id, e.version)
	}
	return v, rules, err
}
