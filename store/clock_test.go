package store_test

import (
	"context"
	"database/sql"
	"net/url"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/store"
	"vaak/store/database"
	"vaak/store/storetest/pgtest"
)

// movedClock makes clock_timestamp of a database a clock that can be moved, and returns
// the name by which a store finds it.
func movedClock(t *testing.T, dsn string) (moved string, move func(interval string)) {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TABLE moved (by interval NOT NULL)")
	exec("INSERT INTO moved VALUES ('0')")
	exec(`CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
		AS 'SELECT pg_catalog.clock_timestamp() + by FROM public.moved'`)
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", "public,pg_catalog") // else what is in pg_catalog comes first
	u.RawQuery = q.Encode()
	return u.String(), func(interval string) { t.Helper(); exec("UPDATE moved SET by = $1::interval", interval) }
}

// TestClockAhead has the clock of PostgreSQL go forward month by month, and come back:
// no month is granted that has not come, nothing that was bought expires, and a hold of
// that time lapses as any other.
func TestClockAhead(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dsn, move := movedClock(t, pgtest.DSN(t))
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
	o, err := svc.CreateOrganisation(ctx, "Acme", "free")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	end := began.AddDate(0, 1, 0)
	if err := svc.Subscribe(ctx, o.ID, account.SubscriptionRequest{Plan: "starter", Expires: end}); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Grant(ctx, o.ID, account.GrantRequest{Characters: 500, Kind: ledger.Purchase, Expires: end}); err != nil {
		t.Fatal(err)
	}
	for _, by := range []string{"0", "1 month", "2 months", "3 months", "2 years", "0"} {
		move(by)
		if err := svc.Roll(ctx, o.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := svc.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		r, err := svc.Report(ctx, o.ID)
		if err != nil {
			t.Fatal(err)
		}
		latest := ledger.PeriodOf(time.Now().Add(database.MostAhead))
		if sameMonth(began) && r.Balance.Remaining != 100_500 {
			t.Errorf("%s ahead: %d characters left, want 100500", by, r.Balance.Remaining)
		}
		if r.Plan.ID != "starter" {
			t.Errorf("%s ahead: the plan is %s, want starter", by, r.Plan.ID)
		}
		for _, l := range r.Balance.Lots {
			if p := ledger.PeriodOf(l.Created); p > latest {
				t.Errorf("%s ahead: a lot was granted in %s", by, p)
			}
		}
		ahead, err := db.Ahead(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if moved := by != "0"; (ahead > database.MostAhead) != moved {
			t.Errorf("%s ahead: measured %v", by, ahead)
		}
	}
	if a, err := svc.Audit(ctx); err != nil || sameMonth(began) && a.Lots != 3 || !a.Sound() {
		t.Errorf("Audit = %+v, %v; want three lots, of both plans and the one bought", a, err)
	}
}

// sameMonth reports whether no month has begun since, as far as the store may see.
func sameMonth(began time.Time) bool {
	return ledger.PeriodOf(began) == ledger.PeriodOf(time.Now().Add(database.MostAhead))
}
