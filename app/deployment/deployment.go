// Package deployment opens what a deployment keeps: its database, its data directory and
// its secret. The server opens all of them; a command opens those that it works on.
package deployment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vaak/account"
	"vaak/account/backlog"
	"vaak/app/usage"
	"vaak/catalogue"
	"vaak/croissant/publish"
	"vaak/internal/seal"
	"vaak/store"
	"vaak/store/files"
)

// Names in the data directory.
const (
	Answers  = "answers"  // answers while they are made: files without a name, gone with the process
	Cache    = "cache"    // answers that are kept
	Charges  = "charges"  // charges that the database could not take
	Clips    = "clips"    // audio that agents have a link to
	Files    = "files"    // files of datasets, by digest
	Mail     = "mail"     // mails, where no mail server takes them
	Previews = "previews" // previews of voices
	Secret   = "secret"   // the file of the secret
	Setup    = "console-setup-token"
	Voices   = "voices" // files of voices that the operator has added, by digest
)

// Place says where a deployment keeps its state.
type Place struct {
	DataDir  string
	Database string // sqlite:PATH or a URL of PostgreSQL; "" is vaak.db in the data directory
	Secret   string // file of the secret; "" is the one in the data directory
}

// DSN names the database.
func (p Place) DSN() string {
	if p.Database != "" {
		return p.Database
	}
	return "sqlite:" + filepath.Join(p.DataDir, "vaak.db")
}

// In returns the path of a name in the data directory.
func (p Place) In(name string) string { return filepath.Join(p.DataDir, name) }

// SecretPath is the path of the file with the secret.
func (p Place) SecretPath() string { return cmp.Or(p.Secret, p.In(Secret)) }

// Open opens the database, makes it when it is not there, and brings it to this version.
// It is for commands that begin something: a server, an organisation, a plan, the
// measurements and datasets of a folder.
func (p Place) Open(ctx context.Context, log *slog.Logger) (*store.Store, error) {
	if err := os.MkdirAll(p.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	s, err := store.Open(ctx, store.Config{DSN: p.DSN(), Logger: log})
	if err != nil {
		return nil, err
	}
	if err := s.Migrate(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Existing opens a database that is there, and brings it to this version. It is for
// commands that read, or change what exists: in a new database they would find nothing,
// and a mistyped --data-dir would leave one more database behind.
func (p Place) Existing(ctx context.Context, log *slog.Logger) (*store.Store, error) {
	path, err := store.File(p.DSN())
	if err == nil {
		_, err = os.Stat(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, p.Absent("there is no database at " + path)
	}
	if err != nil && !errors.Is(err, store.ErrNoFile) {
		return nil, err
	}
	s, err := store.Open(ctx, store.Config{DSN: p.DSN(), Logger: log})
	if err != nil {
		return nil, err
	}
	// A database of PostgreSQL exists before Vaak has any tables in it: version 0.
	v, err := s.Version(ctx)
	if err == nil && v == 0 {
		err = p.Absent("the database has none of the tables of Vaak")
	}
	if err == nil {
		err = s.Migrate(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Absent returns the error of a place without a database of Vaak. It says what is missing
// and which flag names the place.
func (p Place) Absent(what string) error {
	named := "--data-dir names the directory of the server"
	if p.Database != "" {
		named = "--database names that of the server"
	}
	return fmt.Errorf("%s; %s, and vaak serve, migrate, demo and org create make a new one", what, named)
}

// OpenBacklog opens the charges that the database could not take.
func (p Place) OpenBacklog(log *slog.Logger) (*backlog.Backlog, error) {
	return backlog.Open(backlog.Config{Dir: p.In(Charges), Logger: log})
}

// postLimit bounds how long a command posts the charges that a dead server has left.
const postLimit = 2 * time.Second

// PostCharges posts the charges that a dead server has left, so that a command sees them
// in the books without a server. It makes no directory where there are none. A failure is
// logged, and the charges stay for the next server.
func (p Place) PostCharges(ctx context.Context, db *store.Store, log *slog.Logger) {
	// Opening the backlog makes its directory, so it is only looked at while there is
	// nothing to post. A command that reads leaves nothing behind.
	if found, err := backlog.Inspect(p.In(Charges)); err == nil && found.Charges == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, postLimit)
	defer cancel()
	if err := p.postCharges(ctx, db, log); err != nil {
		log.WarnContext(ctx, "charges on disk are not posted yet", "error", err)
	}
}

// postCharges posts them with an account service of its own.
func (p Place) postCharges(ctx context.Context, db *store.Store, log *slog.Logger) error {
	left, err := p.OpenBacklog(log)
	if err != nil {
		return err
	}
	svc, err := account.New(account.Config{Store: db, Backlog: left, Logger: log})
	if err != nil {
		return errors.Join(err, left.Close())
	}
	// Posting is idempotent: a charge has an id, and a server that posts the same file at
	// this moment charges nobody twice.
	err = svc.FollowUp(ctx)
	return errors.Join(err, svc.Close(ctx), left.Close())
}

// OpenSecret opens the secret, which is made when it is not there.
func (p Place) OpenSecret() (*seal.Secret, error) { return seal.Open(p.SecretPath()) }

// ExistingSecret opens the secret of the servers. It is for a command whose links the
// servers are to serve: links that a new secret signed would be dead.
func (p Place) ExistingSecret() (*seal.Secret, error) {
	path := p.SecretPath()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, usage.Errorf("there is no secret at %s; --secret names the file of the servers, which no link is good without", path)
	}
	return seal.Open(path)
}

// OpenFiles opens the files of datasets.
func (p Place) OpenFiles() (*files.Dir, error) { return files.New(files.Config{Dir: p.In(Files)}) }

// OpenCatalogue returns the catalogue that is kept in a database and a directory. It
// publishes only records that have valid Croissant metadata. Addresses in records begin
// with publicURL.
func OpenCatalogue(ctx context.Context, db *store.Store, dir *files.Dir, publicURL string, log *slog.Logger) (*catalogue.Service, error) {
	publicURL = strings.TrimRight(publicURL, "/")
	return catalogue.New(ctx, catalogue.Config{
		Store: db.Catalogue(), Files: dir, PublicURL: publicURL, Logger: log,
		Publishing: func(s *catalogue.Stored) error { return publish.Ready(s, publicURL) },
	})
}
