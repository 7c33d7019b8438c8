package database

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
	busyTimeout = 50 * time.Millisecond  // how long one try to write waits for another process's lock; see [DB.begin]
	ReadTimeout = 500 * time.Millisecond // how long reading waits; it must only while a process opens or closes the file
)

func sqliteDialect() dialect {
	return dialect{
		name:          "sqlite",
		hasMigrations: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'",
		makeMigrations: `CREATE TABLE IF NOT EXISTS schema_migrations (
			version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`,
		cause: sqliteCause,
	}
}

func (db *DB) openSQLite(ctx context.Context, loc location) error {
	if err := loc.make(); err != nil {
		return err
	}
	write, err := sqlitePool(loc.writeDSN(), 1)
	if err != nil {
		return err
	}
	db.Write, db.Read, db.Patient = write, write, write.DB
	// Turning WAL on needs an exclusive lock, and SQLite does not wait for that one.
	if err := WhileBusy(ctx, func() error { return write.PingContext(ctx) }); err != nil {
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
	db.Read = read
	if db.bell, err = openBell(string(loc) + "-bell"); err != nil {
		db.Log.Warn("changes by other processes cannot be heard of at once; keys are read on every request", "error", err)
	}
	return read.PingContext(ctx)
}

// sqlitePool returns a pool of at most size connections. It keeps idle ones, since
// opening a connection reads the whole schema.
func sqlitePool(dsn string, size int) (*bun.DB, error) {
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(keeping{connector})
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

// primary returns the result code of SQLite without its extension; 0 when err is not
// from SQLite.
func primary(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// Busy reports whether a statement of SQLite failed because another process holds a lock.
func Busy(err error) bool { return primary(err) == sqlite3.SQLITE_BUSY }

// Locked reports whether it failed because another connection of this process holds one.
func Locked(err error) bool { return primary(err) == sqlite3.SQLITE_LOCKED }

// WhileBusy calls f again while it fails because another process holds a lock, for at
// most a minute.
func WhileBusy(ctx context.Context, f func() error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := f()
		if !Busy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// foldTries is how often [DB.FoldLog] tries to fold the WAL into the file.
const foldTries = 10

// FoldLog folds the WAL of SQLite into the file and truncates it, so that deleted text
// is not left in the WAL. A reader of an older state can prevent that. It is no error
// then: the rows are deleted, and the next fold truncates the WAL.
func (db *DB) FoldLog(ctx context.Context) {
	if db.Postgres() || db.InMemory() {
		return
	}
	for range foldTries {
		var hindered, frames, folded int
		err := db.Write.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&hindered, &frames, &folded)
		if err == nil && hindered == 0 || ctx.Err() != nil { // hindered: a reader or a writer was in the way
			return
		}
	}
}

// Explained adds words to an error that SQLite gives as a number alone: the disk has no
// room for the memory that its processes share.
func Explained(err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE {
		return fmt.Errorf("there is no room on its disk: %w", err)
	}
	return err
}
