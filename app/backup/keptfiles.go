package backup

import (
	"cmp"
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

	"vaak/app/deployment"
	"vaak/catalogue"
	"vaak/store/datasets"
	"vaak/store/files"
)

// keptDigest returns the SHA-256, in hex, that a member of an archive has in its name as a
// file of a dataset. It is false for other members.
func keptDigest(member string) (string, bool) {
	name, ok := strings.CutPrefix(member, filesPrefix+deployment.Files+"/")
	if !ok {
		return "", false
	}
	_, ok = files.Key(name)
	return path.Base(name), ok
}

// holdFiles keeps the files of datasets from being swept until release is called.
func (c Source) holdFiles(ctx context.Context) (release func() error, err error) {
	if place := c.filesPlace(); !deployment.InBucket(place) {
		if _, err := os.Stat(place); errors.Is(err, fs.ErrNotExist) {
			return func() error { return nil }, nil // no file was ever kept
		}
	}
	d, err := c.Place.OpenFiles()
	if err != nil {
		return nil, err
	}
	return d.Hold(ctx)
}

// filesPlace is where the files of datasets are: a directory, or the address of a bucket.
func (c Source) filesPlace() string {
	return cmp.Or(c.Place.Objects, filepath.Join(c.Place.DataDir, deployment.Files))
}

// addKept adds the files that the records of a database name, each once.
// The directory scratch takes a copy of one at a time that is in object storage.
func (c Source) addKept(ctx context.Context, a *archiver, database, scratch string) error {
	added, place := map[string]bool{}, c.filesPlace()
	open := func(_, name string) (*os.File, error) {
		return openWhole(filepath.Join(place, filepath.FromSlash(name)))
	}
	if deployment.InBucket(place) {
		kept, err := c.Place.OpenFiles()
		if err != nil {
			return err
		}
		open = func(key, _ string) (*os.File, error) { return fetch(ctx, kept, key, scratch) }
	}
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
		whole, err := open(f.Key, name)
		if lost, ok := errors.AsType[lostError](err); ok {
			// The name stays in added, so a lost file that two datasets share is reported
			// once.
			return c.lost(fmt.Sprintf("file %s of dataset %s", f.Name, slug), lost)
		}
		if err != nil {
			return err
		}
		return errors.Join(a.add(path.Join(filesPrefix, deployment.Files, name), whole), whole.Close())
	})
}

// lostError says why a file cannot be read as it was kept.
type lostError string

// Error returns the reason.
func (e lostError) Error() string { return string(e) }

// openWhole opens a kept file, whose name is the digest of its content; see checkWhole.
func openWhole(name string) (*os.File, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lostError("it is not there")
	}
	if err != nil {
		return nil, err
	}
	if err := checkWhole(f, filepath.Base(name)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// fetch copies a file out of a store into a directory, and returns the copy, which has no name. An
// archive needs the size of a file before its content, and none that turns out to be damaged.
func fetch(ctx context.Context, kept files.Store, key, scratch string) (*os.File, error) {
	r, err := kept.Open(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lostError("it is not there")
	}
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(scratch, "file-*")
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	err = os.Remove(f.Name())
	if err == nil {
		_, _, err = files.Copy(ctx, f, r)
	}
	if errors.Is(err, files.ErrDamaged) {
		err = lostError("it is damaged: it does not hold what its name says")
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err = errors.Join(err, r.Close()); err != nil {
		if lost, ok := errors.AsType[lostError](err); ok {
			err = lost
		}
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// checkWhole reads all of a file and goes back to its beginning. It returns a lostError when the
// content has another digest, since a restore would refuse an archive with such a file.
func checkWhole(f *os.File, digest string) error {
	sum := sha256.New()
	_, err := io.Copy(sum, f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err == nil && hex.EncodeToString(sum.Sum(nil)) != digest {
		err = lostError("it is damaged: it does not hold what its name says")
	}
	return err
}

// lost says that something cannot be backed up, which a backup must not hide.
func (c Source) lost(what string, why error) error {
	if c.Missing == nil {
		return fmt.Errorf("%s is lost, and --allow-missing would back up the rest: %w", what, why)
	}
	return c.Missing(what, why)
}
