// Package files stores files in a directory, each under the SHA-256 of its content. Several
// processes, and several machines that share the directory, may use it at once.
//
// A file is written in a directory of parts, synced and then renamed. So a file with a key
// is always complete. It never changes. Storing the same content again replaces the file by
// an identical one, which renews its time of modification. [Dir.Sweep] removes files that
// are old and that the caller no longer needs.
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

// Config says where the files are.
type Config struct {
	// Dir is the directory. New creates it with mode 0700 when it does not exist. Its file
	// system must have advisory locks (flock). Required.
	Dir string
}

// Dir is a directory of files. Its methods may be called from many goroutines.
type Dir struct{ path string }

// New opens a directory of files, and creates what is missing of it.
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
	// The entry of a new directory is in its parent, so both are synced.
	return d, errors.Join(syncDir(d.path), syncDir(filepath.Dir(d.path)))
}

func (d *Dir) in(name ...string) string {
	return filepath.Join(append([]string{d.path}, name...)...)
}

// hexDigits is the length of a digest in hexadecimal.
const hexDigits = 64

// Path returns the path of the file with a key, relative to the directory and with slashes:
// "sha256/ab/abcd..." for the key "sha256/abcd...". The result is false for a text that is
// no key.
func Path(key string) (string, bool) {
	digits, ok := strings.CutPrefix(key, scheme+"/")
	if !ok || len(digits) != hexDigits || strings.Trim(digits, "0123456789abcdef") != "" {
		return "", false
	}
	return scheme + "/" + digits[:2] + "/" + digits, true
}

// Key is the inverse of [Path]. The result is false for a path that Path never returns.
func Key(path string) (string, bool) {
	key := scheme + "/" + path[strings.LastIndexByte(path, '/')+1:]
	at, ok := Path(key)
	return key, ok && at == path
}

// Open opens the file with a key. The caller closes it. The error wraps [fs.ErrNotExist]
// when there is no such file, and when the text is no key.
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
