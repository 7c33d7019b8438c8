package seal

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Limits of a file of secrets.
const (
	maxLines = 16
	maxBytes = 16 << 10
)

// Open reads the secret from a file. If there is no file it creates one, readable by this user
// only. If several processes do that at the same time, one of them creates the file and all
// read it. Each line is a secret in base64url, with or without padding. The first line signs,
// and all lines verify. Open refuses a file that others may read or write, and a line that is
// not base64url or has fewer than [MinBytes]. The error names the file and the line but shows
// none of its content.
func Open(path string) (*Secret, error) {
	if path == "" {
		return nil, errors.New("the file of the secret has no name")
	}
	s, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil {
			return nil, fmt.Errorf("open the secret: %w", err)
		}
		return Read(path)
	}
	return s, err
}

// Read is like Open but creates nothing: if there is no file the error is [fs.ErrNotExist].
func Read(path string) (*Secret, error) {
	text, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("open the secret: %w", err)
	}
	secrets, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("open the secret: %s: %w", path, err)
	}
	return New(secrets...), nil
}

// read returns the content of a regular file that belongs to its user alone.
func read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a pipe would block otherwise
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	// Of the open file, and not of its name, which could lead to another file by now.
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, fmt.Errorf("%s may be used by others (mode %04o); it must be its owner's alone: chmod 600 %s", path, mode, path)
	}
	// One byte more than allowed shows that the file is too long.
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && len(text) > maxBytes {
		err = fmt.Errorf("%s has more than %d bytes", path, maxBytes)
	}
	return text, err
}

// parse returns the secrets in the content of a file. It skips empty lines.
func parse(text []byte) ([][]byte, error) {
	var secrets [][]byte
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxBytes+1)
	for n := 1; lines.Scan(); n++ {
		// Padding is what tools such as base64 write. A line break of Windows is white space.
		line := strings.TrimRight(strings.TrimSpace(lines.Text()), "=")
		if line == "" {
			continue
		}
		b, err := base64.RawURLEncoding.Strict().DecodeString(line)
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d is not base64url", n)
		case len(b) < MinBytes:
			return nil, fmt.Errorf("line %d holds %d bytes; a secret has at least %d random ones", n, len(b), MinBytes)
		case len(secrets) == maxLines:
			return nil, fmt.Errorf("it has more than %d secrets", maxLines)
		}
		secrets = append(secrets, b)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(secrets) == 0 {
		return nil, errors.New("it holds no secret; remove it, and the server makes a new one")
	}
	return secrets, nil
}

// create creates a file with a new secret, unless one exists by then. The file gets its name
// when it is complete, so nobody reads a part of it.
func create(path string) (err error) {
	part, err := os.CreateTemp(filepath.Dir(path), ".secret-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(part.Name())) }()
	b := make([]byte, MinBytes)
	_, _ = rand.Read(b) // never fails
	_, err = fmt.Fprintln(part, base64.RawURLEncoding.EncodeToString(b))
	if err := errors.Join(err, part.Sync(), part.Close()); err != nil {
		return err
	}
	// A link fails where the name exists, so the process that comes first wins. A rename would
	// replace the secret that another process has begun to use.
	if err := os.Link(part.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// The name is on disk only when the directory is, and a secret that is lost after a crash makes
	// everything worthless that it has signed.
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
