package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/uptrace/bun"

	"vaak/internal/fault"
)

// statementsDB is a database with a table of its own.
func statementsDB(t *testing.T) *DB {
	t.Helper()
	db, err := Open(t.Context(), Config{DSN: "sqlite:" + filepath.Join(t.TempDir(), "v.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Write.ExecContext(t.Context(), "CREATE TABLE things (id TEXT PRIMARY KEY, n INTEGER NOT NULL, note TEXT) STRICT"); err != nil {
		t.Fatal(err)
	}
	return db
}

type thing struct {
	bun.BaseModel `bun:"table:things,alias:t"`

	ID   string
	N    int64
	Note string `bun:",nullzero"`
}

// kept returns how many statements the connection that writes keeps.
func kept(t *testing.T, db *DB) (n int) {
	t.Helper()
	conn, err := db.Write.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Raw(func(c any) error { n = len(c.(*keeper).kept); return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

func read(ctx context.Context, on bun.IDB, ids ...string) (all []thing, err error) {
	q := Query{What: "things", SQL: "SELECT id, n, coalesce(note, 'none') FROM things WHERE id ? AND n < ? ORDER BY id", Args: []any{List(ids), 100}}
	q.Read = func(scan func(...any) error) error {
		var r thing
		err := scan(&r.ID, &r.N, &r.Note)
		all = append(all, r)
		return err
	}
	return all, q.Run(ctx, on)
}

// TestStatementsAreKept inserts and reads again and again: each text is compiled once, and
// the values are those of each call, also after the table has changed.
func TestStatementsAreKept(t *testing.T) {
	t.Parallel()
	db := statementsDB(t)
	for i := range int64(3) {
		err := db.Transact(t.Context(), func(ctx context.Context, tx *Tx) error {
			rows := []thing{{ID: "a", N: i, Note: "n"}, {ID: fmt.Sprint("b", i), N: 200}}
			if err := Insert(ctx, tx, "things", rows, "(id) DO UPDATE SET n = t.n + excluded.n"); err != nil {
				return err
			}
			all, err := read(ctx, tx, "a", "b0")
			if diff := cmp.Diff([]thing{{ID: "a", N: i * (i + 1) / 2, Note: "n"}}, all); diff != "" {
				t.Errorf("things after %d inserts (-want +got):\n%s", i+1, diff)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := kept(t, db); got != 2 {
			t.Errorf("%d statements are kept, want the insert and the query", got)
		}
		if _, err := db.Write.ExecContext(t.Context(), fmt.Sprintf("ALTER TABLE things ADD COLUMN more%d TEXT", i)); err != nil {
			t.Fatal(err)
		}
	}
	var note sql.NullString
	if err := db.Read.QueryRowContext(t.Context(), "SELECT note FROM things WHERE id = 'b1'").Scan(&note); err != nil || note.Valid {
		t.Errorf("note of b1 = %v, %v, want NULL", note, err)
	}
	// A snapshot runs on another connection, which keeps its own.
	if err := db.Snapshot(t.Context(), func(tx bun.Tx) error {
		all, err := read(t.Context(), tx, "b0", "a")
		if len(all) != 1 || all[0].N != 3 {
			t.Errorf("snapshot has %+v, want a with 3", all)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// TestStatementInUse reads the results of one text twice at once.
func TestStatementInUse(t *testing.T) {
	t.Parallel()
	db := statementsDB(t)
	err := db.Transact(t.Context(), func(ctx context.Context, tx *Tx) error {
		if err := Insert(ctx, tx, "things", []thing{{ID: "a"}, {ID: "b"}, {ID: "c"}}, ""); err != nil {
			return err
		}
		const query = "SELECT id FROM things WHERE id >= ? ORDER BY id"
		var got []string
		one, err := tx.tx.QueryContext(ctx, query, "a")
		if err != nil {
			return err
		}
		err = ScanAll(one, func(one *sql.Rows) error {
			var id string
			if err := one.Scan(&id); err != nil {
				return err
			}
			other, err := tx.tx.QueryContext(ctx, query, id)
			if err != nil {
				return err
			}
			return ScanAll(other, func(other *sql.Rows) error {
				var second string
				err := other.Scan(&second)
				got = append(got, id+second)
				return err
			})
		})
		if diff := cmp.Diff([]string{"aa", "ab", "ac", "bb", "bc", "cc"}, got); diff != "" {
			t.Errorf("pairs (-want +got):\n%s", diff)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestStatementsFail has statements fail, with values and in their text: others work after it.
func TestStatementsFail(t *testing.T) {
	t.Parallel()
	db := statementsDB(t)
	put := func(rows ...thing) error {
		return db.Transact(t.Context(), func(ctx context.Context, tx *Tx) error { return Insert(ctx, tx, "things", rows, "") })
	}
	if err := put(thing{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	if got := fault.KindOf(put(thing{ID: "b"}, thing{ID: "a"})); got != fault.Conflict {
		t.Errorf("a row that exists: kind %q, want %q", got, fault.Conflict)
	}
	if got := fault.KindOf(put(thing{ID: "c\x00d"})); got != fault.Invalid {
		t.Errorf("a text with U+0000: kind %q, want %q", got, fault.Invalid)
	}
	if _, err := read(t.Context(), db.Write, "c\x00d"); !errors.Is(err, errNUL) {
		t.Errorf("a list with U+0000: %v, want %v", err, errNUL)
	}
	if err := (Query{SQL: "SELECT id FROM nowhere WHERE id = ?", Args: []any{"a"}}).Run(t.Context(), db.Write); err == nil {
		t.Error("a query of a table that does not exist succeeds")
	}
	if err := put(thing{ID: "b"}); err != nil {
		t.Errorf("after the failures: %v", err)
	}
	if all, err := read(t.Context(), db.Write, "a", "b", "c"); len(all) != 2 || err != nil {
		t.Errorf("things = %+v, %v, want a and b", all, err)
	}
}

// TestListsOfAllLengths reads by lists of many lengths, for which there are few texts.
func TestListsOfAllLengths(t *testing.T) {
	t.Parallel()
	db := statementsDB(t)
	var ids []string
	err := db.Transact(t.Context(), func(ctx context.Context, tx *Tx) error {
		rows := make([]thing, 2*maxList)
		for i := range rows {
			rows[i].ID = fmt.Sprintf("%04d", i)
			ids = append(ids, rows[i].ID)
		}
		return Insert(ctx, tx, "things", rows, "")
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(ids) + 1 {
		all, err := read(t.Context(), db.Write, ids[:n]...)
		if err != nil || len(all) != n || n > 0 && all[n-1].ID != ids[n-1] {
			t.Fatalf("a list of %d ids has %d things, %v", n, len(all), err)
		}
	}
	if got := kept(t, db); got != 1+10 { // the insert, and sizes 0, 1, 2, 4 ... 256
		t.Errorf("%d statements are kept, want 11", got)
	}
	if _, err := read(t.Context(), db.Write, make([]string, 40_000)...); err != nil {
		t.Errorf("a list with more values than parameters may be: %v", err)
	}
}

// TestStatementsAreBounded runs more texts than are kept.
func TestStatementsAreBounded(t *testing.T) {
	t.Parallel()
	db := statementsDB(t)
	for n := range 2*maxKept + 1 {
		q := Query{SQL: fmt.Sprintf("SELECT %d WHERE ? = 1", n), Args: []any{1}, Read: func(scan func(...any) error) error {
			var got int
			if err := scan(&got); err != nil || got != n {
				t.Errorf("the answer is %d, %v, want %d", got, err, n)
			}
			return nil
		}}
		if err := q.Run(t.Context(), db.Write); err != nil {
			t.Fatal(err)
		}
		if got := kept(t, db); got > maxKept {
			t.Fatalf("%d statements are kept, want at most %d", got, maxKept)
		}
	}
}
