// Package jobs does work outside of requests: sending mail, sweeping, counting. A job is a
// row that is written in the transaction of the data that it concerns. So the job exists if
// and only if that transaction was committed, and a crash does not lose it.
//
// A [Queue] writes jobs, in any process. An [Engine] works them, in each process that
// starts one. Any number of engines share one database, and each job goes to one of them. A
// job is worked again when it fails, when it panics and when its process is killed. So a
// handler must be idempotent. When it does not return at the end of its context, two
// engines may even work the same job at once.
//
// The engine is River, on SQLite and on PostgreSQL. On SQLite it uses the one connection
// that writes, and waits for it as other writers do. The file sqlite.go corrects faults of
// River's driver for SQLite.
package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// Database is where the jobs are: exactly one of SQLite and Postgres is set.
type Database struct {
	// SQLite is a pool of at most one connection. Its transactions begin immediate, and it
	// waits for the locks of other processes (busy_timeout). It should be the only pool of
	// this process that writes. The caller closes it.
	SQLite *sql.DB
	// Busy reports whether an error of SQLite says that another process held its lock
	// for longer than busy_timeout. The jobs then wait for up to 5 s. Nil never waits.
	Busy func(error) bool
	// Postgres is a URL or a key-value string as pgx takes it. Each started
	// engine has up to six connections, one of them for LISTEN, which a proxy
	// that pools by transaction does not allow.
	Postgres string
	// Configure, unless nil, changes how connections to Postgres are made: how long a host
	// has to answer, and which of several hosts is meant. A connection that is being made to
	// a silent host counts among those that an engine may have.
	Configure func(*pgx.ConnConfig)
	// Impatient, unless nil, changes connections whose statements should be answered soon,
	// so that they give up a server that has fallen silent.
	Impatient func(*pgx.ConnConfig)
}

// Job is one piece of work to do.
type Job struct {
	// Kind names the handler: 2 to 100 letters, digits, dots, dashes and
	// underscores, a letter first.
	// A kind that no engine handles is tried again and at last discarded.
	Kind string
	// Args is marshalled to JSON for the handler; nil is no args. It is kept
	// until the job is deleted, and must hold no U+0000, which PostgreSQL
	// cannot keep. What comes back is the same value, not the same bytes.
	Args any
	// At is when to work it, to within five seconds; zero is now.
	At time.Time
	// Unique, unless empty, is a key. Nothing is inserted when there is a job of the same
	// kind and key that waits, runs or is to be tried again. On PostgreSQL the insert waits
	// for another transaction that inserts the same key.
	Unique string
	// Priority is 1, the first, to 4; 0 is 1.
	Priority int
	// Lane, unless empty, keeps the job for engines with a handler of that lane: for
	// work that not every process can do. Lower-case letters, up to 30.
	Lane string
}

// Queue is the jobs of one database. Its methods may be called from many
// goroutines.
type Queue struct {
	db     Database
	log    *slog.Logger
	bell   *bell // wakes engines of this process, on SQLite
	sqlite *river.Client[*sql.Tx]
	pg     *river.Client[pgx.Tx]
}

// NewQueue returns the queue in a database; it does not connect. The logger gets a line for
// each migration and each failure; nil logs nothing.
func NewQueue(db Database, log *slog.Logger) (q *Queue, err error) {
	if (db.SQLite == nil) == (db.Postgres == "") {
		return nil, errors.New("jobs need one database, SQLite or PostgreSQL")
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	q = &Queue{db: db, log: log, bell: newBell()}
	// An insert within the cooldown of another sends no notification, and its job waits for
	// the next poll. So the cooldown is as short as River allows.
	cfg := &river.Config{Logger: quiet(log), FetchCooldown: river.FetchCooldownMin}
	if db.SQLite != nil {
		q.sqlite, err = river.NewClient(newSQLiteDriver(db, q.bell), cfg)
	} else {
		q.pg, err = river.NewClient(riverpgxv5.New(nil), cfg)
	}
	return q, err
}

// InsertTx writes jobs in the transaction tx, which was begun on conn; they are
// worked after its commit. On SQLite conn may be nil. On PostgreSQL conn is of
// the pgx driver, and an error leaves the transaction fit for a rollback only.
func (q *Queue) InsertTx(ctx context.Context, conn *sql.Conn, tx *sql.Tx, jobs ...Job) error {
	if len(jobs) == 0 {
		return nil
	}
	params, err := insertParams(jobs)
	if err != nil {
		return err
	}
	if q.sqlite != nil {
		_, err = q.sqlite.InsertManyTx(ctx, tx, params)
		// Before the commit, but the fetch of the engine needs the connection of this
		// transaction and so waits for its end.
		defer q.bell.ring()
	} else {
		err = insideTx(conn, func(tx pgx.Tx) error {
			_, err := q.pg.InsertManyTx(ctx, tx, params)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("insert %d jobs, the first %s: %w", len(jobs), jobs[0].Kind, err)
	}
	return nil
}
