package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Hold keeps every process from sweeping files until release is called. Files can be put and
// opened meanwhile.
func (d *Dir) Hold(context.Context) (release func() error, err error) {
	release, err = d.lock(syscall.LOCK_SH)
	if err != nil {
		return nil, fmt.Errorf("hold files: %w", err)
	}
	return release, nil
}

// Sweep removes files that are older than a duration and for which keep is false, and parts
// that are as old. It returns how many it removed.
//
// Keep is called for each file that is old enough. It may answer from a list that was read
// when the sweep began, because a file that is put meanwhile, even again, is young and
// stays. So the duration must be longer than a sweep takes, longer than the time from
// [Dir.Put] to the record that names the file, and longer than a reader may pause. While
// files are held, or one is being placed, files are left to the next sweep.
func (d *Dir) Sweep(ctx context.Context, keep func(key string) bool, olderThan time.Duration) (removed int, err error) {
	now, err := d.now()
	if err != nil {
		return 0, fmt.Errorf("sweep files: %w", err)
	}
	s := sweep{dir: d, keep: keep, before: now.Add(-olderThan)}
	dirs := []string{d.in(partsDir)}
	shards, err := os.ReadDir(d.in(scheme)) // the loop below returns the error, after the parts
	for _, shard := range shards {
		if shard.IsDir() {
			dirs = append(dirs, d.in(scheme, shard.Name()))
		}
	}
	for _, dir := range dirs {
		if err != nil {
			return s.removed, fmt.Errorf("sweep files: %w", err)
		}
		err = s.clean(ctx, dir)
	}
	if err != nil {
		return s.removed, fmt.Errorf("sweep files: %w", err)
	}
	return s.removed, nil
}

// now returns the present by the clock that sets the times of files. If the directory is on
// another machine, it is the clock of that machine.
func (d *Dir) now() (time.Time, error) {
	f, err := os.CreateTemp(d.in(partsDir), "now-*")
	if err != nil {
		return time.Time{}, err
	}
	info, err := f.Stat()
	if err := errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

type sweep struct {
	dir     *Dir
	keep    func(key string) bool
	before  time.Time
	removed int
}

// clean sweeps one directory, of parts or of files.
func (s *sweep) clean(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		path := filepath.Join(dir, e.Name())
		if dir != s.dir.in(partsDir) {
			rel, err := filepath.Rel(s.dir.path, path)
			if err != nil {
				return err
			}
			// A file whose name is no key was not made here, and stays. The age is checked
			// before keep, which may cost more.
			key, ok := Key(filepath.ToSlash(rel))
			if !ok || !s.old(path) || s.keep(key) {
				continue
			}
		}
		if err := s.remove(path); err != nil {
			return err
		}
	}
	return nil
}

// old reports whether a regular file is at path and is old enough to be removed.
func (s *sweep) old(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && !info.ModTime().After(s.before)
}

// remove removes a file if it is still old. It checks that under the lock, with which no
// process can replace the file. While others hold the lock it does nothing.
func (s *sweep) remove(path string) error {
	release, err := s.dir.lock(syscall.LOCK_EX | syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	if s.old(path) {
		if err = os.Remove(path); err == nil {
			s.removed++
		} else if errors.Is(err, fs.ErrNotExist) {
			err = nil // its writer, or another sweep, has removed it
		}
	}
	return errors.Join(err, release())
}

// lock locks the directory with an operation of flock(2), and waits unless it has LOCK_NB.
// Only [Dir.Sweep] takes the lock exclusively, and only while it removes one file.
func (d *Dir) lock(how int) (release func() error, err error) {
	f, err := os.OpenFile(d.in(lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for { // a signal, which the runtime of Go uses, may interrupt the wait
		err = syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil // closing the file releases the lock
}
