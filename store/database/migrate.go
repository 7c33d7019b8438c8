package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"vaak/store/migrations"
)

// ErrNewer is returned for a database that a newer program has migrated.
var ErrNewer = errors.New("the database is newer than this program")

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

// Migrate brings the schema to the version of this program, and then that of the jobs.
// All steps of ours run in one transaction that locks the whole database. So any number
// of processes may call it at once, and one that dies leaves nothing half done. The
// database of a newer program stays as it is; the error is then [ErrNewer].
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

// MigrateTo applies the steps that the database does not have yet.
func (db *DB) MigrateTo(ctx context.Context, steps []migrations.Step) error {
	v, err := db.Version(ctx)
	if err != nil {
		return err
	}
	if v == len(steps) {
		return nil
	}
	var tx *sql.Tx
	err = WhileBusy(ctx, func() (err error) {
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

// stepRow is a row of schema_migrations.
type stepRow struct {
	bun.BaseModel `bun:"table:schema_migrations"`

	Version   int `bun:",pk"`
	Name      string
	AppliedAt int64
}

// apply applies the steps that tx does not have yet. It reads the version again: another
// process may have migrated while this one waited for the lock.
func (db *DB) apply(ctx context.Context, tx *sql.Tx, steps []migrations.Step) error {
	if db.dialect.lockMigrations != "" {
		if _, err := tx.ExecContext(ctx, db.dialect.lockMigrations); err != nil {
			return db.Fail(ctx, err, "lock database")
		}
	}
	v, err := db.dialect.version(ctx, tx)
	if err != nil {
		return db.Fail(ctx, err, "read schema version")
	}
	if v > len(steps) {
		return fmt.Errorf("%w: it is at version %d, versions up to %d are known; use a newer program", ErrNewer, v, len(steps))
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
		db.Log.InfoContext(ctx, "database migrated", "version", m.Version, "name", m.Name)
	}
	return nil
}
