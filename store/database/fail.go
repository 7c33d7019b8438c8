package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"vaak/internal/fault"
)

// Codes of errors that the domain packages turn into their own.
const (
	CodeConflict  = "conflict"
	codeCancelled = "cancelled"
)

// Fail turns an error of the database into a *fault.Error of a kind, with what was being
// done. The kind is NotFound for a row that does not exist, Conflict for one that exists
// already, Invalid for a text that cannot be stored, Cancelled when the caller went
// away, and Unavailable when trying again may help. Every other error is a defect and
// keeps its type. Fail returns nil for nil.
func (db *DB) Fail(ctx context.Context, err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf(format+": %w", append(args, err)...)
	why := unknown
	if db.dialect.cause != nil { // nil in a DB that was never opened
		why = db.dialect.cause(err)
	}
	cause := context.Cause(ctx) // of a context of [pause.Within] it is not ctx.Err
	// What the database says of the data comes first: it is true even when the caller has
	// gone away or the database is closing.
	switch {
	case errors.Is(err, sql.ErrNoRows) || why == missing:
		return kind(fault.NotFound, fault.CodeNotFound, "there is no such thing", err)
	case why == duplicate:
		return kind(fault.Conflict, CodeConflict, "it exists already", err)
	case why == malformed || errors.Is(err, errNUL):
		return kind(fault.Invalid, fault.CodeInvalidParameter, "the text holds U+0000, which cannot be kept", err)
	case errors.Is(cause, context.Canceled) || errors.Is(err, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded):
		return kind(fault.Cancelled, codeCancelled, "the caller went away", err)
	case db.closed.Load() || ctx.Err() != nil || why == away || errors.Is(err, sql.ErrConnDone):
		return fault.Down(fault.CodeStoreUnavailable, time.Second, err, "the store is not available now; try again")
	}
	return err
}

func kind(k fault.Kind, code, msg string, err error) error {
	e := fault.New(k, code, "", "%s", msg)
	e.Err = err
	return e
}
