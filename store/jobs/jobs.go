// Package jobs does work outside of requests: sending mail, sweeping, counting.
// A job is a row that is written in the transaction of the data it concerns, so
// there is a job if and only if that transaction was committed, and it is
// worked after a crash too.
//
// A [Queue] writes jobs, in any process; an [Engine] works them, in each process
// that starts one. Any number of engines share one database, and a job is given
// to one of them. A job that fails, panics or outlives its process is worked
// again, so what a handler does must be idempotent: it may be done twice, even
// by two engines at once when a handler does not heed its context.
//
// The engine is River, on SQLite and on PostgreSQL alike. On SQLite it uses the one
// connection that writes, and waits for it as other writers do. sqlite.go works around what
// River lacks there.
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
	// SQLite is a pool of at most one connection whose transactions begin
	// immediate and that waits for the locks of others (busy_timeout). It is
	// best the only pool of the process that writes. It stays the caller's.
	SQLite *sql.DB
	// Busy reports whether an error of SQLite says that another process held its lock
	// for longer than busy_timeout. The jobs then wait for up to 5 s. Nil never waits.
	Busy func(error) bool
	// Postgres is a URL or a key-value string as pgx takes it. Each started
	// engine has up to four connections, one of them for LISTEN, which a proxy
	// that pools by transaction does not allow.
	Postgres string
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
	// Unique, unless empty, makes this job one with any other of the same kind
	// and key that is waiting, being worked, or to be tried again: then nothing
	// is inserted. On PostgreSQL this waits for another transaction that
	// inserts the same key.
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
	// The cooldown limits how often an insert notifies: one left out would
	// cost its job a poll interval.
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
		// The engine's fetch waits for the transaction to end.
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
