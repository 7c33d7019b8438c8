package replicas

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"vaak/store/database"
	"vaak/store/database/databasetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestReplicas(t *testing.T) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		testReplicas(t, databasetest.Open(t, "sqlite:"+filepath.Join(t.TempDir(), "vaak.db"), nil))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		testReplicas(t, databasetest.Open(t, databasetest.Postgres(t), nil))
	})
}

func testReplicas(t *testing.T, db *database.DB) {
	ctx, s := t.Context(), NewRoster(db)
	now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	db.Now = func() time.Time { return now }
	want := func(when string, replicas ...Replica) {
		t.Helper()
		got, err := s.Serving(ctx)
		if diff := cmp.Diff(replicas, got); err != nil || diff != "" {
			t.Errorf("%s: Serving (-want +got), %v:\n%s", when, err, diff)
		}
		if n, err := s.Replicas(ctx); err != nil || n != max(len(replicas), 1) {
			t.Errorf("%s: Replicas = %d, %v, want %d", when, n, err, max(len(replicas), 1))
		}
	}
	a, b := Replica{"replica_a", "127.0.0.1:8080", "v1.2.3", 12}, Replica{"replica_b", "127.0.0.1:8080", "", 0}
	do := func(f func(context.Context, Replica) error, r Replica) {
		t.Helper()
		if err := f(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	want("at first")
	do(s.Register, a)
	now = now.Add(time.Second)
	do(s.Register, b)
	want("when both have come", a, b)
	now = now.Add(lifetime - time.Second)
	do(s.Beat, b)
	want("when one is silent for 15 s", a, b)
	now = now.Add(time.Microsecond)
	want("when it is silent for longer", b)
	do(s.Beat, a)
	want("when it is heard again", a, b)
	if err := s.Unregister(ctx, a.ID); err != nil {
		t.Fatal(err)
	}
	want("when it has left", b)
	now = now.Add(2 * time.Hour)
	do(s.Register, a)
	var rows int
	if err := db.Read.QueryRowContext(ctx, "SELECT count(*) FROM replicas").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d rows, %v, want that of the dead one to be gone", rows, err)
	}
}
