package spool

import (
	"os"

	"golang.org/x/sys/unix"
)

// create returns a new file without a name, which disappears with the process. If the file
// system does not support that, the file has a name for a moment.
func create(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err == nil {
		return os.NewFile(uintptr(fd), "answer"), nil
	}
	f, err := os.CreateTemp(dir, "answer-*")
	if err != nil {
		return nil, err
	}
	// The open descriptor keeps the content (POSIX unlink).
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close() // the first error says more
		return nil, err
	}
	return f, nil
}
