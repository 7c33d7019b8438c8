package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"vaak/store/database"
	"vaak/store/migrations"
	"vaak/store/replicas"
)

// Upgrade is what this program finds in a database before it migrates it.
type Upgrade struct {
	Exists   bool  // the database has tables of Vaak; else all else is zero but Known
	Postgres bool  // else SQLite
	Bytes    int64 // of the database
	// Schema is the version of its tables, Known that of this program, Oldest the version from
	// which on programs may use the tables as they are now. After is the same when this program
	// has migrated them.
	Schema, Known, Oldest, After int
	Pending                      []Pending // steps that this program would apply, in order
	// Serving are the servers that were heard of in the last 15 s. Before schema version 12
	// their programs are not known.
	Serving []replicas.Replica
}

// Pending is a step that the database does not have yet.
type Pending struct {
	Version int
	Name    string
	Oldest  int // the version from which on programs may use the database after it
	Work    []Work
	// OnlyAdds says that every program that works before the step works after it.
	OnlyAdds bool
}

// Work is what a step does to a table that is there before it.
type Work struct {
	Kind  migrations.Kind
	Table string // "" where it is not known
	Rows  int64  // of the table; -1 if they could not be counted in two seconds
	Text  string // the statement, in one line
}

// Reads reports whether the step only reads the rows.
func (w Work) Reads() bool { return w.Kind == migrations.Reads }

// Writes reports whether the step may write something for each row, such as an index. To check what
// a new column demands it reads them alone.
func (w Work) Writes() bool { return !w.Reads() || !strings.HasPrefix(w.Text, "ALTER TABLE ") }

// InspectUpgrade looks at the database that a DSN names, whether servers run on it or not.
// It changes nothing and waits for a lock for half a second at most. Errors never hold
// a password of the DSN.
func InspectUpgrade(ctx context.Context, dsn string) (u Upgrade, err error) {
	name := "sqlite"
	if u.Postgres = database.IsPostgres(dsn); u.Postgres {
		name = "postgres"
	}
	steps, err := migrations.Of(name)
	if err != nil {
		return u, err
	}
	u.Known = len(steps)
	if u.Postgres {
		err = u.askServer(ctx, dsn, steps)
	} else {
		err = u.askFile(ctx, dsn, steps)
	}
	return u, err
}

func (u *Upgrade) askFile(ctx context.Context, dsn string, steps []migrations.Step) error {
	path, err := File(dsn)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Size() == 0:
		return nil
	}
	u.Bytes = info.Size()
	if log, err := os.Stat(path + "-wal"); err == nil {
		u.Bytes += log.Size()
	}
	db, err := openFile(path)
	if err != nil {
		return err
	}
	defer db.Close() // read only
	if u.Schema, err = database.FileVersion(ctx, db); err != nil {
		return database.Explained(err)
	}
	if u.Oldest, err = database.FileOldest(ctx, db, u.Schema); err != nil {
		return database.Explained(err)
	}
	return u.ask(ctx, db, steps, time.Now())
}

func (u *Upgrade) askServer(ctx context.Context, dsn string, steps []migrations.Step) error {
	db, name, host, err := database.OpenServer(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	now := time.Now()
	ahead, _, err := database.ServerAhead(ctx, db)
	if err == nil {
		err = db.QueryRowContext(ctx, "SELECT pg_database_size(current_database())").Scan(&u.Bytes)
	}
	if err != nil {
		return fmt.Errorf("open PostgreSQL database %s at %s: %w", name, host, err)
	}
	if u.Schema, err = database.ServerVersion(ctx, db); err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if u.Oldest, err = database.ServerOldest(ctx, db, u.Schema); err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	return u.ask(ctx, db, steps, now.Add(ahead))
}

// ask fills in what both databases tell in the same words.
func (u *Upgrade) ask(ctx context.Context, db *sql.DB, steps []migrations.Step, now time.Time) (err error) {
	u.Exists, u.After = u.Schema > 0, u.Oldest
	if !u.Exists {
		return nil
	}
	for _, step := range steps[min(u.Schema, len(steps)):] {
		one := Pending{Version: step.Version, Name: step.Name, Oldest: step.Oldest, OnlyAdds: step.OnlyAdds()}
		for _, e := range step.Effects() {
			if e.Kind == migrations.Adds {
				continue
			}
			work := Work{Kind: e.Kind, Table: e.Table, Text: e.Text}
			if e.Table != "" {
				work.Rows = countRows(ctx, db, e.Table)
			}
			one.Work = append(one.Work, work)
		}
		u.Pending = append(u.Pending, one)
		u.After = max(u.After, step.Oldest)
	}
	u.Serving, err = replicas.ServingAt(ctx, db, u.Schema, now)
	return err
}

// countLimit bounds how long the rows of a table are counted.
const countLimit = 2 * time.Second

// countRows returns how many rows a table has; -1 if that takes too long. A table that an
// earlier pending step makes has none.
func countRows(ctx context.Context, db *sql.DB, table string) (n int64) {
	limited, cancel := context.WithTimeout(ctx, countLimit)
	defer cancel()
	// The name is from a step of ours and has letters, digits and underscores alone.
	if err := db.QueryRowContext(limited, "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		if limited.Err() != nil {
			return -1
		}
		return 0
	}
	return n
}
