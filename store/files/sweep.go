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

// Hold keeps every file from being swept, by whichever process, until release is
// called. Files are put and opened meanwhile.
func (d *Dir) Hold() (release func() error, err error) {
	release, err = d.lock(syscall.LOCK_SH)
	if err != nil {
		return nil, fmt.Errorf("hold files: %w", err)
	}
	return release, nil
}

// Sweep removes files for which keep is false and that are older than a duration,
// and parts of files that are as old, and returns how many it removed. Keep is
// asked of each file that is old enough. What it knows may be as old as the sweep:
// a file that is put meanwhile, be it again, is young and stays. So the duration
// must be longer than a sweep takes, than the time from [Dir.Put] to the record
// that names the file, and than a reader may pause. While files are held, or one
// is being placed, a sweep leaves what it would remove to the next.
func (d *Dir) Sweep(ctx context.Context, keep func(key string) bool, olderThan time.Duration) (removed int, err error) {
	now, err := d.now()
	if err != nil {
		return 0, fmt.Errorf("sweep files: %w", err)
	}
	s := sweep{dir: d, keep: keep, before: now.Add(-olderThan)}
	dirs := []string{d.in(partsDir)}
	shards, err := os.ReadDir(d.in(scheme))
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

// now is the present by the clock that files have their times from: that of
// another machine, if the directory is there.
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

// clean sweeps one directory of files.
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

// old reports whether there is a file that is old enough to go.
func (s *sweep) old(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && !info.ModTime().After(s.before)
}

// remove removes a file, if it still is old now that nobody can replace it.
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
			err = nil // it ended by itself, or another machine sweeps too
		}
	}
	return errors.Join(err, release())
}

// lock locks the directory in a way of flock(2). Only [Dir.Sweep] asks for it
// alone, and then for as long as it takes to remove a file.
func (d *Dir) lock(how int) (release func() error, err error) {
	f, err := os.OpenFile(d.in(lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil // which gives the lock up
}
