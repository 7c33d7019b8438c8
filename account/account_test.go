package account_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is the present of the tests.
var noon = time.Date(2026, 2, 28, 12, 0, 0, 123_456_789, time.UTC)

// openStore opens the database at path, which it closes with the test.
func openStore(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{DSN: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// newService returns a service at noon, which it closes with the test.
func newService(t testing.TB, s account.Store) *account.Service {
	t.Helper()
	return newServiceAt(t, s, func() time.Time { return noon })
}

func newServiceAt(t testing.TB, s account.Store, now func() time.Time) *account.Service {
	t.Helper()
	svc, err := account.New(account.Config{Store: s, Now: now})
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

// newKey makes an organisation with a key, and the caller that the key stands for.
func newKey(t testing.TB, svc *account.Service) (secret string, k account.Key, c account.Caller) {
	t.Helper()
	ctx := t.Context()
	o, err := svc.CreateOrganisation(ctx, "Example", account.PlanUnlimited)
	if err != nil {
		t.Fatal(err)
	}
	secret, k, err = svc.CreateKey(ctx, o.ID, "test")
	if err != nil {
		t.Fatal(err)
	}
	c, err = svc.Authenticate(ctx, secret)
	if err != nil {
		t.Fatal(err)
	}
	return secret, k, c
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
func usage(t testing.TB, svc *account.Service, c account.Caller, p account.Period) account.KeyUsage {
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

// wantFault reports an error that is not of a kind and code.
func wantFault(t testing.TB, what string, err error, kind fault.Kind, code string) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != kind || e.Code != code {
		t.Errorf("%s: error = %v, want a fault of kind %s, code %s", what, err, kind, code)
	}
}

func tempPath(t testing.TB) string { return filepath.Join(t.TempDir(), "vaak.db") }

// broken is a store whose writes of usage fail while err is set.
type broken struct {
	account.Store
	err   atomic.Pointer[error]
	pings atomic.Int64
}

func (b *broken) fail(err error) {
	if err == nil {
		b.err.Store(nil)
	} else {
		b.err.Store(&err)
	}
}

func (b *broken) AddUsage(ctx context.Context, records []account.KeyUsage) error {
	if err := b.err.Load(); err != nil {
		return *err
	}
	return b.Store.AddUsage(ctx, records)
}

func (b *broken) Ping(ctx context.Context) error {
	b.pings.Add(1)
	if err := b.err.Load(); err != nil {
		return *err
	}
	return b.Store.Ping(ctx)
}

func TestNewNeedsStore(t *testing.T) {
	t.Parallel()
	if _, err := account.New(account.Config{}); err == nil {
		t.Error("New without a store: no error")
	}
}
