package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/store"
	"vaak/store/storetest/pgtest"
)

// BenchmarkLedger measures pairs of reserving and charging beside the commits
// of a single row, of the same database and as many workers. `make bench` prints
// what it finds.
func BenchmarkLedger(b *testing.B) {
	for _, d := range []struct {
		name string
		dsn  func(testing.TB) string
	}{
		{"SQLite", func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "vaak.db") }},
		{"PostgreSQL", func(t testing.TB) string { return pgtest.DSN(t) }},
	} {
		for _, workers := range []int{16, 64, 256} {
			for _, what := range []struct {
				name string
				open func(testing.TB, string) func(context.Context, int) error
			}{{"commits", commits}, {"one", pairs(1)}, {"many", pairs(100)}} {
				b.Run(fmt.Sprintf("%s/%d/%s", d.name, workers, what.name), func(b *testing.B) {
					inParallel(b, workers, what.open(b, d.dsn(b)))
				})
			}
		}
	}
}

// inParallel runs b.N operations in workers and reports how many there were a
// second.
func inParallel(b *testing.B, workers int, do func(ctx context.Context, n int) error) {
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	began := time.Now()
	for range workers {
		wg.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				if err := do(b.Context(), int(n)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "ops/s")
}

// commits returns what commits one row, as directly as the driver allows.
func commits(t testing.TB, dsn string) func(context.Context, int) error {
	driver, name, insert := "pgx", dsn, "INSERT INTO raw (n) VALUES ($1)"
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		driver, insert = "sqlite", "INSERT INTO raw (n) VALUES (?)"
		name = "file:" + path + "?_pragma=journal_mode(wal)&_pragma=synchronous(full)&_txlock=immediate"
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(16)
	if driver == "sqlite" {
		db.SetMaxOpenConns(1)
	}
	db.SetMaxIdleConns(16)
	if _, err := db.Exec("CREATE TABLE raw (n BIGINT)"); err != nil {
		t.Fatal(err)
	}
	st, err := db.Prepare(insert)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return func(ctx context.Context, n int) error {
		_, err := st.ExecContext(ctx, n)
		return err
	}
}

// pairs returns what reserves and charges, of so many organisations in turn.
func pairs(organisations int) func(testing.TB, string) func(context.Context, int) error {
	return func(t testing.TB, dsn string) func(context.Context, int) error {
		ctx := t.Context()
		db, err := store.Open(ctx, store.Config{DSN: dsn})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		if err := db.Migrate(ctx); err != nil {
			t.Fatal(err)
		}
		svc, err := account.New(account.Config{Store: db, Lanes: db.Lanes()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = svc.Close(context.Background()) })
		callers := make([]account.Caller, organisations)
		for i := range callers {
			callers[i] = spender(t, svc, fmt.Sprint("Organisation ", i))
		}
		return func(ctx context.Context, n int) error {
			h, err := svc.Reserve(ctx, callers[n%organisations], 100)
			if err != nil {
				return err
			}
			return h.Commit(ctx, account.Receipt{Characters: 90, Audio: time.Second, Voice: "sv_test", Language: "en"})
		}
	}
}

// spender makes an organisation that can spend without end, on a plan that is
// metered.
func spender(t testing.TB, svc *account.Service, name string) account.Caller {
	ctx := t.Context()
	o, err := svc.CreateOrganisation(ctx, name, "free")
	if err != nil {
		t.Fatal(err)
	}
	_, k, err := svc.CreateKey(ctx, o.ID, account.KeyRequest{Label: "bench"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Grant(ctx, o.ID, account.GrantRequest{Characters: account.MaxGrant, Kind: ledger.Purchase}); err != nil {
		t.Fatal(err)
	}
	return account.Caller{OrgID: o.ID, KeyID: k.ID, Plan: "free", Metered: true}
}
