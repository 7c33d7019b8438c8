package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"vaak/app/deployment"
	"vaak/store"
)

// Target says what is restored, and to where.
type Target struct {
	Place    deployment.Place
	File     string // the archive; see Source.File
	SHA256   string // hexadecimal; an archive with another is refused; "" takes any
	Force    bool   // replace a database that is there, and keep it beside
	MaxBytes int64  // of the archive's content, unpacked
}

// beforeRestore is in the names of files that a restore has replaced.
const beforeRestore = ".before-restore-"

// Restore brings back what [Write] wrote. It reads and checks the whole archive beside the
// data before it changes anything. The database is moved last, so where the database is,
// all of its files are.
func Restore(ctx context.Context, c Target) (m Manifest, whole Archive, err error) {
	from, err := at(c.File)
	if err != nil {
		return m, whole, err
	}
	database, err := store.File(c.Place.DSN())
	if err != nil {
		return m, whole, err
	}
	release, err := c.free(ctx, database)
	if err != nil {
		return m, whole, err
	}
	m, whole, err = c.restore(ctx, database, from)
	return m, whole, errors.Join(err, release())
}

// free locks the database against all other processes until release is called.
func (c Target) free(ctx context.Context, database string) (release func() error, err error) {
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
func (c Target) restore(ctx context.Context, database string, from place) (m Manifest, whole Archive, err error) {
	var made [2]string
	for i, dir := range []string{filepath.Dir(database), c.Place.DataDir} { // on the file systems of their targets: a rename cannot cross
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return m, whole, err
		}
		if made[i], err = os.MkdirTemp(dir, ".restore-*"); err != nil {
			return m, whole, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(made[i])) }()
	}
	if m, whole, err = c.unpack(ctx, database, from, made[0], made[1]); err != nil {
		return m, whole, fmt.Errorf("%s cannot be restored, and nothing was changed: %w", c.File, err)
	}
	return m, whole, c.place(m, database, made[0], made[1])
}

// unpack reads the archive into two directories and checks everything.
func (c Target) unpack(ctx context.Context, database string, from place, forDatabase, forFiles string) (m Manifest, whole Archive, err error) {
	f, err := from.open(ctx)
	if err != nil {
		return m, whole, err
	}
	defer f.Close()
	// A secret in an archive would let its author sign links for this deployment, so
	// neither the usual name nor the name that the settings give is accepted.
	u := unarchiver{remaining: c.MaxBytes, reserved: databaseFiles(c.Place.DataDir, database), secrets: []string{deployment.Secret}}
	if rel, err := filepath.Rel(c.Place.DataDir, c.Place.Secret); c.Place.Secret != "" && err == nil {
		u.secrets = append(u.secrets, rel)
	}
	for _, dir := range []struct {
		name string
		root **os.Root
	}{{forDatabase, &u.database}, {forFiles, &u.files}} {
		if *dir.root, err = os.OpenRoot(dir.name); err != nil {
			return m, whole, err
		}
		defer (*dir.root).Close()
	}
	through := newDigested(io.Discard, nil)
	if m, err = u.read(ctx, io.TeeReader(f, through)); err != nil {
		return m, whole, err
	}
	if whole = through.archive(); c.SHA256 != "" && !strings.EqualFold(c.SHA256, whole.SHA256) {
		return m, whole, fmt.Errorf("its SHA-256 is %s, not %.64s", whole.SHA256, c.SHA256)
	}
	schema, err := store.CheckFile(ctx, filepath.Join(forDatabase, databaseMember))
	if err == nil && schema != m.Schema {
		err = fmt.Errorf("its database is at version %d, and its manifest says %d", schema, m.Schema)
	}
	return m, whole, err
}

// place moves what was unpacked to where it belongs. When that fails, what was
// moved already is moved back.
func (c Target) place(m Manifest, database, forDatabase, forFiles string) (err error) {
	mv := mover{suffix: beforeRestore + time.Now().UTC().Format("20060102T150405Z")}
	defer func() {
		if err != nil {
			err = errors.Join(err, mv.back())
		}
	}()
	// All files are moved before the database. A crash in between leaves the old database
	// and every dataset file that it names.
	for _, f := range m.Members {
		name, ok := fileOf(f.Name)
		if _, ofVoice := modelFolder(f.Name); ofVoice || !ok {
			continue
		}
		// A file of a dataset has the digest of its content as its name, so laying it over
		// another of that name changes nothing. Any other file replaces different content,
		// which is kept beside it.
		move := mv.move
		if _, kept := keptDigest(f.Name); kept {
			move = mv.lay
		}
		if err := move(filepath.Join(forFiles, name), filepath.Join(c.Place.DataDir, name)); err != nil {
			return err
		}
	}
	if err := mv.placeVoices(m.Members, filepath.Join(forFiles, deployment.Voices), c.Place.In(deployment.Voices)); err != nil {
		return err
	}
	if err := mv.sync(); err != nil {
		return err
	}
	// SQLite would take the log of the old database for that of the new one.
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
	dirs   map[string]bool // that have something new
}

// lay moves a file of a dataset, whose name is the digest of its content, over the same
// file, if there is one. It is not undone: a file that no record names harms nobody, and
// the next sweep removes it.
func (m *mover) lay(from, to string) error {
	dir := filepath.Dir(to)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	m.note(dir)
	return os.Rename(from, to)
}

// note remembers a directory that sync is to write to disk. The directory may be new, and its name
// is an entry of the one above; both must reach the disk.
func (m *mover) note(dir string) {
	if m.dirs == nil {
		m.dirs = map[string]bool{}
	}
	m.dirs[dir], m.dirs[filepath.Dir(dir)] = true, true
}

// sync writes the directories that were noted to disk.
func (m *mover) sync() error {
	for dir := range m.dirs {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// away moves what is at a path to a name beside it.
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

// rename moves a file, and remembers it.
func (m *mover) rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	m.done = append(m.done, [2]string{from, to})
	return nil
}

// back moves all files back, in the opposite order.
func (m *mover) back() error {
	var errs []error
	// The opposite order matters: a path was emptied first and filled after, so it must be
	// emptied again before the old file comes back.
	for i := len(m.done) - 1; i >= 0; i-- {
		errs = append(errs, os.Rename(m.done[i][1], m.done[i][0]))
	}
	return errors.Join(errs...)
}
