package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"vaak/internal/pause"
	"vaak/store/migrations"
)

// ErrNewer is returned for a database that a newer program has migrated to a version that this
// program cannot use.
var ErrNewer = errors.New("the database is newer than this program")

// ErrServing is returned when servers run that could not use the database after a migration.
var ErrServing = errors.New("servers run that are too old for a migration")

// Querier is a pool, a connection or a transaction.
type Querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Steps returns the steps that this program knows for the database.
func (db *DB) Steps() ([]migrations.Step, error) { return migrations.Of(db.dialect.name) }

// Version returns the schema version of the database; 0 is an empty one.
func (db *DB) Version(ctx context.Context) (int, error) {
	v, err := db.dialect.version(ctx, db.Read.DB)
	return v, db.Fail(ctx, err, "read schema version")
}

func (d dialect) version(ctx context.Context, q Querier) (v int, err error) {
	if err := q.QueryRowContext(ctx, d.hasMigrations).Scan(&v); err != nil || v == 0 {
		return 0, err
	}
	err = q.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM schema_migrations").Scan(&v)
	return v, err
}

// programsVersion is the first version whose tables say which programs may use the
// database, and which ones serve from it.
const programsVersion = 12

// replicasVersion is the first version in which servers register.
const replicasVersion = 2

// oldest returns the version from which on programs may use the database. Before version
// 12 no other version will do.
func (d dialect) oldest(ctx context.Context, q Querier, version int) (v int, err error) {
	if version < programsVersion {
		return version, nil
	}
	err = q.QueryRowContext(ctx, "SELECT max(coalesce(oldest, version)) FROM schema_migrations").Scan(&v)
	return v, err
}

// newer returns the error of a database of a version that this program, which knows the
// versions up to known, does not know; nil if it may use the database all the same.
func (d dialect) newer(ctx context.Context, q Querier, version, known int) error {
	oldest, err := d.oldest(ctx, q, version)
	if err != nil || oldest <= known {
		return err
	}
	return Newer(version, oldest, known)
}

// Newer returns an [ErrNewer] for a database of a version that programs may use which know the
// versions up to oldest; this one knows those up to known, which is less.
func Newer(version, oldest, known int) error {
	return fmt.Errorf("%w: it is at version %d, which programs of version %d and later can use, and this one is of version %d; use a newer program, or restore a backup from before the upgrade",
		ErrNewer, version, oldest, known)
}

// Migrate brings the schema to the version of this program, and then that of the jobs.
// All steps of ours run in one transaction that locks the whole database. So any number
// of processes may call it at once, and one that dies leaves nothing half done.
//
// The database of a newer program stays as it is. The error is nil if this program can
// use it, as [migrations.Step] says, else [ErrNewer]. It is [ErrServing] when a server
// runs that could not go on after one of the steps.
func (db *DB) Migrate(ctx context.Context) error {
	steps, err := db.Steps()
	if err != nil {
		return err
	}
	if err := db.MigrateTo(ctx, steps); err != nil {
		return err
	}
	return db.Fail(ctx, WhileBusy(ctx, func() error { return db.queue.Migrate(ctx) }), "migrate")
}

const (
	// lockTimeout is how long the steps wait for the locks of their tables of PostgreSQL.
	// Meanwhile everybody else waits for these tables behind them, so it is short. It is under
	// the second after which PostgreSQL looks for deadlocks: in one with a server, the steps
	// give way, and not a charge of the server.
	lockTimeout = 500 * time.Millisecond
	// vacuumTimeout is how long the steps wait until no vacuum works on their tables. Nobody
	// waits behind them meanwhile. It is over the second after which PostgreSQL ends an
	// autovacuum that somebody waits for, which may be three at once.
	vacuumTimeout = 10 * time.Second
	// lockPause is the time between two tries, in which others get what they waited for.
	lockPause = time.Second
	// lockPatience is how long tables are tried to be locked. A dump of the database holds
	// its tables for as long as it takes.
	lockPatience = 5 * time.Minute
)

// MigrateTo applies the steps that the database does not have yet.
func (db *DB) MigrateTo(ctx context.Context, steps []migrations.Step) error {
	v, err := db.Version(ctx)
	switch {
	case err != nil:
		return err
	case v == len(steps):
		return nil
	case v > len(steps):
		if err := db.Fail(ctx, db.dialect.newer(ctx, db.Read.DB, v, len(steps)), "read schema version"); err != nil {
			return err
		}
		db.Log.InfoContext(ctx, "the database is newer than this program, which can use it", "version", v, "known", len(steps))
		return nil
	}
	until := time.Now().Add(lockPatience)
	for waited := false; ; waited = true {
		err := db.tryMigrate(ctx, steps)
		if !lockedOut(err) || time.Now().After(until) || ctx.Err() != nil {
			return err
		}
		if !waited {
			db.Log.WarnContext(ctx, "a migration waits for a table that another session uses, such as a dump", "error", err)
		}
		_ = pause.For(ctx, lockPause) // the loop looks at ctx
	}
}

