package store

import (
	"sync/atomic"
	"testing"
	"time"

	"vaak/idempotency"
	"vaak/store/database/databasetest"
	"vaak/store/storetest"
)

func runIdempotency(t *testing.T, dsn func(t *testing.T) string) {
	storetest.RunIdempotency(t, func(t *testing.T) storetest.OpenedIdempotency {
		dsn := dsn(t)
		var passed atomic.Int64
		now := func() time.Time { return time.Unix(1_800_000_000, passed.Load()) }
		s := openBy(t, dsn, now)
		return storetest.OpenedIdempotency{
			Requests: s.Idempotency(),
			Again:    func(t *testing.T) idempotency.Store { return openBy(t, dsn, now).Idempotency() },
			Pass:     func(d time.Duration) { passed.Add(int64(d)) },
		}
	})
}

func TestIdempotencySQLite(t *testing.T) {
	t.Parallel()
	runIdempotency(t, sqliteDSN)
}

func TestIdempotencyPostgres(t *testing.T) {
	t.Parallel()
	runIdempotency(t, func(t *testing.T) string { return databasetest.Postgres(t) })
}

// TestIdempotencyOfServerClock runs where PostgreSQL tells the time, as in production.
func TestIdempotencyOfServerClock(t *testing.T) {
	t.Parallel()
	s := openDSN(t, databasetest.Postgres(t)).Idempotency()
	ctx := t.Context()
	e := idempotency.Entry{ID: make([]byte, 32), Digest: make([]byte, 32), Operation: "op", Holder: "run"}
	if _, won, err := s.Begin(ctx, e, time.Minute, time.Hour); !won || err != nil {
		t.Fatal(won, err)
	}
	if held, err := s.Renew(ctx, e.ID, "run", time.Minute); !held || err != nil {
		t.Error(held, err)
	}
	if _, free, err := s.Get(ctx, e.ID); free || err != nil {
		t.Error(free, err)
	}
	if n, err := s.Prune(ctx); n != 0 || err != nil {
		t.Error(n, err)
	}
}
