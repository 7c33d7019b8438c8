// Package deployment opens what a deployment keeps: its database, its data directory and
// its secret. The server opens all of them; a command opens those that it works on.
package deployment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"vaak/account"
	"vaak/account/backlog"
	"vaak/app/usage"
	"vaak/catalogue"
	"vaak/catalogue/unseen"
	"vaak/croissant/publish"
	"vaak/internal/blob"
	"vaak/internal/seal"
	"vaak/store"
	"vaak/store/files"
	"vaak/store/files/bucket"
)

// Names in the data directory.
const (
	ACME     = "acme"     // the account at the authority of certificates, and what it issued
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
	// Objects is where the files of datasets are: s3://BUCKET/PREFIX?endpoint=URL&region=NAME,
	// or the path of a directory; "" is the directory files in the data directory. In a bucket
	// there are also clips and previews, below their names.
	Objects string
	// ObjectLinks says that clients can reach the object storage. Then they are sent there for
	// files and clips, with links that are signed for five minutes.
	ObjectLinks bool
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
func (p Place) OpenFiles() (files.Store, error) {
	return OpenStore(cmp.Or(p.Objects, p.In(Files)))
}

// Blobs are given up sooner than files: somebody waits for them.
const (
	blobStall = 5 * time.Second
	blobTries = 2
)

// Blobs returns the blobs below a name in object storage, with heads of so many bytes; nil where
// files are in a directory. Nothing is asked of the storage yet.
func (p Place) Blobs(name string, head int) (*bucket.Named, error) {
	if !InBucket(p.Objects) {
		return nil, nil
	}
	b, err := bucket.Open(bucket.Config{URL: p.Objects, Stall: blobStall, Tries: blobTries})
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	return b.Named(name, head), nil
}

// OpenBlobs returns the blobs directly at s3://BUCKET/PREFIX?endpoint=URL&region=NAME, without
// heads. Nothing is asked of the storage yet.
func OpenBlobs(address string) (blob.Store, error) {
	b, err := bucket.Open(bucket.Config{URL: address})
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	return b.Named("", 0), nil
}

// SplitBucket divides s3://BUCKET/PREFIX/NAME?endpoint=URL&region=NAME into the address without
// the name, and the name.
func SplitBucket(address string) (in, name string, err error) {
	if _, err := bucket.Parse(address); err != nil {
		return "", "", usage.Error{Err: err}
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", "", usage.Error{Err: err}
	}
	if u.Path == "" || strings.HasSuffix(u.Path, "/") {
		return "", "", usage.Errorf("the address %.200q has no name behind the bucket", address)
	}
	name = path.Base(u.Path)
	u.Path, u.RawPath = path.Dir(u.Path), ""
	return u.String(), name, nil
}

// Below returns the address of a name in a directory or at an address of object storage.
func Below(place, name string) string {
	if u, err := url.Parse(place); err == nil && InBucket(place) {
		u.Path, u.RawPath = path.Join("/", u.Path, name), ""
		return u.String()
	}
	return filepath.Join(place, name)
}

// InBucket reports whether a place of files is in object storage.
func InBucket(place string) bool { return strings.HasPrefix(place, "s3:") }

// OpenStore opens a store of files: a directory, or what an address of the form
// s3://BUCKET/PREFIX?endpoint=URL&region=NAME names. Nothing is asked of object storage yet. An
// address of another form is a wrong use of the command.
func OpenStore(place string) (files.Store, error) {
	if InBucket(place) {
		b, err := bucket.Open(bucket.Config{URL: place})
		if err != nil {
			return nil, usage.Error{Err: err}
		}
		return b, nil
	}
	if strings.Contains(place, "://") {
		return nil, usage.Errorf("files are in a directory or at s3://BUCKET/PREFIX?endpoint=URL&region=NAME, not at %.200q", place)
	}
	return files.New(files.Config{Dir: place})
}

// OpenCatalogue returns the catalogue that is kept in a database and a store of files. It
// publishes only records that have valid Croissant metadata. Addresses in records begin
// with publicURL.
func OpenCatalogue(ctx context.Context, db *store.Store, dir files.Store, publicURL string, log *slog.Logger) (*catalogue.Service, error) {
	return Place{}.OpenCatalogue(ctx, db, dir, publicURL, log)
}

// OpenCatalogue does what the function of that name does, and lets clients read files from object
// storage if the place says that they can.
func (p Place) OpenCatalogue(ctx context.Context, db *store.Store, dir files.Store, publicURL string, log *slog.Logger) (*catalogue.Service, error) {
	var links catalogue.Links
	if b, ok := dir.(*bucket.Bucket); ok && p.ObjectLinks {
		links = b
	}
	publicURL = strings.TrimRight(publicURL, "/")
	return catalogue.New(ctx, catalogue.Config{
		Store: db.Catalogue(), Files: dir, PublicURL: publicURL, Links: links, Logger: log,
		Publishing: func(s *catalogue.Stored) error { return publish.Ready(s, publicURL) },
		Unseen:     unseen.Stored,
	})
}

// maxSecret is the largest file with a secret, in bytes.
const maxSecret = 64 << 10

// ReadSecret returns the one line of a file, without white space around it, and whether users of
// the machine beside the owner and the group may read the file. The file must be regular, of 1
// byte to 64 KiB, behind any number of links. No error has a part of the secret.
func ReadSecret(path string) (secret string, open bool, err error) {
	// First, since to open a pipe would wait for a writer.
	info, err := os.Stat(path)
	if err != nil {
		return "", false, err
	}
	if !info.Mode().IsRegular() {
		return "", false, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", false, err
	}
	defer f.Close() // read only
	text, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", false, err
	}
	secret = strings.TrimSpace(string(text))
	if len(text) > maxSecret || secret == "" || strings.ContainsFunc(secret, unicode.IsControl) {
		return "", false, fmt.Errorf("%s holds no secret, which is one line of at most %d bytes", path, maxSecret)
	}
	return secret, info.Mode().Perm()&0o004 != 0, nil
}