// tryMigrate applies the steps in one transaction.
func (db *DB) tryMigrate(ctx context.Context, steps []migrations.Step) error {
	var tx *sql.Tx
	err := WhileBusy(ctx, func() (err error) {
		tx, err = db.Patient.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		return db.Fail(ctx, err, "lock database")
	}
	if err := db.apply(ctx, tx, steps); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return db.Fail(ctx, tx.Commit(), "commit migrations")
}

// stepRow is a row of schema_migrations. The column oldest comes with a step.
type stepRow struct {
	bun.BaseModel `bun:"table:schema_migrations"`

	Version   int `bun:",pk"`
	Name      string
	AppliedAt int64
}

// apply applies the steps that tx does not have yet. It reads the version again: another
// process may have migrated while this one waited for the lock.
func (db *DB) apply(ctx context.Context, tx *sql.Tx, steps []migrations.Step) error {
	for _, lock := range db.dialect.lockMigrations {
		if _, err := tx.ExecContext(ctx, lock); err != nil {
			return db.Fail(ctx, err, "lock database")
		}
	}
	v, err := db.dialect.version(ctx, tx)
	if err != nil {
		return db.Fail(ctx, err, "read schema version")
	}
	if v > len(steps) {
		return db.Fail(ctx, db.dialect.newer(ctx, tx, v, len(steps)), "read schema version")
	}
	if err := db.checkServing(ctx, tx, v, steps[v:]); err != nil {
		return err
	}
	if err := db.lockTables(ctx, tx, steps[v:]); err != nil {
		return db.Fail(ctx, err, "lock the tables of migrations")
	}
	if _, err := tx.ExecContext(ctx, db.dialect.makeMigrations); err != nil {
		return db.Fail(ctx, err, "make schema_migrations")
	}
	for _, m := range steps[v:] {
		// A step is a script of many statements, which goes to the driver as it is: to
		// bun a ? in it would be a value.
		if _, err := tx.ExecContext(ctx, m.SQL); err != nil {
			return db.Fail(ctx, err, "migration %04d_%s", m.Version, m.Name)
		}
		row := stepRow{Version: m.Version, Name: m.Name, AppliedAt: time.Now().UnixMicro()}
		if _, err := db.Write.NewInsert().Conn(tx).Model(&row).Returning("NULL").Exec(ctx); err != nil {
			return db.Fail(ctx, err, "record migration %04d_%s", m.Version, m.Name)
		}
		if m.Version >= programsVersion {
			_, err := db.Write.NewUpdate().Conn(tx).Model(&row).Set("oldest = ?", m.Oldest).WherePK().Exec(ctx)
			if err != nil {
				return db.Fail(ctx, err, "record migration %04d_%s", m.Version, m.Name)
			}
		}
		db.Log.InfoContext(ctx, "database migrated", "version", m.Version, "name", m.Name, "oldest", m.Oldest)
	}
	return nil
}

// lockTables locks all tables that steps need, before the first of them. A step that
// had some of its locks and waited for the next would keep servers waiting for longer, and in a
// deadlock with one of them.
func (db *DB) lockTables(ctx context.Context, tx *sql.Tx, steps []migrations.Step) error {
	if !db.Postgres() {
		return nil // the transaction has locked the file
	}
	var there []string
	for _, name := range migrations.Tables(steps) {
		var is bool
		if err := tx.QueryRowContext(ctx, "SELECT to_regclass('"+name+"') IS NOT NULL").Scan(&is); err != nil {
			return err
		}
		if is {
			there = append(there, name)
		}
	}
	if len(there) == 0 {
		return nil
	}
	lock := "LOCK TABLE " + strings.Join(there, ", ")
	timeout := func(d time.Duration) string { // of a statement, for all its locks together
		return fmt.Sprintf("SET LOCAL statement_timeout = %[1]d; SET LOCAL lock_timeout = %[1]d", d.Milliseconds())
	}
	for _, text := range []string{
		// The first lock conflicts with a vacuum and with no server. An autovacuum gives way
		// only to one who waits for a second, and the second lock waits for less.
		timeout(vacuumTimeout),
		lock + " IN SHARE UPDATE EXCLUSIVE MODE",
		timeout(lockTimeout),
		lock + " IN ACCESS EXCLUSIVE MODE",
		"SET LOCAL statement_timeout = 0",
	} {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// checkServing refuses steps after which a server that runs could not go on. A server that does not say
// what it knows has a program from before version 12, as have all before that version.
func (db *DB) checkServing(ctx context.Context, tx *sql.Tx, v int, pending []migrations.Step) error {
	known := "coalesce(nullif(knows, 0), ?)"
	switch {
	case v < replicasVersion:
		return nil
	case v < programsVersion:
		known = "?"
	}
	need := migrations.Oldest(pending)
	var count, oldest int
	err := db.Read.NewSelect().Conn(tx).TableExpr("replicas").ColumnExpr("count(*), coalesce(min("+known+"), 0)", programsVersion-1).
		Where("seen_at >= ? - ? AND "+known+" < ?", db.Clock(), ServingFor.Microseconds(), programsVersion-1, need).Scan(ctx, &count, &oldest)
	if err != nil {
		return db.Fail(ctx, err, "read which servers run")
	}
	if count > 0 {
		return fmt.Errorf("%w: %d serve from the database with a program of schema version %d at the oldest, and the migration needs %d; "+
			"upgrade them to a release in between first, or stop them all", ErrServing, count, oldest, need)
	}
	return nil
}

// ServingFor is how long a server counts as serving after it was last heard of.
const ServingFor = 15 * time.Second
