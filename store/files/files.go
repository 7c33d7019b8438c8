// Package files stores files, each under the SHA-256 of its content. [Store] is the contract;
// [Dir] keeps files in a directory, and the package bucket keeps them in object storage.
// Several processes and machines may share a store. [Move] moves files from one to another.
//
// In a directory a file is written in a directory of parts, synced and then renamed. So a file with a key
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
		return nil, NoKey(key)
	}
	f, err := os.Open(d.in(filepath.FromSlash(path)))
	if err != nil {
		return nil, fmt.Errorf("open file %s: %w", key, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open file %s: %w", key, err), f.Close())
	}
	return Checked(f, key, info.Size()), nil
}

// Stat describes the file with a key; see [Store].
func (d *Dir) Stat(ctx context.Context, key string) (Info, error) {
	if err := ctx.Err(); err != nil {
		return Info{}, err
	}
	path, ok := Path(key)
	if !ok {
		return Info{}, NoKey(key)
	}
	info, err := os.Lstat(d.in(filepath.FromSlash(path)))
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Info{}, fmt.Errorf("look for file %s: %w", key, err)
	}
	return Info{key, info.Size(), info.ModTime()}, nil
}

// Delete removes the file with a key; see [Store].
func (d *Dir) Delete(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path, ok := Path(key)
	if !ok {
		return NoKey(key)
	}
	if err := os.Remove(d.in(filepath.FromSlash(path))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete file %s: %w", key, err)
	}
	return nil
}

// Each calls do for each file, by key; see [Store].
func (d *Dir) Each(ctx context.Context, do func(Info) error) error {
	shards, err := os.ReadDir(d.in(scheme)) // sorted by name, as keys are
	if err != nil {
		return fmt.Errorf("list files: %w", err)
	}
	for _, shard := range shards {
		if !shard.IsDir() {
			continue
		}
		found, err := os.ReadDir(d.in(scheme, shard.Name()))
		if err != nil {
			return fmt.Errorf("list files: %w", err)
		}
		for _, f := range found {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			key, ok := Key(scheme + "/" + shard.Name() + "/" + f.Name())
			info, err := f.Info()
			if !ok || errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
				continue
			}
			if err != nil {
				return fmt.Errorf("list files: %w", err)
			}
			if err := do(Info{key, info.Size(), info.ModTime()}); err != nil {
				return err
			}
		}
	}
	return nil
}

// NoKey returns the error for a text that is no key. It wraps [fs.ErrNotExist].
func NoKey(key string) error {
	return fmt.Errorf("open file %.100q: a key is sha256/ and 64 hexadecimal digits: %w", key, fs.ErrNotExist)
}
