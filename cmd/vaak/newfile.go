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

// newFile is a file that is there once it is whole: until then it has another name
// beside, and what had its name stays. What is no plain file, such as a pipe, is
// written as it is.
type newFile struct {
	*os.File
	part, path string // part is "" for what is written as it is
}

// createFile begins a file. It waits for somebody who reads a named pipe.
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

// createPart begins the file that takes the place of one with a name, behind symbolic
// links. Older says that there is one, which may be written to.
func createPart(path string, mode fs.FileMode, older bool) (*newFile, error) {
	to, err := target(path)
	if err == nil {
		var f *os.File
		part := filepath.Join(filepath.Dir(to), ".vaak-"+rand.Text()[:12]+".part")
		if f, err = os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode); err == nil {
			return &newFile{f, part, to}, nil
		}
	}
	if older && errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s cannot be replaced: no file can be made in its directory, %s; allow that, name a file in another, or redirect standard output to it",
			path, filepath.Dir(to))
	}
	// The name that was asked for says more than that of the part.
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = &fs.PathError{Op: "create", Path: path, Err: e.Err}
	}
	return nil, err
}

// target returns the name that a file has behind symbolic links, or would have: the
// last link may lead to nothing yet.
func target(path string) (string, error) {
	for range 40 { // as many as Linux follows
		dir, name := filepath.Split(path) // which, unlike Dir, leaves .. behind a link alone
		dir, err := filepath.EvalSymlinks(cmp.Or(dir, "."))
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, name)
		to, err := os.Readlink(path)
		switch {
		case err != nil: // it is no link, or not there
			return path, nil
		case filepath.IsAbs(to):
			path = to
		default:
			path = dir + string(filepath.Separator) + to
		}
	}
	return "", &fs.PathError{Op: "create", Path: path, Err: unix.ELOOP}
}

// openPipe opens a named pipe when somebody reads it.
func openPipe(ctx context.Context, path string) (*os.File, error) {
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		// A write end that may block would be waited for in the kernel, where nothing
		// interrupts it.
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

// end closes the file and gives it its name, or leaves nothing of it.
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
