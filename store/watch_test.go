package store

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/internal/fault"
	"vaak/internal/pause"
	"vaak/store/database"
	"vaak/store/database/databasetest"
)

// TestWatchBrokenConnection ends the connections that listen, again and again:
// what another store changes is seen all the same.
func TestWatchBrokenConnection(t *testing.T) {
	t.Parallel()
	dsn := databasetest.Postgres(t)
	s, other := openDSN(t, dsn), openDSN(t, dsn)
	ctx, cancel := context.WithCancel(t.Context())
	seen, done := make(chan account.Change, 100), make(chan error, 1)
	go func() { done <- s.Watch(ctx, func(c account.Change) { seen <- c }) }()
	for range 3 {
		awaitListener(t, other)
		killListeners(t, other)
		if err := other.SetPlan(ctx, ledger.Plan{ID: "p", Name: "p", RequestsPerMinute: 1, MaxStreams: 1}); err != nil {
			t.Fatal(err)
		}
		select {
		case c := <-seen:
			if c.Topic != account.TopicPlan {
				t.Errorf("seen %v, want a plan", c)
			}
		case <-time.After(time.Minute):
			t.Fatal("a change was not seen within a minute of the end of the connection")
		}
	}
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("Watch = %v, want the end of its context", err)
	}
}

const listeners = "FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %' AND pid <> pg_backend_pid()"

// awaitListener waits for a connection that listens.
func awaitListener(t *testing.T, s *Store) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); ; {
		var n int
		if err := s.db.Read.QueryRowContext(t.Context(), "SELECT count(*) "+listeners).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("nothing listens")
		}
	}
}

func killListeners(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.db.Write.ExecContext(t.Context(), "SELECT pg_terminate_backend(pid) "+listeners); err != nil {
		t.Fatal(err)
	}
}

// TestLockedByAnother checks that a writer which waits for the lock of another
// process waits no longer than its context.
func TestLockedByAnother(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "vaak.db")
	s, other := openAt(t, path), openAt(t, path)
	err := other.db.Transact(t.Context(), func(context.Context, *database.Tx) error {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		late, done := pause.Within(t.Context(), 4*time.Second)
		defer done()
		if err := s.Ping(ctx); fault.KindOf(err) != fault.Unavailable || late.Err() != nil {
			t.Errorf("Ping of a locked database = %v, in time: %v, want Unavailable after 200 ms, and not after the 5 s of one without a context", err, late.Err() == nil)
		}
		gone, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if err := s.Ping(gone); fault.KindOf(err) != fault.Cancelled {
			t.Errorf("Ping of one who went away = %v, want Cancelled", err)
		}
		if _, err := s.Plans(t.Context()); err != nil {
			t.Errorf("reading a locked database: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping when the lock is gone: %v", err)
	}
}
