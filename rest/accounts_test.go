package rest

import (
	"context"
	"io"
	"sync"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/internal/fault"
	"vaak/internal/ratelimit"
)

const testKey = "sk_live_test"

// accounts knows one key and lets a test decide how that stands.
type accounts struct {
	caller    account.Caller // zero: account.Local
	allowance *account.Allowance
	enter     error
	slot      *account.Slot // a nil slot can be released
	admit     error
	report    account.Report
	days      []account.DailyUsage
	down      error                       // of the reports
	recorded  func(account.RequestRecord) // nil forgets
	asked     func(account.DailyQuery)    // likewise
}

func (a accounts) Authenticate(_ context.Context, secret string) (account.Caller, error) {
	switch secret {
	case testKey:
		if a.caller == (account.Caller{}) {
			return account.Local, nil
		}
		return a.caller, nil
	case "down":
		return account.Caller{}, fault.Down(fault.CodeStoreUnavailable, 2500*time.Millisecond, io.ErrUnexpectedEOF, "the store is down")
	default:
		return account.Caller{}, fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "", "the API key is not valid")
	}
}

func (a accounts) Enter(context.Context, account.Caller) (account.Allowance, error) {
	if a.allowance == nil {
		return account.Allowance{Requests: ratelimit.Decision{Allowed: true, Limit: -1, Remaining: -1}, Streams: -1}, a.enter
	}
	return *a.allowance, a.enter
}

func (a accounts) Admit(context.Context, account.Caller) (*account.Slot, error) {
	return a.slot, a.admit
}

func (accounts) Session(ctx context.Context, _ account.Caller) (context.Context, func()) {
	return ctx, func() {}
}

func (a accounts) Record(r account.RequestRecord) {
	if a.recorded != nil {
		a.recorded(r)
	}
}

func (a accounts) Report(context.Context, string) (account.Report, error) { return a.report, a.down }

func (a accounts) Daily(_ context.Context, _ string, q account.DailyQuery) (account.DailyQuery, []account.DailyUsage, error) {
	if a.asked != nil {
		a.asked(q)
	}
	if q.By == "colour" {
		return q, nil, fault.BadParameter("by", "by is not one of key, voice, language")
	}
	return account.DailyQuery{From: "2026-02-27", To: "2026-03-01", By: q.By}, a.days, a.down
}

func (a accounts) Keys(context.Context, string) ([]account.Key, error) {
	return []account.Key{{ID: "key_a", Label: "alpha"}}, a.down
}

// records keeps request records.
type records struct {
	mu  sync.Mutex
	all []account.RequestRecord
}

func (r *records) add(rec account.RequestRecord) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, rec)
}

func (r *records) take() []account.RequestRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

// keyed are real accounts behind the one key of the tests, whose caller they
// take for theirs.
type keyed struct {
	*account.Service
	accounts
}

// caller is on a plan with limits and without a bound on characters.
var caller = account.Caller{OrgID: "org_aaaaaaaaaaaaaaaa", KeyID: "key_aaaaaaaaaaaaaaaa", Plan: "growth", Requests: 3, Streams: 2}

// newKeyed returns real accounts of a store that keeps nothing.
func newKeyed(t testing.TB, c account.Caller) keyed {
	t.Helper()
	service, err := account.New(account.Config{Store: forgetful{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return keyed{service, accounts{caller: c}}
}

func (k keyed) Authenticate(ctx context.Context, secret string) (account.Caller, error) {
	return k.accounts.Authenticate(ctx, secret)
}

func (k keyed) Enter(ctx context.Context, c account.Caller) (account.Allowance, error) {
	return k.Service.Enter(ctx, c)
}

func (k keyed) Admit(ctx context.Context, c account.Caller) (*account.Slot, error) {
	return k.Service.Admit(ctx, c)
}

func (k keyed) Session(ctx context.Context, c account.Caller) (context.Context, func()) {
	return k.Service.Session(ctx, c)
}

func (k keyed) Record(r account.RequestRecord) { k.accounts.Record(r) }

func (k keyed) Report(ctx context.Context, orgID string) (account.Report, error) {
	return k.accounts.Report(ctx, orgID)
}

func (k keyed) Daily(ctx context.Context, orgID string, q account.DailyQuery) (account.DailyQuery, []account.DailyUsage, error) {
	return k.accounts.Daily(ctx, orgID, q)
}

func (k keyed) Keys(ctx context.Context, orgID string) ([]account.Key, error) {
	return k.accounts.Keys(ctx, orgID)
}

// forgetful is a store in which nothing is found later.
type forgetful struct{ account.Store }

func (forgetful) Ping(context.Context) error { return nil }

func (forgetful) TouchKeys(context.Context, map[string]time.Time) error { return nil }

func (forgetful) RevokeKey(context.Context, string, time.Time) error { return nil }

func (forgetful) Post(_ context.Context, o account.Opening, turn func(time.Time, map[string]*ledger.Book) (account.Posting, error)) error {
	books := map[string]*ledger.Book{}
	for _, id := range o.Orgs {
		books[id] = ledger.Open(ledger.Record{
			OrgID: id, Terms: ledger.Terms{Mode: ledger.Lots, Plan: "p"}, Plans: map[string]ledger.Plan{"p": {ID: "p", MonthlyCharacters: ledger.Unlimited}},
		}, time.Now())
	}
	_, err := turn(time.Now(), books)
	return err
}
