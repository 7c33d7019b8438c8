package database

import (
	"context"
	"testing"

	"github.com/uptrace/bun/dialect/pgdialect"

	"vaak/internal/fault"
	"vaak/store/storetest/pgtest"
)

func TestParameters(t *testing.T) {
	t.Parallel()
	gen := newDB(nil, pgdialect.New()).QueryGen()
	for _, tt := range []struct {
		q    Query
		want string
	}{
		{Query{SQL: "SELECT 1"}, "SELECT 1"},
		{Query{SQL: "SELECT ? + ?", Args: []any{1, 2}}, "SELECT $1 + $2"},
		{Query{SQL: "SELECT ? FROM t WHERE id ? AND n=?", Args: []any{1, List{"a", "b"}, "c"}}, "SELECT $1 FROM t WHERE id = ANY ($2) AND n=$3"},
	} {
		if got := tt.q.parameters(gen); got != tt.want {
			t.Errorf("parameters of %q = %q, want %q", tt.q.SQL, got, tt.want)
		}
	}
}

// TestBatchLeavesNothingOpen fails a transaction in each of its trips and looks
// at the connection afterwards, which is the only one.
func TestBatchLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{DSN: pgtest.DSN(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.Write.SetMaxOpenConns(1)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	put := Query{What: "put", SQL: "INSERT INTO versions (topic, version) VALUES (?, 1)", Args: []any{"t"}}
	bad := Query{What: "bad", SQL: "INSERT INTO versions (topic, version) SELECT topic, 1 FROM versions WHERE topic <> ?", Args: []any{""}}
	for _, tt := range []struct {
		name string
		f    func(ctx context.Context, tx *Tx) error
		want fault.Kind
	}{
		{"in the last trip", func(_ context.Context, tx *Tx) error {
			tx.Batch.Queue(put)
			tx.Batch.Queue(bad)
			return nil
		}, fault.Conflict},
		{"between trips", func(ctx context.Context, tx *Tx) error {
			tx.Batch.Queue(put)
			if err := tx.Batch.Send(ctx); err != nil {
				return err
			}
			return fault.New(fault.Invalid, "no", "", "no")
		}, fault.Invalid},
		{"before the first", func(context.Context, *Tx) error {
			return fault.New(fault.Invalid, "no", "", "no")
		}, fault.Invalid},
	} {
		if got := fault.KindOf(s.Batched(t.Context(), tt.f)); got != tt.want {
			t.Errorf("%s: kind = %q, want %q", tt.name, got, tt.want)
		}
		var n int
		if err := s.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM versions WHERE topic = 't'").Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d rows are left, %v, want 0", tt.name, n, err)
		}
	}
}
