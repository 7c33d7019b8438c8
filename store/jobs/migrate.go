package jobs

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

// migrationLock is the key of the advisory lock that one migrating process holds
// on PostgreSQL: "jobs" in ASCII.
const migrationLock = 0x6a6f6273

// Migrate creates the tables of jobs, or brings them to the version of this program. Any
// number of processes may call it at once. Tables of a newer program stay as they are.
func (q *Queue) Migrate(ctx context.Context) (err error) {
	if q.db.SQLite != nil {
		err = q.migrateSQLite(ctx)
	} else {
		err = q.migratePostgres(ctx)
	}
	if err != nil {
		return fmt.Errorf("migrate the tables of jobs: %w", err)
	}
	return nil
}

// migrateSQLite does all steps in one transaction that holds the write lock.
func (q *Queue) migrateSQLite(ctx context.Context) error {
	m, err := rivermigrate.New(riversqlite.New(q.db.SQLite), &rivermigrate.Config{Logger: quiet(q.log)})
	if err != nil {
		return err
	}
	if there, err := m.ExistingVersions(ctx); err != nil || len(there) >= len(m.AllVersions()) {
		return err // nothing to do, so do not take the lock of writers
	}
	tx, err := q.db.SQLite.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after Commit it returns an error that says only that
	// The method is deprecated for the sake of PostgreSQL, where some steps
	// cannot share a transaction.
	res, err := m.MigrateTx(ctx, tx, rivermigrate.DirectionUp, nil) //lint:ignore SA1019 see above
	if err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	q.logMigration(ctx, res)
	return nil
}

// migratePostgres does the steps one by one, and meanwhile holds an advisory lock on a
// connection of its own.
func (q *Queue) migratePostgres(ctx context.Context) (err error) {
	pool, err := postgresPool(ctx, q.db, 2, nil) // one connection for the lock, one for the steps
	if err != nil {
		return err
	}
	defer pool.Close()
	return pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		if _, err := c.Exec(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
			return err
		}
		m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: quiet(q.log)})
		if err != nil {
			return err
		}
		res, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil)
		if err != nil {
			return err
		}
		q.logMigration(ctx, res)
		return nil // closing the pool ends the session, and with it the lock
	})
}

func (q *Queue) logMigration(ctx context.Context, res *rivermigrate.MigrateResult) {
	if n := len(res.Versions); n > 0 {
		q.log.InfoContext(ctx, "tables of jobs migrated", "version", res.Versions[n-1].Version)
	}
}
