package main

import (
	"cmp"
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

	"vaak/store"
)

type backupCommand struct {
	storeFlags
	File         string `arg:"" help:"File to write, such as vaak-2027-01-31.tar.gz; it must not be there yet." type:"path"`
	Secret       string `help:"File of the secret that signs links, which is left out. Default: secret in the data directory." type:"path" placeholder:"FILE"`
	AllowMissing bool   `help:"Go on when a file that a dataset names is lost, and say which. Without it the backup fails."`
}

// Run writes the archive beside its place first, so that a file of that name is
// always whole.
func (c backupCommand) Run(ctx context.Context, s streams) error {
	database, err := store.File(c.dsn())
	if errors.Is(err, store.ErrNoFile) {
		return c.say(s, "--format=custom --file="+quoted(c.File), "pg_dump")
	}
	if err != nil {
		return err
	}
	switch _, err := os.Stat(database); {
	case errors.Is(err, fs.ErrNotExist):
		return c.absent("there is no database at " + database)
	case err != nil:
		return fmt.Errorf("look for the database: %w", err)
	}
	if _, err := os.Lstat(c.File); err == nil {
		return fmt.Errorf("%s is there already; name a new file", c.File)
	}
	dir, err := os.MkdirTemp(filepath.Dir(c.File), ".backup-*")
	if err != nil {
		return err
	}
	part := filepath.Join(dir, "archive")
	m, err := c.write(ctx, s, database, dir, part)
	if err == nil {
		err = os.Rename(part, c.File)
	}
	if err = errors.Join(err, os.RemoveAll(dir), syncDir(filepath.Dir(c.File))); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.err, "%s holds the database (version %d) and %d other files\n", c.File, m.Schema, len(m.Members)-1)
	return err
}

// write writes the archive to a file, with the room of a directory of its own.
func (c backupCommand) write(ctx context.Context, s streams, database, room, to string) (m manifest, err error) {
	// From before the copy is made, so that what it names is there still.
	release, err := c.holdFiles()
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, release()) }()
	copied := filepath.Join(room, databaseMember)
	schema, err := copyDatabase(ctx, database, copied, logger(s, slog.LevelWarn))
	if err != nil {
		return m, err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	a := newArchiver(out, schema, time.Now())
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
	if err := c.addKept(ctx, a, copied, s.err); err != nil {
		return m, err
	}
	if err := a.close(); err != nil {
		return m, err
	}
	return a.manifest, out.Sync()
}

// copyDatabase leaves the database as it is: an old one is not brought to this
// version first.
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

// leftOut is what a backup leaves out of the data directory: what is made again when
// it is missed, audio that is gone in minutes, charges that processes are still writing
// and posting, and the secret, so that nobody who finds a backup can sign as the
// deployment does.
var leftOut = []string{"cache", previewsDir, clipsDir, answersDir, chargesDir, secretFile}

// leftOutPrefixes begin the names of files that are being written: of backups, of
// restores and of the secret.
var leftOutPrefixes = []string{".backup-", ".restore-", ".secret-"}

// leavesOut reports whether a backup has nothing of that path below the data directory,
// whatever its case, which some file systems do not know. The database, files of datasets
// and a secret of another name are looked at elsewhere.
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

// addFiles adds what the data directory holds beside the database and the files
// of datasets.
func (c backupCommand) addFiles(ctx context.Context, a *archiver, database string) error {
	root, err := os.OpenRoot(c.DataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the database is elsewhere, and nothing else was ever kept
	}
	if err != nil {
		return err
	}
	own := databaseFiles(c.DataDir, database)
	secret, err := os.Stat(cmp.Or(c.Secret, filepath.Join(c.DataDir, secretFile)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, root.Close())
	}
	if rel, err := filepath.Rel(c.DataDir, c.File); err == nil {
		own = append(own, rel)
	}
	return errors.Join(a.addTree(ctx, root, func(name string) bool {
		return slices.Contains(own, name) || topOf(name) == keptFiles || leavesOut(name) || sameFile(root, name, secret)
	}), root.Close())
}

// sameFile reports whether a file is one that is known by another name; nil is none.
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

// syncDir makes what was renamed in a directory safe from a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
