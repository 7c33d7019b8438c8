// Package databasetest gives tests databases whose schema is that of the program. Each is a
// copy of one that was migrated once for the test process, since migrating takes a second
// with the race detector.
package databasetest

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

	"vaak/store/database"
	"vaak/store/storetest/pgtest"
)

// Postgres returns the DSN of a migrated database of PostgreSQL, which goes with the test.
var Postgres = pgtest.Filled(migrateAt)

// migrated returns the bytes of a migrated file of SQLite.
var migrated = sync.OnceValues(func() (text []byte, err error) {
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

func migrateAt(dsn string) error {
	db, err := database.Open(context.Background(), database.Config{DSN: dsn})
	if err != nil {
		return err
	}
	return errors.Join(db.Migrate(context.Background()), db.Close())
}

// Open opens a database with a clock, nil for its own, migrates it and closes it with the
// test.
func Open(t testing.TB, dsn string, now func() time.Time) *database.DB {
	t.Helper()
	Copy(t, dsn)
	db, err := database.Open(t.Context(), database.Config{DSN: dsn, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	Load(t, db)
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// Copy creates the file of a DSN of SQLite as a migrated database, when its directory
// exists and the file does not. It does nothing for any other DSN.
func Copy(t testing.TB, dsn string) {
	t.Helper()
	path, ok := strings.CutPrefix(dsn, "sqlite:")
	if !ok || path == ":memory:" {
		return
	}
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

// Load makes a database of SQLite in memory a migrated one, on its only connection. It
// does nothing to any other database.
func Load(t testing.TB, db *database.DB) {
	t.Helper()
	if !db.InMemory() {
		return
	}
	text, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Clone(text)
	text[18], text[19] = 1, 1 // the header says that there is no WAL, which memory cannot have
	conn, err := db.Write.Conn(t.Context())
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
