package blob_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"vaak/internal/blob"
	"vaak/internal/blob/blobtest"
)

func TestSuite(t *testing.T) {
	blobtest.Run(t, blobtest.Harness{Open: func(t *testing.T, head int) (blob.Store, blob.Store) {
		c := blob.DirConfig{Path: filepath.Join(t.TempDir(), "made", "when needed"), Head: head}
		return blob.NewDir(c), blob.NewDir(c)
	}})
}

// TestHostileDirectory: nothing but a regular file is a blob.
func TestHostileDirectory(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := blob.NewDir(blob.DirConfig{Path: dir})
	for name, do := range map[string]func(path string) error{
		"link":      func(path string) error { return os.Symlink(outside, path) },
		"loop":      func(path string) error { return os.Symlink(path, path) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		if err := do(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Open(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open of a %s = %v, want fs.ErrNotExist", name, err)
		}
	}
	if all := blobtest.Names(t, s); len(all) > 0 {
		t.Errorf("blobs are %q, want none", all)
	}
}

// TestTidy removes what killed processes have left, and nothing else.
func TestTidy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := blob.NewDir(blob.DirConfig{Path: dir, Drafts: ".draft-"})
	var left []blob.Draft
	for range 2 {
		d, err := s.Create(t.Context(), "blob")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Discard()
		left = append(left, d)
	}
	files, err := filepath.Glob(filepath.Join(dir, ".draft-*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("the drafts are %q, %v", files, err)
	}
	long := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{"blob", ".other"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{files[0], filepath.Join(dir, "blob"), filepath.Join(dir, ".other")} {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Tidy(time.Hour); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("left are %v, %v, want all but the old draft", entries, err)
	}
	// One of them was only slow after all.
	failed := 0
	for _, d := range left {
		if err := d.Commit(""); err != nil {
			failed++
		}
	}
	if failed != 1 {
		t.Errorf("%d of the drafts cannot be kept, want the one that was removed", failed)
	}
}
