package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// newFile is a file that appears under its name only when it is whole. Until then it has
// another name in the same directory, and an older file keeps the name. What is no regular
// file, such as a pipe, is written directly.
type newFile struct {
	*os.File
	part, path string // part is the name until then; "" for what is written directly
}

// createFile begins a file. Where the path names a pipe, it waits until somebody reads it.
func createFile(ctx context.Context, path string) (*newFile, error) {
	info, err := os.Stat(path)
	mode := fs.FileMode(0o666)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory; name a file", path)
	case info.Mode()&fs.ModeNamedPipe != 0:
		f, err := openPipe(ctx, path)
		if err != nil {
			return nil, err
		}
		return &newFile{File: f}, nil
	default:
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		// A device, such as /dev/null, cannot be replaced by a file.
		if !info.Mode().IsRegular() {
			return &newFile{File: f}, nil
		}
		if err := f.Close(); err != nil { // it was opened to see whether it may be written
			return nil, err
		}
		mode = info.Mode().Perm()
	}
	return createPart(path, mode, info != nil)
}

// createPart begins the file that takes the place of the one that path leads to. Older says
// that there is such a file, and that this user may write it.
func createPart(path string, mode fs.FileMode, older bool) (*newFile, error) {
	to, err := target(path)
	if err == nil {
		var f *os.File
		part := filepath.Join(filepath.Dir(to), ".vaak-"+rand.Text()[:12]+".part")
		if f, err = os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode); err == nil {
			// The part lies in the directory of its target, so the rename at the end stays
			// in one file system and is atomic.
			return &newFile{f, part, to}, nil
		}
	}
	if older && errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s cannot be replaced: no file can be made in its directory, %s; allow that, name a file in another, or redirect standard output to it",
			path, filepath.Dir(to))
	}
	// The user knows the name that was asked for, and not that of the part.
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = &fs.PathError{Op: "create", Path: path, Err: e.Err}
	}
	return nil, err
}

// target follows symbolic links and returns the name of the file behind them. The file need
// not exist, so filepath.EvalSymlinks is no use.
func target(path string) (string, error) {
	for range 40 { // as many as Linux follows
		// Split keeps dir as it was written. Dir would shorten link/.. to the directory of the
		// link, where it means the parent of what the link leads to.
		dir, name := filepath.Split(path)
		dir, err := filepath.EvalSymlinks(cmp.Or(dir, "."))
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, name)
		to, err := os.Readlink(path)
		switch {
		case err != nil: // the path is no link, or does not exist
			return path, nil
		case filepath.IsAbs(to):
			path = to
		default:
			path = dir + string(filepath.Separator) + to
		}
	}
	return "", &fs.PathError{Op: "create", Path: path, Err: unix.ELOOP}
}

// openPipe opens a named pipe as soon as somebody reads it.
func openPipe(ctx context.Context, path string) (*os.File, error) {
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		// Without O_NONBLOCK the call would wait in the kernel for a reader, and no signal
		// would end it. With it the kernel answers ENXIO while nobody reads.
		f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if !errors.Is(err, unix.ENXIO) {
			return f, err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, errInterrupted
		}
	}
}

// end closes the file, and gives it its name if keep is true. Otherwise it removes the file.
func (f *newFile) end(keep bool) error {
	err := f.Close()
	if f.part == "" {
		return err
	}
	if keep && err == nil {
		err = os.Rename(f.part, f.path)
	}
	if !keep || err != nil {
		return errors.Join(err, os.Remove(f.part))
	}
	return nil
}
