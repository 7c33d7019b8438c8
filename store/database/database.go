// Package database is the connection of the store to SQLite or PostgreSQL. A [DB]
// runs transactions and snapshots, tells the time, migrates the schema, and tells
// every process of what changed. The packages beside it keep one aggregate each (keys,
// books, people ...) and reach the tables only through a DB.
//
// Both databases run the same code; what differs is in sqlite.go and postgres.go.
// Statements are built by bun's query builder. bun writes the values into the text of
// the statement in place of each ?, so a call costs one round trip and nothing is
// prepared. There are exceptions, for the paths that run on every request: [DB.Each], a
// look-up that SQLite keeps compiled, and [Query] and [Insert], which SQLite keeps compiled
// and PostgreSQL gets as a [Batch] of prepared statements, in one round trip.
//
// SQLite runs in WAL mode with synchronous FULL, so that a power cut loses no
// acknowledged transaction. One connection writes, and its transactions begin
// immediate, so writers queue instead of failing in the middle. Readers have a pool of
// their own that cannot write. Several processes may open the same file.
//
// PostgreSQL has one pool for reading and writing.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"vaak/store/jobs"
)

// Config says where the data is.
type Config struct {
	// DSN is "sqlite:" and a path, "sqlite::memory:", or "postgres://". Required.
	DSN string
	// Logger gets a line for each migration; nil logs nothing.
	Logger *slog.Logger
	// Now is the clock by which leases are measured. Nil is the clock of the database
	// on PostgreSQL, so that all processes share one, and time.Now on SQLite.
	Now func() time.Time
}

// DB is an open database. Its methods may be called from many goroutines. Their
// errors are as [DB.Fail] makes them.
type DB struct {
	*clock
	*feed

	// Write runs single statements. Where several belong together, or where the
	// statement raises a topic, use [DB.Transact]. It is one connection on SQLite.
	Write *bun.DB
	// Read is the pool for queries: the same as Write on PostgreSQL and for a database
	// in memory.
	Read *bun.DB
	// Patient waits for slow answers, which the other pools take for an outage. Migrations
	// use it.
	Patient *sql.DB
	// Now is [Config.Now].
	Now func() time.Time
	// Log is [Config.Logger], never nil.
	Log *slog.Logger

	dialect  dialect
	closed   atomic.Bool
	listener *pgx.ConnConfig // of connections that LISTEN; nil on SQLite
	open     func(conns int) *bun.DB
	queue    *jobs.Queue
	texts    texts // of batches
	bell     *bell // of a file of SQLite; nil when it could not be opened, too

	mu      sync.Mutex
	pools   []*bun.DB
	onClose []func()
}

// Open opens the database, and creates a missing file of SQLite with mode 0600 in
// directories of mode 0700. It changes no table: see [DB.Migrate]. Its errors never
// hold a password of the DSN.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	db := &DB{Log: cfg.Logger, Now: cfg.Now}
	db.clock, db.feed = &clock{db}, &feed{db: db}
	if err := db.connect(ctx, cfg.DSN); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	var err error
	if db.queue, err = jobs.NewQueue(db.jobsDatabase(cfg.DSN), cfg.Logger); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// jobsDatabase returns where the jobs are: in the same database as the data, so that a
// job is committed with the rows that it is about.
func (db *DB) jobsDatabase(dsn string) jobs.Database {
	if db.Postgres() {
		return jobs.Database{Postgres: dsn, Configure: prepareJobs, Impatient: bound}
	}
	return jobs.Database{SQLite: db.Write.DB, Busy: Busy}
}

func (db *DB) connect(ctx context.Context, dsn string) error {
	if !IsPostgres(dsn) {
		loc, err := parseDSN(dsn)
		if err != nil {
			return err
		}
		db.dialect = sqliteDialect()
		if err := db.openSQLite(ctx, loc); err != nil {
			return fmt.Errorf("open %s: %w", dsn, Explained(err))
		}
		return nil
	}
	cfg, size, err := postgresConfig(dsn)
	if err != nil {
		return err
	}
	db.dialect = postgresDialect()
	if err := db.openPostgres(ctx, cfg, size); err != nil {
		return fmt.Errorf("open PostgreSQL database %s at %s: %w", cfg.Database, cfg.Host, err)
	}
	return nil
}

