package account_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is the time of the tests that do not run in a synctest bubble.
var noon = time.Date(2026, 2, 28, 12, 0, 0, 123_456_789, time.UTC)

// clock is a clock that a test sets.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = t
}

func (c *clock) add(d time.Duration) { c.set(c.now().Add(d)) }

// newService returns a service, which it closes with the test.
func newService(t testing.TB, cfg account.Config) *account.Service {
	t.Helper()
	svc, err := account.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := svc.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return svc
}

// bubble runs a test in a synctest bubble, with a store and its service. Started says whether
// [account.Service.Start] is called.
func bubble(t *testing.T, started bool, test func(t *testing.T, db *accounttest.Store, svc *account.Service)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := accounttest.New(nil)
		svc := newService(t, account.Config{Store: db})
		if started {
			svc.Start(t.Context())
		}
		test(t, db, svc)
	})
}

// newKey creates an organisation on a plan with a key, and returns the caller of the key.
func newKey(t testing.TB, svc *account.Service, plan string) (secret string, k account.Key, c account.Caller) {
	t.Helper()
	o, err := svc.CreateOrganisation(t.Context(), "Example of "+plan, plan)
	if err != nil {
		t.Fatal(err)
	}
	return addKey(t, svc, o.ID, account.KeyRequest{Label: "test"})
}

func addKey(t testing.TB, svc *account.Service, orgID string, r account.KeyRequest) (secret string, k account.Key, c account.Caller) {
	t.Helper()
	secret, k, err := svc.CreateKey(t.Context(), orgID, r)
	if err != nil {
		t.Fatal(err)
	}
	return secret, k, authenticate(t, svc, secret)
}

func authenticate(t testing.TB, svc *account.Service, secret string) account.Caller {
	t.Helper()
	c, err := svc.Authenticate(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func reserve(t testing.TB, svc *account.Service, c account.Caller, n int) *account.Hold {
	t.Helper()
	h, err := svc.Reserve(t.Context(), c, n)
	if err != nil {
		t.Fatalf("Reserve(%d): %v", n, err)
	}
	return h
}

// speak reserves and commits n characters.
func speak(ctx context.Context, svc *account.Service, c account.Caller, n int, audio time.Duration) error {
	h, err := svc.Reserve(ctx, c, n)
	if err != nil {
		return err
	}
	defer h.Cancel()
	return h.Commit(ctx, account.Receipt{Characters: n, Audio: audio})
}

// usage returns what the organisation's one key used in p.
func usage(t testing.TB, svc *account.Service, c account.Caller, p ledger.Period) account.KeyUsage {
	t.Helper()
	got, err := svc.Usage(t.Context(), c.OrgID, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) == 0 {
		return account.KeyUsage{KeyID: c.KeyID, Period: p}
	}
	if len(got) > 1 {
		t.Fatalf("Usage = %v, want one key", got)
	}
	return got[0]
}

func report(t testing.TB, svc *account.Service, c account.Caller) account.Report {
	t.Helper()
	r, err := svc.Report(t.Context(), c.OrgID)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func balance(t testing.TB, svc *account.Service, c account.Caller) int64 {
	t.Helper()
	return report(t, svc, c).Balance.Remaining
}

// sound checks that the books add up.
func sound(t testing.TB, svc *account.Service) ledger.Audit {
	t.Helper()
	a, err := svc.Audit(t.Context())
	if err != nil || !a.Sound() {
		t.Errorf("Audit = %+v, %v, want it sound", a, err)
	}
	return a
}

// wantFault reports a test error when err is not of a kind and code.
func wantFault(t testing.TB, what string, err error, kind fault.Kind, code string) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != kind || e.Code != code {
		t.Errorf("%s: error = %v, want a fault of kind %s, code %s", what, err, kind, code)
	}
}

// wantAway reports a test error when err is not that of a store which is away.
func wantAway(t testing.TB, what string, err error) {
	t.Helper()
	wantFault(t, what, err, fault.Unavailable, fault.CodeStoreUnavailable)
}

// under reports a test error when f takes limit or longer.
func under(t testing.TB, what string, limit time.Duration, f func()) {
	t.Helper()
	begun := time.Now()
	if f(); time.Since(begun) >= limit {
		t.Errorf("%s took %v, want under %v", what, time.Since(begun), limit)
	}
}

func TestNewNeedsStore(t *testing.T) {
	t.Parallel()
	if _, err := account.New(account.Config{}); err == nil {
		t.Error("New without a store: no error")
	}
}
