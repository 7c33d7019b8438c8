package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestCreateFileBehindLinks: a link stays one, and what it leads to is written, also
// when that is not there yet.
func TestCreateFileBehindLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"near": "new.wav", "far": filepath.Join(dir, "a", "far.wav"), "twice": "near2", "near2": "a/twice.wav",
		"deep": "a/b", "up": "deep/../up.wav", "nowhere": "none/x.wav", "round": "around", "around": "round",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for link, want := range map[string]string{"near": "new.wav", "far": "a/far.wav", "twice": "a/twice.wav", "up": "a/up.wav", "deep/x": "a/b/x"} {
		f, err := createFile(t.Context(), filepath.Join(dir, link))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("new"); err != nil {
			t.Fatal(err)
		}
		if err := f.end(true); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, want)); err != nil || string(got) != "new" {
			t.Errorf("%s: %s has %q, %v", link, want, got, err)
		}
		if info, err := os.Lstat(filepath.Join(dir, link)); link != "deep/x" && (err != nil || info.Mode()&fs.ModeSymlink == 0) {
			t.Errorf("%s is %v, %v now, want a link", link, info, err)
		}
	}
	for link, want := range map[string]error{"nowhere": fs.ErrNotExist, "round": unix.ELOOP} {
		if f, err := createFile(t.Context(), filepath.Join(dir, link)); !errors.Is(err, want) || !strings.Contains(err.Error(), filepath.Join(dir, link)) {
			t.Errorf("createFile(%s) = %v, %v; want %v", link, f, err, want)
		}
	}
}

// TestCreateFileWhereNoneCanBeMade: who may write the file but make none beside it is
// told which directory that is, and what to do.
func TestCreateFileWhereNoneCanBeMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.wav")
	if err := errors.Join(os.WriteFile(path, []byte("older"), 0o600), os.Chmod(path, 0o666), os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error)
	go func() {
		// A thread of its own, which ends with this goroutine, is not root's.
		runtime.LockOSThread()
		if os.Getuid() == 0 {
			_, _ = unix.SetfsuidRetUid(65534)
		}
		_, err := createFile(t.Context(), path)
		failed <- err
	}()
	err := <-failed
	if err == nil || !strings.Contains(err.Error(), "in its directory, "+dir+";") || !strings.Contains(err.Error(), "redirect") {
		t.Errorf("createFile = %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "older" {
		t.Errorf("the file has %q, %v", got, err)
	}
}
