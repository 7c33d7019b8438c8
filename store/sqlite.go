package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Limits of the pools and waits of SQLite.
const (
	readers     = 8                      // connections that read
	busyTimeout = 50 * time.Millisecond  // how long one try to write waits for another process's lock; see [Store.begin]
	readTimeout = 500 * time.Millisecond // how long reading waits, which it must only while a database is opened or closed
)

func sqliteDialect() dialect {
	return dialect{
		name:          "sqlite",
		prepares:      true,
		hasMigrations: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'",
		makeMigrations: `CREATE TABLE IF NOT EXISTS schema_migrations (
			version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`,
		cause: sqliteCause,
	}
}

func (s *Store) openSQLite(ctx context.Context, loc location) error {
	if err := loc.make(); err != nil {
		return err
	}
	write, err := sqlitePool(loc.writeDSN(), 1)
	if err != nil {
		return err
	}
	s.write, s.read, s.patient = write, write, write.DB
	// Turning WAL on needs the file for a moment alone and does not wait for it.
	if err := whileBusy(ctx, func() error { return write.PingContext(ctx) }); err != nil {
		return err
	}
	if loc.memory() {
		return nil
	}
	var mode string
	if err := write.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("journal mode is %s: the file system does not allow wal", mode)
	}
	read, err := sqlitePool(loc.readDSN(), readers)
	if err != nil {
		return err
	}
	s.read = read
	return read.PingContext(ctx)
}

// sqlitePool returns a pool of at most size connections, all of which it keeps.
func sqlitePool(dsn string, size int) (*bun.DB, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return newDB(db, sqlitedialect.New()), nil
}

func sqliteCause(err error) cause {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return unknown
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return missing
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return duplicate
	}
	switch primary(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL,
		sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM,
		sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_INTERRUPT:
		return away
	}
	return unknown
}

// primary returns the result code of SQLite without its extension; 0 when err
// is not one of SQLite's.
func primary(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// busy reports whether another process holds a lock.
func busy(err error) bool { return primary(err) == sqlite3.SQLITE_BUSY }

// whileBusy calls f until it does not fail for another process's lock, for
// at most a minute.
func whileBusy(ctx context.Context, f func() error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := f()
		if !busy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// foldTries is how often a purge tries to fold the WAL into the file.
const foldTries = 10

// foldLog folds the WAL into the file and cuts it to nothing, so that what was
// deleted is not in it any more. Who reads an older state hinders it; there is then
// no error, since what is deleted is so, and the next fold will do it.
func (s *Store) foldLog(ctx context.Context) {
	if s.postgres() || s.read == s.write {
		return
	}
	for range foldTries {
		var hindered, frames, folded int
		err := s.write.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&hindered, &frames, &folded)
		if err == nil && hindered == 0 || ctx.Err() != nil {
			return
		}
	}
}

// explained adds to an error what SQLite says by a number alone: a disk without room
// for the memory that its processes share.
func explained(err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE {
		return fmt.Errorf("there is no room on its disk: %w", err)
	}
	return err
}
