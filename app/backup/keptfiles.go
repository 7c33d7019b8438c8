package backup

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
func (c Source) holdFiles() (release func() error, err error) {
	dir := filepath.Join(c.Place.DataDir, deployment.Files)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return func() error { return nil }, nil // no file was ever kept
	}
	d, err := files.New(files.Config{Dir: dir})
	if err != nil {
		return nil, err
	}
	return d.Hold()
}

// addKept adds the files that the records of a database name, each once.
func (c Source) addKept(ctx context.Context, a *archiver, database string) error {
	added, dir := map[string]bool{}, filepath.Join(c.Place.DataDir, deployment.Files)
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
