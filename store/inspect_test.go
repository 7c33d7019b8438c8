package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestInspectFileBesideAWriter looks at a database while a transaction is open on it.
func TestInspectFileBesideAWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "vaak.db")
	if i, err := InspectFile(t.Context(), path); err != nil || i.Exists || i.Known == 0 {
		t.Errorf("of no file: %+v, %v", i, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Fatal("looking made a file")
	}
	s, err := Open(t.Context(), Config{DSN: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if i, err := InspectFile(t.Context(), path); err != nil || !i.Exists || i.Schema != 0 || !i.WAL {
		t.Errorf("before migrating: %+v, %v", i, err)
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	tx, err := s.db.Write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(t.Context(), "DELETE FROM schema_migrations"); err != nil {
		t.Fatal(err)
	}
	// What is in the log alone is seen, what is not committed is not.
	if i, err := InspectFile(t.Context(), path); err != nil || i.Schema != i.Known || i.Damage != "" || i.Torn || i.Hurried {
		t.Errorf("beside a writer: %+v, %v", i, err)
	}
}

func TestInspectServerRefuses(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, dsn := range []string{"postgres://vaak:hunter2@127.0.0.1:1/vaak", "postgres://vaak:hunter2@[:x/vaak", "postgres://vaak:hunter2@127.0.0.1/vaak?pool_max_conns=none"} {
		if _, err := InspectServer(ctx, dsn); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("InspectServer = %v, want an error without the password", err)
		}
	}
}
