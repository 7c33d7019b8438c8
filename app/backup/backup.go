// Package backup copies what a deployment keeps, its database and its files, into one
// archive, while the server runs or not, and brings it back. It is for databases of
// SQLite; PostgreSQL has programs of its own for this.
//
// An archive never holds the secret, so nobody who finds one can sign as the deployment
// does, and it is refused as a whole when it holds anything that no backup has written.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vaak/app/deployment"
	"vaak/store"
)

// Source says what is backed up, and to where.
type Source struct {
	Place   deployment.Place
	File    string // the archive, which must not be there yet
	Program string // version of this program, for the manifest
	// Voices is the directory of the voices that the operator has added, which may be outside of the
	// data directory; "" has none. WithoutVoices leaves them out.
	Voices        string
	WithoutVoices bool
	// Missing is called for what is lost, such as a file that a dataset names, with the reason. The
	// backup goes on without it unless Missing returns an error. Nil fails the backup.
	Missing func(what string, why error) error
	Log     *slog.Logger
}

// Write backs up to a file, which is whole or not there at all: the archive is written
// beside its place first.
func Write(ctx context.Context, c Source) (m Manifest, err error) {
	database, err := store.File(c.Place.DSN())
	if err != nil {
		return m, err
	}
	switch _, err := os.Stat(database); {
	case errors.Is(err, fs.ErrNotExist):
		return m, c.Place.Absent("there is no database at " + database)
	case err != nil:
		return m, fmt.Errorf("look for the database: %w", err)
	}
	if _, err := os.Lstat(c.File); err == nil {
		return m, fmt.Errorf("%s is there already; name a new file", c.File)
	}
	// The scratch directory is beside the archive, so the rename at the end stays in one
	// file system and is atomic.
	dir, err := os.MkdirTemp(filepath.Dir(c.File), ".backup-*")
	if err != nil {
		return m, err
	}
	part := filepath.Join(dir, "archive")
	m, err = c.write(ctx, database, dir, part)
	if err == nil {
		err = os.Rename(part, c.File)
	}
	return m, errors.Join(err, os.RemoveAll(dir), syncDir(filepath.Dir(c.File)))
}

// write writes the archive to a file. The directory scratch takes the copy of the database.
func (c Source) write(ctx context.Context, database, scratch, to string) (m Manifest, err error) {
	// Held from before the database is copied, so that no sweep removes a file that the
	// copy names.
	release, err := c.holdFiles()
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, release()) }()
	copied := filepath.Join(scratch, databaseMember)
	// The database is copied before any file. A dataset that is added later is not in the
	// copy, so its files are not needed. In the opposite order the copy could name files
	// that came after the files were read.
	schema, err := copyDatabase(ctx, database, copied, c.Log)
	if err != nil {
		return m, err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	a := newArchiver(out, c.Program, schema, time.Now())
	f, err := os.Open(copied)
	if err != nil {
		return m, err
	}
	if err := errors.Join(a.add(databaseMember, f), f.Close()); err != nil {
		return m, err
	}
	if err := c.addFiles(ctx, a, database); err != nil {
		return m, err
	}
	if err := c.addKept(ctx, a, copied); err != nil {
		return m, err
	}
	if err := c.addVoices(ctx, a); err != nil {
		return m, err
	}
	if err := a.close(); err != nil {
		return m, err
	}
	// The rename that follows must not reach the disk before the content does.
	return a.manifest, out.Sync()
}

// copyDatabase copies a database as it is, without bringing an old one to this version,
// and returns the version of its tables.
func copyDatabase(ctx context.Context, from, to string, log *slog.Logger) (schema int, err error) {
	db, err := store.Open(ctx, store.Config{DSN: "sqlite:" + from, Logger: log})
	if err != nil {
		return 0, err
	}
	if err := errors.Join(db.CopyTo(ctx, to), db.Close()); err != nil {
		return 0, err
	}
	return store.CheckFile(ctx, to)
}

// leftOut are the names in the data directory that a backup leaves out: what the server
// makes again, audio that is gone in minutes, charges that processes are still writing and
// posting, and the secret.
var leftOut = []string{deployment.Cache, deployment.Previews, deployment.Clips, deployment.Answers, deployment.Charges, deployment.Secret}

// leftOutPrefixes begin the names of files that are being written: of backups, of
// restores and of the secret.
var leftOutPrefixes = []string{".backup-", ".restore-", ".secret-"}

// leavesOut reports whether a backup leaves out a path below the data directory. It ignores
// case, as some file systems do. The database, the files of datasets and a secret of
// another name are handled elsewhere.
func leavesOut(name string) bool {
	if slices.Contains(leftOut, topOf(name)) {
		return true
	}
	for part := range strings.SplitSeq(strings.ToLower(filepath.ToSlash(name)), "/") {
		if strings.Contains(part, beforeRestore) || slices.ContainsFunc(leftOutPrefixes, func(p string) bool { return strings.HasPrefix(part, p) }) {
			return true
		}
	}
	return false
}

// topOf returns the first name of a path, in lower case.
func topOf(name string) string {
	top, _, _ := strings.Cut(strings.ToLower(filepath.ToSlash(name)), "/")
	return top
}

// addFiles adds the files of the data directory, but for the database, the files of datasets
// and those of added voices.
func (c Source) addFiles(ctx context.Context, a *archiver, database string) error {
	root, err := os.OpenRoot(c.Place.DataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the database is elsewhere, and no other file was ever kept
	}
	if err != nil {
		return err
	}
	own := databaseFiles(c.Place.DataDir, database)
	secret, err := os.Stat(c.Place.SecretPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, root.Close())
	}
	// The archive itself may be written into the data directory.
	if rel, err := filepath.Rel(c.Place.DataDir, c.File); err == nil {
		own = append(own, rel)
	}
	voices := c.voicesName()
	return errors.Join(a.addTree(ctx, root, func(name string) bool {
		return slices.Contains(own, name) || topOf(name) == deployment.Files || topOf(name) == deployment.Voices || name == voices || leavesOut(name) || sameFile(root, name, secret)
	}), root.Close())
}

// sameFile reports whether a file is the same as one that is known by another name, as
// behind a symbolic link. It is false when known is nil.
func sameFile(root *os.Root, name string, known fs.FileInfo) bool {
	info, err := root.Lstat(name)
	return known != nil && err == nil && os.SameFile(info, known)
}

// databaseFiles returns the paths, from a directory, of a database and of what
// SQLite puts beside it.
func databaseFiles(dir, database string) []string {
	rel, err := filepath.Rel(dir, database)
	if err != nil {
		return nil // it is not below it
	}
	return []string{rel, rel + "-wal", rel + "-shm", rel + "-journal"}
}

// syncDir writes the names in a directory to disk, so that renames survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
