package speech_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
)

// alice is on a plan without a bound: her characters are counted.
var alice = account.Caller{OrgID: "org_a", KeyID: "key_a", Plan: account.PlanUnlimited}

// metered returns a ledger that knows any caller.
func metered(t testing.TB, store account.Store) *account.Service {
	t.Helper()
	accounts, err := account.New(account.Config{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := accounts.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return accounts
}

// ledgerStore keeps what was used, and nothing else: every organisation is on a
// plan without a bound.
type ledgerStore struct {
	account.Store
	mu   sync.Mutex
	used []account.Use
	down error // of Post
}

func newLedgerStore() *ledgerStore { return &ledgerStore{} }

func (s *ledgerStore) Post(_ context.Context, o account.Opening, turn func(time.Time, map[string]*ledger.Book) (account.Posting, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down != nil {
		return s.down
	}
	now, books := time.Now(), map[string]*ledger.Book{}
	for _, id := range o.Orgs {
		books[id] = ledger.Open(ledger.Record{
			OrgID: id, Terms: ledger.Terms{Mode: ledger.Lots, Plan: account.PlanUnlimited},
			Plans: map[string]ledger.Plan{account.PlanUnlimited: {
				ID: account.PlanUnlimited, MonthlyCharacters: ledger.Unlimited, RequestsPerMinute: ledger.Unlimited, MaxStreams: ledger.Unlimited,
			}},
		}, now)
	}
	p, err := turn(now, books)
	if err == nil {
		s.used = append(s.used, p.Uses...)
	}
	return err
}

func (s *ledgerStore) Ping(context.Context) error { return nil }

func (s *ledgerStore) uses() []account.Use {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]account.Use(nil), s.used...)
}

func (s *ledgerStore) characters() (all []int) {
	for _, u := range s.uses() {
		all = append(all, int(u.Characters))
	}
	return all
}

func (s *ledgerStore) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = err
}
