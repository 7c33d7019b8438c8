package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"vaak/internal/fault"
)

// Codes of errors that the domain packages turn into their own.
const (
	codeConflict  = "conflict"
	codeCancelled = "cancelled"
)

// fail turns an error of the database into one of a kind, and says what was
// being done. It returns nil for nil.
func (s *Store) fail(ctx context.Context, err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf(format+": %w", append(args, err)...)
	switch {
	case errors.Is(err, sql.ErrNoRows) || constraint(err, sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY):
		return kind(fault.NotFound, fault.CodeNotFound, "there is no such thing", err)
	case constraint(err, sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY):
		return kind(fault.Conflict, codeConflict, "it exists already", err)
	case errors.Is(context.Cause(ctx), context.Canceled) || errors.Is(err, context.Canceled):
		return kind(fault.Cancelled, codeCancelled, "the caller went away", err)
	case s.closed.Load() || ctx.Err() != nil || outage(err):
		return fault.Down(fault.CodeStoreUnavailable, time.Second, err, "the store is not available now; try again")
	}
	return err
}

func kind(k fault.Kind, code, msg string, err error) error {
	e := fault.New(k, code, "", "%s", msg)
	e.Err = err
	return e
}

// constraint reports whether a statement broke one of some constraints.
func constraint(err error, codes ...int) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	for _, c := range codes {
		if e.Code() == c {
			return true
		}
	}
	return false
}

// outage reports whether err comes from the world around the database and
// not from a statement.
func outage(err error) bool {
	if errors.Is(err, sql.ErrConnDone) {
		return true
	}
	switch primary(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL,
		sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM,
		sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_INTERRUPT:
		return true
	}
	return false
}

// primary returns the result code of SQLite without its extension; 0 when err
// is not one of SQLite's.
func primary(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// whileBusy calls f until it does not fail for another process's lock, for
// at most a minute.
func whileBusy(ctx context.Context, f func() error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := f()
		if primary(err) != sqlite3.SQLITE_BUSY {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}
