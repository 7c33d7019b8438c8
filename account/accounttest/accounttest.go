// Package accounttest keeps accounts in memory, for the tests of packages that need an
// [account.Service]. A test can make its stores fail, hang or answer slowly.
package accounttest

import (
	"context"
	"maps"
	"sync"
	"time"

	"vaak/account"
	"vaak/account/ledger"
)

// Store is an [account.Store] in memory. The zero Store is not ready: see [New].
// It may be used from many goroutines at once.
type Store struct {
	faults
	now   func() time.Time
	books chan struct{} // has a token while books are changed; acquired before mu

	mu       sync.Mutex
	plans    map[string]ledger.Plan
	orgs     map[string]*organisation
	names    map[string]bool
	order    []string // ids of organisations, oldest first
	keys     map[string]*account.Key
	keyOrder []string
	uses     map[use]sum
	jobs     []account.Job
	requests []account.RequestRecord
	recorded int64 // request records that were ever added; the Seq of the latest
	watchers map[int]func(account.Change)
	watched  int // the key of the latest of them
}

// organisation is an organisation with its book.
type organisation struct {
	account.Organisation
	month   ledger.Month
	lots    map[string]ledger.Lot
	holds   map[string]ledger.Hold
	entries []ledger.Entry
}

// use is the key of a sum.
type use struct{ key, day, voice, language string }

type sum struct {
	requests, characters int64
	audio                time.Duration
}

// New returns a store with the plans of a new database: free, starter, growth,
// scale and unlimited. Leases are measured by now; nil is time.Now.
func New(now func() time.Time) *Store {
	if now == nil {
		now = time.Now
	}
	s := &Store{
		now: now, books: make(chan struct{}, 1), plans: map[string]ledger.Plan{}, orgs: map[string]*organisation{}, names: map[string]bool{},
		keys: map[string]*account.Key{}, uses: map[use]sum{}, watchers: map[int]func(account.Change){},
	}
	for _, p := range []ledger.Plan{
		{ID: "free", Name: "Free", MonthlyCharacters: 10_000, RequestsPerMinute: 10, MaxStreams: 2},
		{ID: "starter", Name: "Starter", MonthlyCharacters: 100_000, RequestsPerMinute: 60, MaxStreams: 5},
		{ID: "growth", Name: "Growth", MonthlyCharacters: 2_000_000, RequestsPerMinute: 300, MaxStreams: 20},
		{ID: "scale", Name: "Scale", MonthlyCharacters: 20_000_000, RequestsPerMinute: 1200, MaxStreams: 100},
		{ID: "unlimited", Name: "Unlimited", MonthlyCharacters: -1, RequestsPerMinute: -1, MaxStreams: -1},
	} {
		s.plans[p.ID] = p
	}
	return s
}

// instant is the present, in the resolution that stores keep.
func (s *Store) instant() time.Time { return s.now().UTC().Truncate(time.Microsecond) }

// Watch implements [account.ChangeStore]. It reports the changes of this store, and those
// that a test passes to [Store.Announce].
func (s *Store) Watch(ctx context.Context, seen func(account.Change)) error {
	s.mu.Lock()
	s.watched++
	n := s.watched
	s.watchers[n] = seen
	s.mu.Unlock()
	<-ctx.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watchers, n)
	return ctx.Err()
}

// Announce reports a change to all watchers, as if another process had made it.
func (s *Store) Announce(c account.Change) {
	// A copy, because a watcher may call the store.
	s.mu.Lock()
	watchers := maps.Clone(s.watchers)
	s.mu.Unlock()
	for _, seen := range watchers {
		seen(c)
	}
}
