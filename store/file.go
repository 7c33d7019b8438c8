package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"vaak/store/database"
	"vaak/store/migrations"
)

// The statements of this file and of inspect.go are hand-written: pragmas, VACUUM and
// system catalogues are no tables for bun's builder.

// ErrInUse is returned for a database file that another process has open.
var ErrInUse = errors.New("the database is in use by another process")

// ErrNoFile is returned for a database that is no file of this machine.
var ErrNoFile = errors.New("the database is no file")

// copyWait is how long a copy waits for the lock of another process.
const copyWait = 5 * time.Second

// File returns the path of the file that a DSN of SQLite names. The error is
// [ErrNoFile] for any other DSN.
func File(dsn string) (string, error) {
	if database.IsPostgres(dsn) {
		return "", ErrNoFile
	}
	path, err := database.FilePath(dsn)
	if err == nil && path == "" {
		err = ErrNoFile // in memory
	}
	return path, err
}

// CopyTo writes the database as it is at one moment to a new file, while others read and
// write it. It needs a file of SQLite; the error is [ErrNoFile] for any other database.
// The new file is not synced, so a power cut may still destroy it.
func (s *Store) CopyTo(ctx context.Context, path string) error {
	if s.db.Postgres() || s.db.InMemory() {
		return ErrNoFile
	}
	var from string
	if err := s.db.Read.QueryRowContext(ctx, "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&from); err != nil {
		return s.db.Fail(ctx, err, "find the database's file")
	}
	// The copy gets a connection of its own. The one that writes must not be blocked for as
	// long as a copy takes, and those that read are query_only, which forbids VACUUM.
	db, err := database.OpenFile(from, url.Values{"mode": {"ro"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", copyWait.Milliseconds())}})
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", path)
	return errors.Join(s.db.Fail(ctx, err, "copy the database"), db.Close())
}

// CheckFile reads a whole database file that no process writes, and returns its schema
// version. An error says what is wrong with it; it is [database.ErrNewer] for the file
// of a newer program that this one cannot use.
func CheckFile(ctx context.Context, path string) (schema int, err error) {
	db, err := database.OpenFile(path, url.Values{"mode": {"ro"}, "immutable": {"1"}})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, check := range []string{"PRAGMA integrity_check(1)", "SELECT count(*) FROM pragma_foreign_key_check"} {
		var found string
		if err := db.QueryRowContext(ctx, check).Scan(&found); err != nil {
			return 0, fmt.Errorf("check the database: %w", err)
		}
		if found != "ok" && found != "0" {
			return 0, fmt.Errorf("the database is damaged: %s", strings.TrimSpace(found))
		}
	}
	if schema, err = database.FileVersion(ctx, db); err != nil {
		return 0, fmt.Errorf("read schema version: %w", err)
	}
	known, err := migrations.Of("sqlite")
	switch {
	case err != nil:
		return 0, err
	case schema == 0:
		return 0, errors.New("the database is not one of this program")
	case schema > len(known):
		oldest, err := database.FileOldest(ctx, db, schema)
		if err != nil {
			return 0, fmt.Errorf("read schema version: %w", err)
		}
		if oldest > len(known) {
			return 0, database.Newer(schema, oldest, len(known))
		}
	}
	return schema, nil
}

// Seize locks every other process out of a database file until release is called. It
// folds the WAL beside the file into it, so that the file alone is the database. The error is [ErrInUse] when another process has it open.
func Seize(ctx context.Context, path string) (release func() error, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	db, err := database.OpenFile(path, url.Values{"mode": {"rw"}})
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	// Turning the WAL off fails while another process has the file open.
	for _, step := range []string{"PRAGMA journal_mode = delete", "BEGIN EXCLUSIVE"} {
		if _, err = db.ExecContext(ctx, step); err != nil {
			break
		}
	}
	if database.Busy(err) || database.Locked(err) {
		err = ErrInUse
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db.Close, nil
}
