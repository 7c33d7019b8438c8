// Package store keeps everything that outlives a process, in SQLite. A [Store]
// implements the store interfaces of the domain packages.
//
// SQLite runs in WAL mode with synchronous FULL, so what was acknowledged
// survives a power cut. There is one connection that writes, and transactions
// of it begin immediate, so writers queue instead of colliding; readers have a
// pool of their own that cannot write. Several processes may open the same
// file.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"

	"vaak/account"
)

// Limits of the pools and waits.
const (
	readers     = 8               // connections that read
	busyTimeout = 5 * time.Second // how long a statement waits for another process's lock
)

// Config says where the data is.
type Config struct {
	// DSN is "sqlite:" and the path of a file, which is made, with its
	// directory, when it is not there; "sqlite::memory:" is a database that is
	// gone with the Store. Required.
	DSN string
	// Logger is told of migrations; nil logs nothing.
	Logger *slog.Logger
}

// Store is an open database. Its methods may be called from many goroutines.
// Their errors are as [account.Store] says.
type Store struct {
	log    *slog.Logger
	write  *bun.DB // one connection
	read   *bun.DB // the same as write when the database is in memory
	closed atomic.Bool

	credential statement
	addUsage   statement
}

var _ account.Store = (*Store)(nil)

// Open opens the database and makes it when it is not there. It changes no
// table: see [Store.Migrate]. Files are made with mode 0600, directories 0700.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	loc, err := parseDSN(cfg.DSN)
	if err != nil {
		return nil, err
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{log: cfg.Logger}
	if err := s.open(ctx, loc); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", cfg.DSN, err), s.Close())
	}
	s.credential = statement{db: s.read.DB, query: credentialQuery}
	s.addUsage = statement{db: s.write.DB, query: addUsageQuery}
	return s, nil
}

func (s *Store) open(ctx context.Context, loc location) error {
	if err := loc.make(); err != nil {
		return err
	}
	write, err := pool(loc.writeDSN(), 1)
	if err != nil {
		return err
	}
	s.write, s.read = write, write
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
	read, err := pool(loc.readDSN(), readers)
	if err != nil {
		return err
	}
	s.read = read
	return read.PingContext(ctx)
}

// pool returns a pool of at most size connections, all of which it keeps.
func pool(dsn string, size int) (*bun.DB, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return bun.NewDB(db, sqlitedialect.New(), bun.WithDiscardUnknownColumns()), nil
}

// Ping writes one row: it fails when the database cannot be written, be it
// for want of space.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.write.ExecContext(ctx,
		"INSERT INTO probes (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
		time.Now().UnixMicro())
	return s.fail(ctx, err, "probe")
}

// Close closes the database. Calls after it fail as Unavailable. It may be
// called more than once.
func (s *Store) Close() error {
	if s.closed.Swap(true) || s.write == nil {
		return nil
	}
	errs := []error{s.credential.close(), s.addUsage.close()}
	if s.read != s.write {
		errs = append(errs, s.read.Close())
	}
	// The connection that can write is the last: it folds the WAL into the file.
	return errors.Join(append(errs, s.write.Close())...)
}
