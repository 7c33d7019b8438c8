package identity

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// errNoToken says that a file holds no setup token, or one that others might have read.
var errNoToken = errors.New("the file holds no setup token of its owner alone")

// readToken returns the setup token in a file; errNoToken when it holds none, and
// [fs.ErrNotExist] when there is no file.
func readToken(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would block
	if err != nil {
		return "", fmt.Errorf("read the setup token: %w", err)
	}
	defer f.Close() // read only
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("read the setup token: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("read the setup token: %s is not a file", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, 100))
	if err != nil {
		return "", fmt.Errorf("read the setup token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if info.Mode().Perm()&0o077 != 0 || !isToken(token) {
		return "", errNoToken
	}
	return token, nil
}

// makeToken returns the setup token in a file, and creates the file when it holds none. The
// file gets its name when it is complete. When several processes create it at once, one
// succeeds, and all return its token.
func makeToken(path string) (string, error) {
	token, err := readToken(path)
	switch {
	case errors.Is(err, errNoToken):
		if err := removeToken(path); err != nil {
			return "", err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return token, err
	}
	if err := writeToken(path, newToken()); err != nil {
		return "", fmt.Errorf("keep the setup token: %w", err)
	}
	return readToken(path)
}

func writeToken(path, token string) (err error) {
	part, err := os.CreateTemp(filepath.Dir(path), ".setup-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(part.Name())) }()
	_, err = fmt.Fprintln(part, token)
	if err := errors.Join(err, part.Sync(), part.Close()); err != nil {
		return err
	}
	// Link and not Rename: it fails when another process has made the file, and so never
	// replaces a token that was shown already.
	if err := os.Link(part.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// removeToken removes the file of the setup token, if it is there.
func removeToken(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the setup token: %w", err)
	}
	return nil
}
