package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"vaak/catalogue"
	"vaak/store/datasets"
	"vaak/store/files"
)

// keptFiles is the directory of the data directory that holds the files of
// datasets. A backup has those that its database names.
const keptFiles = "files"

// keptDigest returns the SHA-256, in hex, of the file of a dataset that is a
// member of an archive; false of other members.
func keptDigest(member string) (string, bool) {
	name, ok := strings.CutPrefix(member, filesPrefix+keptFiles+"/")
	if !ok {
		return "", false
	}
	_, ok = files.Key(name)
	return path.Base(name), ok
}

// holdFiles keeps the files of datasets from being swept until release is called.
func (c backupCommand) holdFiles() (release func() error, err error) {
	dir := filepath.Join(c.DataDir, keptFiles)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return func() error { return nil }, nil // none was ever kept
	}
	d, err := files.New(files.Config{Dir: dir})
	if err != nil {
		return nil, err
	}
	return d.Hold()
}

// addKept adds the files that the records of a database name, each once.
func (c backupCommand) addKept(ctx context.Context, a *archiver, database string, say io.Writer) error {
	added, dir := map[string]bool{}, filepath.Join(c.DataDir, keptFiles)
	return datasets.EachFileOf(ctx, database, func(slug string, f catalogue.File) error {
		name, ok := files.Path(f.Key)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !ok:
			return fmt.Errorf("dataset %s names %q for its %s, which is no key of a file", slug, f.Key, f.Name)
		case added[name]:
			return nil
		}
		added[name] = true
		whole, err := openWhole(filepath.Join(dir, filepath.FromSlash(name)))
		if lost, ok := errors.AsType[lostError](err); ok {
			return c.lost(say, slug, f.Name, lost)
		}
		if err != nil {
			return err
		}
		return errors.Join(a.add(path.Join(filesPrefix, keptFiles, name), whole), whole.Close())
	})
}

// lostError says why a file cannot be had as it was kept.
type lostError string

// Error returns the reason.
func (e lostError) Error() string { return string(e) }

// openWhole opens a kept file that holds what its name says; the error is else a
// lostError. It reads all of it: a restore refuses an archive with any other.
func openWhole(name string) (*os.File, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lostError("it is not there")
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err == nil && hex.EncodeToString(sum.Sum(nil)) != filepath.Base(name) {
		err = lostError("it is damaged: it does not hold what its name says")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// lost says that a file cannot be backed up, which a backup must not hide.
func (c backupCommand) lost(say io.Writer, slug, name string, why lostError) error {
	if !c.AllowMissing {
		return fmt.Errorf("file %s of dataset %s is lost, and --allow-missing would back up the rest: %w", name, slug, why)
	}
	_, err := fmt.Fprintf(say, "file %s of dataset %s is not in the backup: %v\n", name, slug, why)
	return err
}
