// Package files keeps the bytes of files in a directory, each under the digest of
// its content. Several processes, and several machines that share the directory,
// may use it at once.
//
// A file is written beside its place, made safe from a power cut and then
// renamed, so what has a name is whole. It never changes: keeping the same bytes
// again replaces it by its like, which makes it young. [Dir.Sweep] removes what
// is old and needed by nobody.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Names in the directory.
const (
	scheme   = "sha256"
	partsDir = "parts" // files that are being written
	lockName = "lock"
)

// Config says where files are kept.
type Config struct {
	// Dir is the directory, which is made, with mode 0700, when it is not there. It
	// must be on a file system that has advisory locks. Required.
	Dir string
}

// Dir keeps files in a directory. Its methods may be called from many goroutines.
type Dir struct{ path string }

// New returns what keeps files in a directory.
func New(cfg Config) (*Dir, error) {
	if cfg.Dir == "" {
		return nil, errors.New("the directory of files has no name")
	}
	d := &Dir{path: cfg.Dir}
	for _, dir := range []string{d.path, d.in(partsDir), d.in(scheme)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make a directory for files: %w", err)
		}
	}
	return d, errors.Join(syncDir(d.path), syncDir(filepath.Dir(d.path)))
}

func (d *Dir) in(name ...string) string {
	return filepath.Join(append([]string{d.path}, name...)...)
}

// hexDigits is how many a digest has.
const hexDigits = 64

// Path returns where the file with a key is, below the directory and with
// slashes: "sha256/ab/abcd..." of the key "sha256/abcd...". It is false for what
// is no key.
func Path(key string) (string, bool) {
	digits, ok := strings.CutPrefix(key, scheme+"/")
	if !ok || len(digits) != hexDigits || strings.Trim(digits, "0123456789abcdef") != "" {
		return "", false
	}
	return scheme + "/" + digits[:2] + "/" + digits, true
}

// Key is the inverse of [Path].
func Key(path string) (string, bool) {
	key := scheme + "/" + path[strings.LastIndexByte(path, '/')+1:]
	at, ok := Path(key)
	return key, ok && at == path
}

// Open opens the file with a key, which the caller closes. The error is
// [fs.ErrNotExist] when there is none, as there is none for what is no key.
func (d *Dir) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	path, ok := Path(key)
	if !ok {
		return nil, fmt.Errorf("open file %q: a key is sha256/ and 64 hexadecimal digits: %w", key, fs.ErrNotExist)
	}
	f, err := os.Open(d.in(filepath.FromSlash(path)))
	if err != nil {
		return nil, fmt.Errorf("open file %s: %w", key, err)
	}
	return f, nil
}
