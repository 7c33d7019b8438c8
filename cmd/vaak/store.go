package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"vaak/account"
	"vaak/account/backlog"
	"vaak/internal/fault"
	"vaak/store"
)

// storeFlags say where state is kept. Every command that touches state has
// them.
type storeFlags struct {
	DataDir  string `help:"Directory for the database and files." default:"var" type:"path"`
	Database string `help:"Database: sqlite:PATH, or postgres://USER:PASSWORD@HOST/NAME, which many servers can share. Default: vaak.db in the data directory. The environment (VAAK_DATABASE) keeps a password out of the list of processes." placeholder:"URL"`
}

// dsn names the database.
func (f storeFlags) dsn() string {
	if f.Database != "" {
		return f.Database
	}
	return "sqlite:" + filepath.Join(f.DataDir, "vaak.db")
}

// opening opens the database of flags: [storeFlags.open] or [storeFlags.existing].
type opening func(context.Context, *slog.Logger) (*store.Store, error)

// open opens the database, which is made when it is not there, and brings it to this
// version. It is for commands that begin something: a server, an organisation, a plan,
// measurements and datasets of a folder.
func (f storeFlags) open(ctx context.Context, log *slog.Logger) (*store.Store, error) {
	if err := os.MkdirAll(f.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	s, err := store.Open(ctx, store.Config{DSN: f.dsn(), Logger: log})
	if err != nil {
		return nil, err
	}
	if err := s.Migrate(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// existing opens a database that is there, and brings it to this version. It is for
// commands that read, or change what somebody has begun: in a new database they would
// find nothing, and whoever mistyped --data-dir would have one more.
func (f storeFlags) existing(ctx context.Context, log *slog.Logger) (*store.Store, error) {
	path, err := store.File(f.dsn())
	if err == nil {
		_, err = os.Stat(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, f.absent("there is no database at " + path)
	}
	if err != nil && !errors.Is(err, store.ErrNoFile) {
		return nil, err
	}
	s, err := store.Open(ctx, store.Config{DSN: f.dsn(), Logger: log})
	if err != nil {
		return nil, err
	}
	v, err := s.Version(ctx)
	if err == nil && v == 0 {
		err = f.absent("the database has none of the tables of Vaak")
	}
	if err == nil {
		err = s.Migrate(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// absent says that the flags name no database of Vaak, and which flags those are.
func (f storeFlags) absent(what string) error {
	named := "--data-dir names the directory of the server"
	if f.Database != "" {
		named = "--database names that of the server"
	}
	return fmt.Errorf("%s; %s, and vaak serve, migrate, demo and org create make a new one", what, named)
}

// accounts opens the database and runs do with its accounts. What the domain calls
// invalid is a wrong use of the command.
func (f storeFlags) accounts(ctx context.Context, s streams, open opening, do func(*account.Service) error) error {
	log := logger(s, slog.LevelWarn)
	db, err := open(ctx, log)
	if err != nil {
		return err
	}
	svc, err := account.New(account.Config{Store: db, Logger: log})
	if err != nil {
		return errors.Join(err, db.Close())
	}
	f.followUp(ctx, db, log)
	err = do(svc)
	if fault.KindOf(err) == fault.Invalid {
		err = usageError{err}
	}
	return errors.Join(err, svc.Close(ctx), db.Close())
}

// chargesDir holds charges that the database could not take, in the data directory.
const chargesDir = "charges"

func (f storeFlags) openBacklog(log *slog.Logger) (*backlog.Backlog, error) {
	return backlog.Open(backlog.Config{Dir: filepath.Join(f.DataDir, chargesDir), Logger: log})
}

// followUpLimit bounds how long a command posts the charges that a dead server has left.
const followUpLimit = 2 * time.Second

// followUp posts them, so that the command sees them, and so that they need no server.
// Where there are none it makes nothing.
func (f storeFlags) followUp(ctx context.Context, db *store.Store, log *slog.Logger) {
	if found, err := backlog.Inspect(filepath.Join(f.DataDir, chargesDir)); err == nil && found.Charges == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, followUpLimit)
	defer cancel()
	if err := f.postLeft(ctx, db, log); err != nil {
		log.WarnContext(ctx, "charges on disk are not posted yet", "error", err)
	}
}

// postLeft posts what is left, with a service of its own, which ends with it.
func (f storeFlags) postLeft(ctx context.Context, db *store.Store, log *slog.Logger) error {
	left, err := f.openBacklog(log)
	if err != nil {
		return err
	}
	svc, err := account.New(account.Config{Store: db, Backlog: left, Logger: log})
	if err != nil {
		return errors.Join(err, left.Close())
	}
	err = svc.FollowUp(ctx)
	return errors.Join(err, svc.Close(ctx), left.Close())
}

// logger returns what commands log to: lines of JSON on standard error, from a
// level up. Commands that a person waits for say only what went wrong.
func logger(s streams, from slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(s.err, &slog.HandlerOptions{Level: from, ReplaceAttr: withUnit}))
}

// withUnit puts the unit of a duration into its key, and the number into milliseconds:
// took becomes took_ms. It holds for every line, those of libraries too.
func withUnit(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindDuration {
		return a
	}
	return slog.Float64(a.Key+"_ms", float64(a.Value.Duration().Microseconds())/1000)
}

type migrateCommand struct {
	storeFlags
}

func (c migrateCommand) Run(ctx context.Context, s streams) error {
	db, err := c.open(ctx, logger(s, slog.LevelWarn))
	if err != nil {
		return err
	}
	v, err := db.Version(ctx)
	if err == nil {
		_, err = fmt.Fprintf(s.out, "the database is at version %v\n", v)
	}
	return errors.Join(err, db.Close())
}
