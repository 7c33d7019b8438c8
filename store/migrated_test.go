package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/store/storetest/pgtest"
)

// Migrations take a second with the race detector, so tests that are not about them
// begin with copies: of the file of SQLite, and of a database of PostgreSQL.
var (
	migrated = sync.OnceValues(func() (text []byte, err error) {
		dir, err := os.MkdirTemp("", "vaak-store")
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		path := filepath.Join(dir, "vaak.db")
		if err := migrateAt("sqlite:" + path); err != nil { // closing folds the WAL into the file
			return nil, err
		}
		return os.ReadFile(path)
	})
	migratedPostgres = pgtest.Filled(migrateAt)
)

func migrateAt(dsn string) error {
	s, err := Open(context.Background(), Config{DSN: dsn})
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(context.Background()), s.Close())
}

// openBy opens a database with a clock, nil for its own, migrates it and closes it
// with the test. A file of SQLite that is not there, and one in memory, begin as a
// copy of migrated.
func openBy(t testing.TB, dsn string, now func() time.Time) *Store {
	t.Helper()
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok && path != ":memory:" {
		copyMigrated(t, path)
	}
	s, err := Open(t.Context(), Config{DSN: dsn, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if dsn == "sqlite::memory:" {
		loadMigrated(t, s)
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// copyMigrated makes a file that is not there, if its directory is.
func copyMigrated(t testing.TB, path string) {
	t.Helper()
	_, file := os.Stat(path)
	_, dir := os.Stat(filepath.Dir(path))
	if !errors.Is(file, fs.ErrNotExist) || dir != nil {
		return
	}
	text, err := migrated()
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// loadMigrated makes the copy of a database in memory, on its one connection.
func loadMigrated(t testing.TB, s *Store) {
	t.Helper()
	text, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Clone(text)
	text[18], text[19] = 1, 1 // what is in memory can have no WAL
	conn, err := s.write.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Raw(func(driver any) error {
		return driver.(interface{ Deserialize(text []byte) error }).Deserialize(text)
	})
	if err != nil {
		t.Fatal(err)
	}
}
