package store

import (
	"context"
	"testing"

	"vaak/internal/fault"
	"vaak/store/storetest/pgtest"
)

func TestNumbered(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"SELECT 1":     "SELECT 1",
		"SELECT ? + ?": "SELECT $1 + $2",
		"SELECT ? FROM t WHERE id IN (?) AND n=?": "SELECT $1 FROM t WHERE id = ANY ($2) AND n=$3",
	} {
		if got := numbered(query); got != want {
			t.Errorf("numbered(%q) = %q, want %q", query, got, want)
		}
	}
}

// TestPipeLeavesNothingOpen fails a transaction in each of its trips and looks
// at the connection afterwards, which is the only one.
func TestPipeLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{DSN: pgtest.DSN(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.write.SetMaxOpenConns(1)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	put := question{what: "put", query: "INSERT INTO versions (topic, version) VALUES (?, 1)", args: []any{"t"}}
	bad := question{what: "bad", query: "INSERT INTO versions (topic, version) SELECT topic, 1 FROM versions WHERE topic <> ?", args: []any{""}}
	for _, tt := range []struct {
		name string
		f    func(ctx context.Context, tx *transaction) error
		want fault.Kind
	}{
		{"in the last trip", func(_ context.Context, tx *transaction) error {
			tx.pipe.add(put)
			tx.pipe.add(bad)
			return nil
		}, fault.Conflict},
		{"between trips", func(ctx context.Context, tx *transaction) error {
			tx.pipe.add(put)
			if err := tx.pipe.send(ctx); err != nil {
				return err
			}
			return fault.New(fault.Invalid, "no", "", "no")
		}, fault.Invalid},
		{"before the first", func(context.Context, *transaction) error {
			return fault.New(fault.Invalid, "no", "", "no")
		}, fault.Invalid},
	} {
		if got := fault.KindOf(s.piped(t.Context(), tt.f)); got != tt.want {
			t.Errorf("%s: kind = %q, want %q", tt.name, got, tt.want)
		}
		var n int
		if err := s.read.QueryRowContext(t.Context(), "SELECT count(*) FROM versions WHERE topic = 't'").Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d rows are left, %v, want 0", tt.name, n, err)
		}
	}
}