func newDB(db *sql.DB, d schema.Dialect) *bun.DB {
	return bun.NewDB(db, d, bun.WithDiscardUnknownColumns()).WithQueryHook(nulGuard{})
}

// Close closes the database, after what [DB.OnClose] registered. Calls that come later
// fail as Unavailable. Close may be called more than once.
func (db *DB) Close() error {
	if db.closed.Swap(true) || db.Write == nil {
		return nil
	}
	// The functions run without the lock, because they may themselves use the database.
	db.mu.Lock()
	onClose, pools := db.onClose, db.pools
	db.mu.Unlock()
	for _, f := range onClose {
		f()
	}
	var errs []error
	for _, pool := range pools {
		errs = append(errs, pool.Close())
	}
	if db.Patient != db.Write.DB {
		errs = append(errs, db.Patient.Close())
	}
	if db.Read != db.Write {
		errs = append(errs, db.Read.Close())
	}
	// The connection that can write is the last: closing it folds the WAL into the file.
	return errors.Join(append(errs, db.Write.Close(), db.bell.close())...)
}

// OnClose has f called when the database closes, while its connections still work.
func (db *DB) OnClose(f func()) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.onClose = append(db.onClose, f)
}

// Closed reports whether [DB.Close] was called.
func (db *DB) Closed() bool { return db.closed.Load() }

// Pool opens another pool of connections to PostgreSQL, for work that must not wait
// behind the rest. It is closed with the database.
func (db *DB) Pool(conns int) *bun.DB {
	pool := db.open(conns)
	db.mu.Lock()
	defer db.mu.Unlock()
	db.pools = append(db.pools, pool)
	return pool
}

// Queue returns the jobs, for an engine that works them.
func (db *DB) Queue() *jobs.Queue { return db.queue }

// Postgres reports whether the database is PostgreSQL; else it is SQLite.
func (db *DB) Postgres() bool { return db.listener != nil }

// News returns something that is another after any process has committed a change, see
// [Tx.Changed]. Ok is false when that cannot be told, so that nothing should be kept in
// memory. With PostgreSQL it stays the same: processes hear of changes by [DB.Watch].
func (db *DB) News() (news [8]byte, ok bool) {
	if db.Postgres() || db.InMemory() {
		return news, true
	}
	return db.bell.heard()
}

// InMemory reports whether the database is one of SQLite that is in memory.
func (db *DB) InMemory() bool { return !db.Postgres() && db.Read == db.Write }

// lanes is how many postings at once PostgreSQL is worth: one works while the other
// waits for its commit, or for an organisation that another process changes. With more
// lanes fewer charges share a posting, and each costs more.
const lanes = 2

// Lanes returns how many postings at once the database can make good use of.
func (db *DB) Lanes() int {
	if db.Postgres() {
		return lanes
	}
	return 1 // SQLite has one writer
}

// probeRow is a row of probes.
type probeRow struct {
	bun.BaseModel `bun:"table:probes"`

	ID int `bun:",pk"`
	At int64
}

// Ping writes one row. It fails when the database cannot be written, for example when
// its disk is full.
func (db *DB) Ping(ctx context.Context) error {
	row := probeRow{ID: 1, At: time.Now().UnixMicro()}
	_, err := db.Execute(ctx, "probe", func(tx *Tx) Statement {
		return tx.NewInsert().Model(&row).On("CONFLICT (id) DO UPDATE").Set("at = excluded.at").Returning("NULL")
	})
	return err
}

// Answers reads one row. It tells whether the database is there, however slowly it
// writes.
func (db *DB) Answers(ctx context.Context) error {
	var one int
	return db.Fail(ctx, db.Read.NewSelect().ColumnExpr("1").Scan(ctx, &one), "read")
}
