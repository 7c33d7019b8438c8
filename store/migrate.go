package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"time"
)

// ErrNewer is returned for a database that a newer program has migrated.
var ErrNewer = errors.New("the database is newer than this program")

//go:embed migrations
var migrationFiles embed.FS

// migration is one step of the schema; the first has version 1.
type migration struct {
	version int
	name    string
	sql     string
}

var migrationName = regexp.MustCompile(`^(\d{4})_([a-z0-9_]+)\.up\.sql$`)

// migrations returns the steps in order.
func (d dialect) migrations() ([]migration, error) {
	return readMigrations(migrationFiles, "migrations/"+d.name)
}

// readMigrations reads the steps in a directory; a gap in their versions or a
// file of another name is an error.
func readMigrations(fsys fs.FS, dir string) ([]migration, error) {
	entries, err := fs.ReadDir(fsys, dir) // sorted by name, so by version
	if err != nil {
		return nil, err
	}
	var out []migration
	for _, e := range entries {
		m := migrationName.FindStringSubmatch(e.Name())
		if m == nil {
			return nil, fmt.Errorf("migration %s is not named like 0001_name.up.sql", e.Name())
		}
		version, err := strconv.Atoi(m[1])
		if err != nil || version != len(out)+1 {
			return nil, fmt.Errorf("migration %s does not follow version %d", e.Name(), len(out))
		}
		text, err := fs.ReadFile(fsys, path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, migration{version, m[2], string(text)})
	}
	return out, nil
}

// Version returns the schema version of the database; 0 is an empty one.
func (s *Store) Version(ctx context.Context) (int, error) {
	v, err := s.version(ctx, s.read.DB)
	return v, s.fail(ctx, err, "read schema version")
}

// querier is a pool or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (s *Store) version(ctx context.Context, q querier) (v int, err error) {
	if err := q.QueryRowContext(ctx, s.dialect.hasMigrations).Scan(&v); err != nil || v == 0 {
		return 0, err
	}
	err = q.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM schema_migrations").Scan(&v)
	return v, err
}

// Migrate brings the schema to the version of this program, and then that of
// the jobs: all steps of ours in one transaction that holds a lock of the whole database: any number of processes may
// call it at once, and one that dies leaves nothing behind. A database of a
// newer program is left alone; the error is then [ErrNewer].
func (s *Store) Migrate(ctx context.Context) error {
	steps, err := s.dialect.migrations()
	if err != nil {
		return err
	}
	if err := s.migrate(ctx, steps); err != nil {
		return err
	}
	return s.fail(ctx, whileBusy(ctx, func() error { return s.queue.Migrate(ctx) }), "migrate")
}

func (s *Store) migrate(ctx context.Context, steps []migration) error {
	v, err := s.Version(ctx)
	if err != nil {
		return err
	}
	if v == len(steps) {
		return nil
	}
	var tx *sql.Tx
	err = whileBusy(ctx, func() (err error) {
		tx, err = s.patient.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		return s.fail(ctx, err, "lock database")
	}
	if err := s.apply(ctx, tx, steps); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return s.fail(ctx, tx.Commit(), "commit migrations")
}

// apply applies the steps that tx does not have yet.
func (s *Store) apply(ctx context.Context, tx *sql.Tx, steps []migration) error {
	if s.dialect.lockMigrations != "" {
		if _, err := tx.ExecContext(ctx, s.dialect.lockMigrations); err != nil {
			return s.fail(ctx, err, "lock database")
		}
	}
	v, err := s.version(ctx, tx)
	if err != nil {
		return s.fail(ctx, err, "read schema version")
	}
	if v > len(steps) {
		return fmt.Errorf("%w: it is at version %d, versions up to %d are known; use a newer program", ErrNewer, v, len(steps))
	}
	if _, err := tx.ExecContext(ctx, s.dialect.makeMigrations); err != nil {
		return s.fail(ctx, err, "make schema_migrations")
	}
	for _, m := range steps[v:] {
		if _, err := tx.ExecContext(ctx, m.sql); err != nil {
			return s.fail(ctx, err, "migration %04d_%s", m.version, m.name)
		}
		_, err := tx.ExecContext(ctx, s.write.QueryGen().FormatQuery(
			"INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, ?, ?)",
			m.version, m.name, time.Now().UnixMicro()))
		if err != nil {
			return s.fail(ctx, err, "record migration %04d_%s", m.version, m.name)
		}
		s.log.InfoContext(ctx, "database migrated", "version", m.version, "name", m.name)
	}
	return nil
}
