// Package store keeps everything that outlives a process, in SQLite or
// PostgreSQL. A [Store] implements the store interfaces of the domain packages,
// with one code for both databases; what differs is in files of their names.
//
// SQLite runs in WAL mode with synchronous FULL, so what was acknowledged
// survives a power cut. There is one connection that writes, and transactions
// of it begin immediate, so writers queue instead of colliding; readers have a
// pool of their own that cannot write. Several processes may open the same
// file.
//
// PostgreSQL has one pool. Queries go out as text with their values in it, one
// round trip each; only postings, which are most of the work, use statements
// that the server has prepared, in two round trips ([Store.Post]).
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"vaak/account"
	"vaak/store/jobs"
)

// Config says where the data is.
type Config struct {
	// DSN is "sqlite:" and the path of a file, which is made, with its
	// directory, when it is not there; "sqlite::memory:" is a database that is
	// gone with the Store. "postgres://user:password@host/database" is a database
	// of PostgreSQL, which must be there and be encoded in UTF8; its parameters
	// are those of pgx, pool_max_conns (16) among them. Required.
	DSN string
	// Logger is told of migrations; nil logs nothing.
	Logger *slog.Logger
	// Now is the clock that leases are measured by; nil is that of the database on
	// PostgreSQL, so that all processes have the same, and time.Now on SQLite.
	Now func() time.Time
}

// Store is an open database. Its methods may be called from many goroutines.
// Their errors are as [account.Store] says.
type Store struct {
	log     *slog.Logger
	dialect dialect
	write   *bun.DB // one connection on SQLite
	read    *bun.DB // the same as write on PostgreSQL and when the database is in memory
	patient *sql.DB // for what may take long: migrating
	closed  atomic.Bool

	now                      func() time.Time // nil: the clock of the database or the machine
	listener                 *pgx.ConnConfig  // of connections that hear of changes; nil on SQLite
	watchers                 watchers
	queue                    *jobs.Queue
	credential, subscription statement
	limits                   *limits  // nil on SQLite
	keyring                  *keyring // nil on SQLite, where looking is as quick
	texts                    texts    // of pipes
	catalogue                *Catalogue
	dictionaries             *Dictionaries
}

var _ account.Store = (*Store)(nil)

// Open opens the database; SQLite's it makes when it is not there. It changes
// no table: see [Store.Migrate]. Errors never hold a password of the DSN. Files are made with mode 0600, directories 0700.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{log: cfg.Logger, now: cfg.Now}
	if err := s.open(ctx, cfg.DSN); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.credential = statement{db: s.read, query: credentialQuery, prepares: s.dialect.prepares}
	s.subscription = statement{db: s.read, query: subscriptionQuery, prepares: s.dialect.prepares}
	s.catalogue, s.dictionaries = newCatalogue(s), newDictionaries(s)
	if s.postgres() {
		s.keyring = newKeyring(s)
	}
	var err error
	if s.queue, err = jobs.NewQueue(s.jobs(cfg.DSN), cfg.Logger); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// jobs says where the jobs are: beside the data.
func (s *Store) jobs(dsn string) jobs.Database {
	if s.postgres() {
		return jobs.Database{Postgres: dsn}
	}
	return jobs.Database{SQLite: s.write.DB, Busy: busy}
}

// Queue returns the jobs, for an engine that works them.
func (s *Store) Queue() *jobs.Queue { return s.queue }

func (s *Store) open(ctx context.Context, dsn string) error {
	if !isPostgres(dsn) {
		loc, err := parseDSN(dsn)
		if err != nil {
			return err
		}
		s.dialect = sqliteDialect()
		if err := s.openSQLite(ctx, loc); err != nil {
			return fmt.Errorf("open %s: %w", dsn, explained(err))
		}
		return nil
	}
	cfg, size, err := postgresConfig(dsn)
	if err != nil {
		return err
	}
	s.dialect = postgresDialect()
	if err := s.openPostgres(ctx, cfg, size); err != nil {
		return fmt.Errorf("open PostgreSQL database %s at %s: %w", cfg.Database, cfg.Host, err)
	}
	return nil
}

func newDB(db *sql.DB, d schema.Dialect) *bun.DB {
	return bun.NewDB(db, d, bun.WithDiscardUnknownColumns()).WithQueryHook(nulGuard{})
}

// Close closes the database. Calls after it fail as Unavailable. It may be
// called more than once.
func (s *Store) Close() error {
	if s.closed.Swap(true) || s.write == nil {
		return nil
	}
	if s.keyring != nil {
		s.keyring.close()
	}
	errs := []error{s.credential.close(), s.subscription.close()}
	if s.catalogue != nil {
		errs = append(errs, s.catalogue.close(), s.dictionaries.close())
	}
	if s.limits != nil {
		errs = append(errs, s.limits.db.Close())
	}
	if s.patient != s.write.DB {
		errs = append(errs, s.patient.Close())
	}
	if s.read != s.write {
		errs = append(errs, s.read.Close())
	}
	// The connection that can write is the last: it folds the WAL into the file.
	return errors.Join(append(errs, s.write.Close())...)
}

// lanes is how many postings at once PostgreSQL is worth: one works while the
// other waits for its commit, or for an organisation that another process
// changes. More would only make postings smaller, and so dearer.
const lanes = 2

// Lanes returns how many postings at once the database can make good use of.
func (s *Store) Lanes() int {
	if s.postgres() {
		return lanes
	}
	return 1 // there is one writer
}

// postgres reports whether the database is PostgreSQL, else it is SQLite.
func (s *Store) postgres() bool { return s.listener != nil }

// Shared reports whether other processes may serve from the database at the same
// time: SQLite has one server.
func (s *Store) Shared() bool { return s.postgres() }
