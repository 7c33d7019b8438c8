package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"vaak/account"
	"vaak/app/deployment"
	"vaak/app/usage"
	"vaak/internal/fault"
	"vaak/store"
)

// storeFlags say where state is kept. Every command that touches state has
// them.
type storeFlags struct {
	DataDir  string `help:"Directory for the database and files." default:"var" type:"path"`
	Objects  string `help:"Where the files of datasets are: a directory, or object storage as s3://BUCKET/PREFIX?endpoint=URL&region=NAME, with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment. There clips and previews are, too. Default: files in the data directory." placeholder:"PLACE"`
	Database string `help:"Database: sqlite:PATH, or postgres://USER:PASSWORD@HOST/NAME, which many servers can share; HOST,HOST names a primary and its standbys. Default: vaak.db in the data directory. The environment (VAAK_DATABASE) keeps a password out of the list of processes, and VAAK_DATABASE_FILE names a file with the value." placeholder:"URL" secret:""`
}

// place returns where the flags say that state is kept.
func (f storeFlags) place() deployment.Place {
	return deployment.Place{DataDir: f.DataDir, Database: f.Database, Objects: f.Objects}
}

// opening opens a database: [deployment.Place.Open] or [deployment.Place.Existing].
type opening func(context.Context, *slog.Logger) (*store.Store, error)

// accounts opens the database and runs do with its accounts. An error that the domain calls
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
	// Before the command looks: charges that a dead server has left would be missing from
	// what it prints.
	f.place().PostCharges(ctx, db, log)
	err = do(svc)
	if fault.KindOf(err) == fault.Invalid {
		err = usage.Error{Err: err}
	}
	return errors.Join(err, svc.Close(ctx), db.Close())
}

// logger returns a logger that writes lines of JSON to standard error, from a level up.
// Commands that a person waits for log only what went wrong.
func logger(s streams, from slog.Level) *slog.Logger {
	return slog.New(unitHandler{slog.NewJSONHandler(s.err, &slog.HandlerOptions{Level: from})})
}

// unitHandler writes a duration as a number of milliseconds, and its unit into the key: took
// becomes took_ms. It does so for every line, also those of libraries. ReplaceAttr of the handler
// below could do it, and makes each line take twice as long.
type unitHandler struct{ slog.Handler }

// Handle writes a line.
func (h unitHandler) Handle(ctx context.Context, r slog.Record) error {
	var room [16]slog.Attr // on the stack: every request writes a line
	attrs := room[:0]
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, withUnit(a))
		return true
	})
	out := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	out.AddAttrs(attrs...)
	return h.Handler.Handle(ctx, out)
}

// WithAttrs returns a handler that writes these attributes with each line.
func (h unitHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return unitHandler{h.Handler.WithAttrs(withUnits(attrs))}
}

// WithGroup returns a handler that writes attributes into a group.
func (h unitHandler) WithGroup(name string) slog.Handler {
	return unitHandler{h.Handler.WithGroup(name)}
}

func withUnits(attrs []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = withUnit(a)
	}
	return out
}

func withUnit(a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindLogValuer:
		a.Value = a.Value.Resolve()
		return withUnit(a)
	case slog.KindGroup:
		a.Value = slog.GroupValue(withUnits(a.Value.Group())...)
	case slog.KindDuration:
		return slog.Float64(a.Key+"_ms", float64(a.Value.Duration().Microseconds())/1000)
	}
	return a
}

type migrateCommand struct {
	storeFlags
	jsonFlag
}

func (c migrateCommand) Run(ctx context.Context, s streams) error {
	db, err := c.place().Open(ctx, logger(s, slog.LevelWarn))
	if err != nil {
		return err
	}
	v, err := db.Version(ctx)
	switch {
	case err != nil:
	case c.JSON:
		err = s.inertJSON(jsonObject{{"version", v}})
	default:
		_, err = fmt.Fprintf(s.out, "the database is at version %v\n", v)
	}
	return errors.Join(err, db.Close())
}
