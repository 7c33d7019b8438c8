package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vaak/app/deployment"
	"vaak/app/usage"
	"vaak/internal/blob"
)

// Suffix ends the names of backups in object storage, and of those that [List] finds.
const Suffix = ".tar.gz"

// drafts begins the names of archives that are being written, and of scratch directories.
const drafts = ".backup-"

// place is where an archive is.
type place struct {
	address string // as it was given
	store   blob.Store
	name    string
	dir     string // of a file; "" in object storage
}

// at reads an address: the path of a file, or s3://BUCKET/PREFIX/NAME?endpoint=URL&region=NAME.
// Nothing is asked of object storage.
func at(address string) (place, error) {
	if deployment.InBucket(address) {
		p := place{address: address}
		in, name, err := deployment.SplitBucket(address)
		if err != nil {
			return p, err
		}
		if !strings.HasSuffix(name, Suffix) || name == Suffix {
			return p, usage.Errorf("a backup in object storage has a name that ends in %s, such as s3://BUCKET/PREFIX/vaak-2027-01-31%s, not %.200q", Suffix, Suffix, name)
		}
		p.name = name
		p.store, err = deployment.OpenBlobs(in)
		return p, err
	}
	path, err := filepath.Abs(address)
	if err != nil {
		return place{}, err
	}
	p := place{address: address, name: filepath.Base(path), dir: filepath.Dir(path)}
	if !blob.Valid(p.name) {
		return p, usage.Errorf("%.200q is no name for a backup: it may not begin with a dot, nor hold control characters", p.name)
	}
	p.store = blob.NewDir(blob.DirConfig{Path: p.dir, Drafts: drafts})
	return p, nil
}

// free returns an error if there is something already.
func (p place) free(ctx context.Context) error {
	_, err := p.store.Stat(ctx, p.name)
	if errors.Is(err, fs.ErrNotExist) && p.dir != "" {
		_, err = os.Lstat(filepath.Join(p.dir, p.name)) // a link or a directory is something, too
	}
	switch {
	case err == nil:
		return fmt.Errorf("%s is there already; name a new file", p.address)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return fmt.Errorf("look for %s: %w", p.address, err)
}

// open opens an archive for reading. A file may be a link.
func (p place) open(ctx context.Context) (io.ReadCloser, error) {
	if p.dir != "" {
		return os.Open(filepath.Join(p.dir, p.name))
	}
	r, _, err := p.store.Open(ctx, p.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("there is no such backup; vaak backup list prints those that are there")
	}
	return r, err
}

// digested counts and digests what passes through a writer.
type digested struct {
	w    io.Writer
	n    int64
	sum  hash.Hash
	tell func(bytes int64)
}

func newDigested(w io.Writer, tell func(int64)) *digested {
	if tell == nil {
		tell = func(int64) {}
	}
	return &digested{w: w, sum: sha256.New(), tell: tell}
}

// Write passes p on.
func (d *digested) Write(p []byte) (int, error) {
	n, err := d.w.Write(p)
	_, _ = d.sum.Write(p[:n]) // never fails
	d.n += int64(n)
	d.tell(d.n)
	return n, err
}

// archive describes what passed.
func (d *digested) archive() Archive { return Archive{d.n, hex.EncodeToString(d.sum.Sum(nil))} }

// Archive describes an archive as a whole.
type Archive struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // hexadecimal
}

// Listed is a backup that [List] found.
type Listed struct {
	Name     string    `json:"name"`
	Address  string    `json:"address"` // as restore takes it
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"` // by the clock of where it is
}

// List returns the backups in a directory, or at s3://BUCKET/PREFIX?endpoint=URL&region=NAME, the
// oldest first: what is directly there and has a name that ends in [Suffix]. Nothing is read of
// them. An upload that was broken off is none.
func List(ctx context.Context, address string) ([]Listed, error) {
	var in blob.Store = blob.NewDir(blob.DirConfig{Path: address})
	if deployment.InBucket(address) {
		var err error
		if in, err = deployment.OpenBlobs(address); err != nil {
			return nil, err
		}
	} else if _, err := os.Stat(address); err != nil {
		return nil, usage.Error{Err: err}
	}
	found := []Listed{}
	err := in.Each(ctx, func(name string) error {
		if !strings.HasSuffix(name, Suffix) {
			return nil
		}
		info, err := in.Stat(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it is no file, or has just gone
		}
		if err != nil {
			return err
		}
		found = append(found, Listed{name, deployment.Below(address, name), info.Size, info.Modified.UTC()})
		return nil
	})
	slices.SortFunc(found, func(a, b Listed) int {
		if c := a.Modified.Compare(b.Modified); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return found, err
}
