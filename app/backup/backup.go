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
	"io"
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
	Place deployment.Place
	// File is the archive, which must not be there yet: the path of a file, or
	// s3://BUCKET/PREFIX/NAME?endpoint=URL&region=NAME. In object storage it is written while it is
	// made: no more than a part of it is on disk.
	File    string
	Program string // version of this program, for the manifest
	// Voices is the directory of the voices that the operator has added, which may be outside of the
	// data directory; "" has none. WithoutVoices leaves them out.
	Voices        string
	WithoutVoices bool
	// Missing is called for what is lost, such as a file that a dataset names, with the reason. The
	// backup goes on without it unless Missing returns an error. Nil fails the backup.
	Missing func(what string, why error) error
	// Progress is called with the bytes of the archive so far; nil is allowed.
	Progress func(bytes int64)
	Log      *slog.Logger
}

// Write backs up to a file, which is whole or not there at all: nobody sees the archive before its
// end. An upload in parts that a killed process leaves is no object.
func Write(ctx context.Context, c Source) (m Manifest, whole Archive, err error) {
	to, err := at(c.File)
	if err != nil {
		return m, whole, err
	}
	database, err := store.File(c.Place.DSN())
	if err != nil {
		return m, whole, err
	}
	switch _, err := os.Stat(database); {
	case errors.Is(err, fs.ErrNotExist):
		return m, whole, c.Place.Absent("there is no database at " + database)
	case err != nil:
		return m, whole, fmt.Errorf("look for the database: %w", err)
	}
	if err := to.free(ctx); err != nil {
		return m, whole, err
	}
	// The copy of the database takes as much room as it; a directory of temporary files may have
	// less.
	scratch := to.dir
	if scratch == "" {
		scratch = filepath.Dir(database)
	}
	tidy(scratch)
	dir, err := os.MkdirTemp(scratch, drafts+"*")
	if err != nil {
		return m, whole, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	out, err := to.store.Create(ctx, to.name)
	if err != nil {
		return m, whole, err
	}
	defer out.Discard()
	through := newDigested(out, c.Progress)
	if m, err = c.write(ctx, database, dir, through); err != nil {
		return m, whole, err
	}
	whole = through.archive()
	if err := out.Commit(""); err != nil {
		return m, whole, err
	}
	if err := c.note(m, whole); err != nil && c.Log != nil {
		c.Log.WarnContext(ctx, "vaak upgrade check will not know of this backup", "error", err)
	}
	return m, whole, nil
}

// tidy removes the copies of the database that killed backups have left in a directory. No backup takes
// so long, so nobody uses them.
func tidy(dir string) {
	const longest = 48 * time.Hour
	left, _ := filepath.Glob(filepath.Join(dir, drafts+"*")) // the pattern is valid
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && info.IsDir() && time.Since(info.ModTime()) > longest {
			_ = os.RemoveAll(path) // the next backup tries again
		}
	}
}

// write writes the archive. The directory scratch takes the copy of the database.
func (c Source) write(ctx context.Context, database, scratch string, to io.Writer) (m Manifest, err error) {
	// Held from before the database is copied, so that no sweep removes a file that the
	// copy names.
	release, err := c.holdFiles(ctx)
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
	a := newArchiver(to, c.Program, schema, time.Now())
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
	if err := c.addKept(ctx, a, copied, scratch); err != nil {
		return m, err
	}
	if err := c.addVoices(ctx, a); err != nil {
		return m, err
	}
	return a.manifest, a.close()
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
var leftOut = []string{deployment.Cache, deployment.Previews, deployment.Clips, deployment.Answers, deployment.Charges, deployment.Secret, deployment.ACME}

// leftOutPrefixes begin the names of files that are being written: of backups, of
// restores and of the secret; and the note of the last backup.
var leftOutPrefixes = []string{drafts, lastName, ".restore-", ".secret-"}

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

// databaseFiles returns the paths, from a directory, of a database and of what SQLite and
// the store put beside it.
func databaseFiles(dir, database string) []string {
	rel, err := filepath.Rel(dir, database)
	if err != nil {
		return nil // it is not below it
	}
	return []string{rel, rel + "-wal", rel + "-shm", rel + "-journal", rel + "-bell"}
}

// syncDir writes the names in a directory to disk, so that renames survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
