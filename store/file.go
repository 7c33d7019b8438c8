package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// ErrInUse is returned for a database file that another process has open.
var ErrInUse = errors.New("the database is in use by another process")

// ErrNoFile is returned for a database that is no file of this machine.
var ErrNoFile = errors.New("the database is no file")

// copyWait is how long a copy waits for the lock of another process.
const copyWait = 5 * time.Second

// File returns the path of the file that a DSN of SQLite names. The error is
// [ErrNoFile] for any other DSN.
func File(dsn string) (string, error) {
	if isPostgres(dsn) {
		return "", ErrNoFile
	}
	loc, err := parseDSN(dsn)
	if err != nil {
		return "", err
	}
	if loc.memory() {
		return "", ErrNoFile
	}
	return string(loc), nil
}

// CopyTo writes the database as it is at one moment to a new file, while others
// read and write it. It is for SQLite alone; the error is else [ErrNoFile]. The
// file is not yet safe from a power cut.
func (s *Store) CopyTo(ctx context.Context, path string) error {
	if s.dialect.name != "sqlite" || s.read == s.write {
		return ErrNoFile
	}
	var from string
	if err := s.read.QueryRowContext(ctx, "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&from); err != nil {
		return s.fail(ctx, err, "find the database's file")
	}
	// A connection of its own: those of the pools are needed, and readers may not vacuum.
	db, err := sql.Open("sqlite", location(from).uri(url.Values{"mode": {"ro"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", copyWait.Milliseconds())}}))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", path)
	return errors.Join(s.fail(ctx, err, "copy the database"), db.Close())
}

// CheckFile reads the whole of a database file that nobody writes and returns its
// schema version. An error says what is wrong with it; it is [ErrNewer] for the
// file of a newer program.
func CheckFile(ctx context.Context, path string) (schema int, err error) {
	db, err := sql.Open("sqlite", location(path).uri(url.Values{"mode": {"ro"}, "immutable": {"1"}}))
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
	s := &Store{dialect: sqliteDialect()}
	if schema, err = s.version(ctx, db); err != nil {
		return 0, fmt.Errorf("read schema version: %w", err)
	}
	known, err := s.dialect.migrations()
	switch {
	case err != nil:
		return 0, err
	case schema == 0:
		return 0, errors.New("the database is not one of this program")
	case schema > len(known):
		return 0, fmt.Errorf("%w: it is at version %d, versions up to %d are known; use a newer program", ErrNewer, schema, len(known))
	}
	return schema, nil
}

// Seize keeps every other process out of a database file until release is
// called, and folds what lies beside the file into it, so that the file alone is
// the database. The error is [ErrInUse] when another process has it open.
func Seize(ctx context.Context, path string) (release func() error, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", location(path).uri(url.Values{"mode": {"rw"}}))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	// Only who is alone with a database may turn its WAL off.
	for _, step := range []string{"PRAGMA journal_mode = delete", "BEGIN EXCLUSIVE"} {
		if _, err = db.ExecContext(ctx, step); err != nil {
			break
		}
	}
	if p := primary(err); p == sqlite3.SQLITE_BUSY || p == sqlite3.SQLITE_LOCKED {
		err = ErrInUse
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db.Close, nil
}
