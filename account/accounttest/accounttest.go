// Package accounttest keeps accounts in memory, for the tests of packages that need an
// [account.Service]. A test can make its stores fail, hang or answer slowly.
package accounttest

import (
	"context"
	"time"

	"vaak/account"
	"vaak/account/ledger"
)

// Store is an [account.Store] in memory. Like the store of a database it has one
// part for each aggregate; the parts share their rows. The zero Store is not ready: see
// [New]. It may be used from many goroutines at once.
type Store struct {
	*faults
	*changes
	organisations
	keys
	books
	usage
}

var _ account.Store = (*Store)(nil)

// New returns a store with the plans of a new database: free, starter, growth,
// scale and unlimited. Leases are measured by now; nil is time.Now.
func New(now func() time.Time) *Store {
	if now == nil {
		now = time.Now
	}
	db := &database{
		now: now, plans: map[string]ledger.Plan{}, orgs: map[string]*organisation{}, names: map[string]bool{},
		keys: map[string]*account.Key{}, uses: map[use]sum{},
	}
	for _, p := range []ledger.Plan{
		{ID: "free", Name: "Free", MonthlyCharacters: 10_000, RequestsPerMinute: 10, MaxStreams: 2},
		{ID: "starter", Name: "Starter", MonthlyCharacters: 100_000, RequestsPerMinute: 60, MaxStreams: 5},
		{ID: "growth", Name: "Growth", MonthlyCharacters: 2_000_000, RequestsPerMinute: 300, MaxStreams: 20},
		{ID: "scale", Name: "Scale", MonthlyCharacters: 20_000_000, RequestsPerMinute: 1200, MaxStreams: 100},
		{ID: "unlimited", Name: "Unlimited", MonthlyCharacters: -1, RequestsPerMinute: -1, MaxStreams: -1},
	} {
		db.plans[p.ID] = p
	}
	return &Store{
		faults: &db.faults, changes: &db.changes, organisations: organisations{db}, keys: keys{db},
		books: books{db: db, changing: make(chan struct{}, 1)}, usage: usage{db},
	}
}

// Answers implements [account.ProbeStore].
func (s *Store) Answers(ctx context.Context) error { return s.faults.meet(ctx, Reads) }

// Ping implements [account.ProbeStore].
func (s *Store) Ping(ctx context.Context) error { return s.faults.meet(ctx, Pings) }
