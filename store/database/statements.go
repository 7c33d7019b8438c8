package database

// This file keeps statements of SQLite compiled, on the connection that ran them. A posting
// runs a dozen, and parsing them took more than half of its processor time.

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/uptrace/bun"
	dialects "github.com/uptrace/bun/dialect"
)

// maxKept is how many statements a connection keeps compiled. A posting has some 20 texts,
// and others by the size of each [List].
const maxKept = 200

// keeping opens connections that keep statements compiled.
type keeping struct{ driver.Connector }

func (k keeping) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &keeper{sqliteConn: conn.(sqliteConn), kept: map[string]sqliteStmt{}}, nil
}

// sqliteConn is what a connection of the driver can do.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
	Deserialize(text []byte) error
}

type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// keeper is a connection that keeps statements with parameters. Those without have their
// values in the text, so the same text hardly comes again. As every connection it is used by
// one goroutine at a time.
type keeper struct {
	sqliteConn
	kept map[string]sqliteStmt // those not in use, by their text
}

// ExecContext implements [driver.ExecerContext].
func (k *keeper) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 0 {
		return k.sqliteConn.ExecContext(ctx, query, args)
	}
	st, err := k.take(ctx, query)
	if err != nil {
		return nil, err
	}
	res, err := st.ExecContext(ctx, args)
	return res, errors.Join(err, k.put(query, st, err))
}

// QueryContext implements [driver.QueryerContext].
func (k *keeper) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) == 0 {
		return k.sqliteConn.QueryContext(ctx, query, args)
	}
	st, err := k.take(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx, args)
	if err != nil {
		return nil, errors.Join(err, k.put(query, st, err))
	}
	return keptRows{rows, func() error { return k.put(query, st, nil) }}, nil
}

// take returns a statement that nobody uses.
func (k *keeper) take(ctx context.Context, query string) (sqliteStmt, error) {
	if st := k.kept[query]; st != nil {
		delete(k.kept, query) // two results of one statement may be open at once
		return st, nil
	}
	st, err := k.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return st.(sqliteStmt), nil
}

// put keeps a statement after its use, unless that failed.
func (k *keeper) put(query string, st sqliteStmt, failed error) error {
	if failed != nil || k.kept == nil || k.kept[query] != nil {
		return st.Close()
	}
	// Forgetting all is crude, but rare: only two lists of all sizes can come to so many.
	var err error
	if len(k.kept) >= maxKept {
		err = k.forget()
	}
	k.kept[query] = st
	return err
}

// forget closes the statements that are kept.
func (k *keeper) forget() error {
	var errs []error
	for _, st := range k.kept {
		errs = append(errs, st.Close())
	}
	clear(k.kept)
	return errors.Join(errs...)
}

// Close implements [driver.Conn].
func (k *keeper) Close() error {
	err := k.forget()
	k.kept = nil
	return errors.Join(err, k.sqliteConn.Close())
}

// keptRows gives its statement back when it is closed.
type keptRows struct {
	driver.Rows
	put func() error
}

func (r keptRows) Close() error { return errors.Join(r.Rows.Close(), r.put()) }

// Each calls scan for every row of a query that runs on each request, with ? for its values.
// BenchmarkCredentialOf measures one on SQLite, which bun's builder would write and SQLite parse
// each time. On PostgreSQL bun writes the values into the text, since preparing costs a round trip
// for each connection.
func (db *DB) Each(ctx context.Context, query string, scan func(*sql.Rows) error, args ...any) error {
	run := db.Read.QueryContext
	if on := compiling(db.Read); on != nil {
		run = on.QueryContext
	}
	rows, err := run(ctx, query, args...)
	if err != nil {
		return err
	}
	return ScanAll(rows, scan)
}

// Uncancelled returns the context for a look-up that takes microseconds: on SQLite one
// that cannot end, since for one that can the driver starts a goroutine, which costs
// more than the look-up.
func (db *DB) Uncancelled(ctx context.Context) context.Context {
	if db.Postgres() {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// compiling returns what runs statements of SQLite with their parameters, past bun, which
// would write the values into the text; nil on PostgreSQL.
func compiling(db bun.IDB) interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
} {
	if db.Dialect().Name() != dialects.SQLite {
		return nil
	}
	switch db := db.(type) {
	case *Tx:
		return db.tx
	case bun.Tx:
		return db.Tx
	case *bun.DB:
		return db.DB
	}
	return nil
}
