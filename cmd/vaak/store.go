package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"vaak/account"
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

// open opens the database and brings it to this version.
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

// accounts runs do with the accounts of the database. What the domain calls
// invalid is a wrong use of the command.
func (f storeFlags) accounts(ctx context.Context, s streams, do func(*account.Service) error) error {
	log := logger(s, slog.LevelWarn)
	db, err := f.open(ctx, log)
	if err != nil {
		return err
	}
	svc, err := account.New(account.Config{Store: db, Logger: log})
	if err != nil {
		return errors.Join(err, db.Close())
	}
	err = do(svc)
	if fault.KindOf(err) == fault.Invalid {
		err = usageError{err}
	}
	return errors.Join(err, svc.Close(ctx), db.Close())
}

// logger returns what commands log to: lines of JSON on standard error, from a
// level up. Commands that a person waits for say only what went wrong.
func logger(s streams, from slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(s.err, &slog.HandlerOptions{Level: from}))
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
