package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"vaak/store"
)

type restoreCommand struct {
	storeFlags
	File     string `arg:"" help:"File that vaak backup wrote." type:"existingfile"`
	Secret   string `help:"File of the secret that signs links: no archive may hold one of its name. Default: secret in the data directory." type:"path" placeholder:"FILE"`
	Force    bool   `help:"Replace the database that is there. It is kept, as what else is replaced, under a name that ends in .before-restore and the time."`
	MaxBytes int64  `help:"Refuse an archive that holds more bytes, unpacked. Default: ${default}, which is 64 GiB." default:"68719476736" placeholder:"N"`
}

// beforeRestore is in the names of files that a restore has replaced.
const beforeRestore = ".before-restore-"

// Run reads and checks the whole archive beside the data before it changes
// anything; the database comes last, so that it is there if all else is.
func (c restoreCommand) Run(ctx context.Context, s streams) error {
	database, err := store.File(c.dsn())
	if errors.Is(err, store.ErrNoFile) {
		return c.say(s, "--clean --if-exists --no-owner --single-transaction "+quoted(c.File), "pg_restore")
	}
	if err != nil {
		return err
	}
	release, err := c.free(ctx, database)
	if err != nil {
		return err
	}
	m, err := c.restore(ctx, database)
	if err = errors.Join(err, release()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.err, "restored the database (version %d) and %d other files, as they were at %s\n",
		m.Schema, len(m.Members)-1, m.Created.Format(time.RFC3339))
	return err
}

// free sees to it that nobody uses the database, until release is called.
func (c restoreCommand) free(ctx context.Context, database string) (release func() error, err error) {
	_, err = os.Lstat(database)
	if errors.Is(err, fs.ErrNotExist) {
		return func() error { return nil }, nil
	}
	if err != nil {
		return nil, err
	}
	if !c.Force {
		return nil, fmt.Errorf("there is a database at %s already; --force replaces it, and keeps it beside", database)
	}
	release, err = store.Seize(ctx, database)
	if errors.Is(err, store.ErrInUse) {
		return nil, fmt.Errorf("%s is in use by another process: stop the server first", database)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", database, err)
	}
	return release, nil
}

// restore reads the archive and puts its files in their places.
func (c restoreCommand) restore(ctx context.Context, database string) (m manifest, err error) {
	var made [2]string
	for i, dir := range []string{filepath.Dir(database), c.DataDir} { // a rename cannot leave a file system
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return m, err
		}
		if made[i], err = os.MkdirTemp(dir, ".restore-*"); err != nil {
			return m, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(made[i])) }()
	}
	if m, err = c.unpack(ctx, database, made[0], made[1]); err != nil {
		return m, fmt.Errorf("%s cannot be restored, and nothing was changed: %w", c.File, err)
	}
	return m, c.place(m, database, made[0], made[1])
}

// unpack reads the archive into two directories and checks everything.
func (c restoreCommand) unpack(ctx context.Context, database, forDatabase, forFiles string) (m manifest, err error) {
	f, err := os.Open(c.File)
	if err != nil {
		return m, err
	}
	defer f.Close()
	u := unarchiver{left: c.MaxBytes, reserved: databaseFiles(c.DataDir, database), secrets: []string{secretFile}}
	if rel, err := filepath.Rel(c.DataDir, c.Secret); c.Secret != "" && err == nil {
		u.secrets = append(u.secrets, rel)
	}
	for _, dir := range []struct {
		name string
		root **os.Root
	}{{forDatabase, &u.database}, {forFiles, &u.files}} {
		if *dir.root, err = os.OpenRoot(dir.name); err != nil {
			return m, err
		}
		defer (*dir.root).Close()
	}
	if m, err = u.read(ctx, f); err != nil {
		return m, err
	}
	schema, err := store.CheckFile(ctx, filepath.Join(forDatabase, databaseMember))
	if err == nil && schema != m.Schema {
		err = fmt.Errorf("its database is at version %d, and its manifest says %d", schema, m.Schema)
	}
	return m, err
}

// place moves what was unpacked to where it belongs. When that fails, what was
// moved already is moved back.
func (c restoreCommand) place(m manifest, database, forDatabase, forFiles string) (err error) {
	mv := mover{suffix: beforeRestore + time.Now().UTC().Format("20060102T150405Z")}
	defer func() {
		if err != nil {
			err = errors.Join(err, mv.back())
		}
	}()
	for _, f := range m.Members {
		name, ok := fileOf(f.Name)
		if !ok {
			continue
		}
		move := mv.move
		if _, kept := keptDigest(f.Name); kept {
			move = mv.lay
		}
		if err := move(filepath.Join(forFiles, name), filepath.Join(c.DataDir, name)); err != nil {
			return err
		}
	}
	if err := mv.sync(); err != nil {
		return err
	}
	// A log that belongs to no database would be taken for this one's.
	for _, beside := range []string{"-wal", "-shm", "-journal"} {
		if err := mv.away(database + beside); err != nil {
			return err
		}
	}
	if err := mv.move(filepath.Join(forDatabase, databaseMember), database); err != nil {
		return err
	}
	return syncDir(filepath.Dir(database))
}

// fileOf returns the path below the data directory that a member of a checked
// archive has; the database has none.
func fileOf(member string) (string, bool) {
	if member == databaseMember {
		return "", false
	}
	rel, err := filepath.Rel(path.Clean(filesPrefix), member)
	return rel, err == nil
}

// mover moves files and remembers how to undo it.
type mover struct {
	suffix string // of what is replaced
	done   [][2]string
	dirs   map[string]bool // to which something was laid
}

// lay moves a file whose name says what it holds over its like, if there is one.
// That is not undone: nobody is hurt by what nobody names.
func (m *mover) lay(from, to string) error {
	dir := filepath.Dir(to)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if m.dirs == nil {
		m.dirs = map[string]bool{}
	}
	m.dirs[dir], m.dirs[filepath.Dir(dir)] = true, true
	return os.Rename(from, to)
}

// sync makes what was laid safe from a power cut.
func (m *mover) sync() error {
	for dir := range m.dirs {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// away moves what is at a path to one beside it.
func (m *mover) away(to string) error {
	if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return m.rename(to, to+m.suffix)
}

// move moves a file to a path, and what is there away.
func (m *mover) move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := m.away(to); err != nil {
		return err
	}
	return m.rename(from, to)
}

func (m *mover) rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	m.done = append(m.done, [2]string{from, to})
	return nil
}

func (m *mover) back() error {
	var errs []error
	for i := len(m.done) - 1; i >= 0; i-- {
		errs = append(errs, os.Rename(m.done[i][1], m.done[i][0]))
	}
	return errors.Join(errs...)
}
