package files_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"vaak/store/files"
	"vaak/store/files/filestest"
)

// kept is a directory whose path the tests know.
type kept struct {
	*files.Dir
	path string
}

func (k kept) at(t *testing.T, key string) string {
	path, ok := files.Path(key)
	if !ok {
		t.Fatalf("%q is no key", key)
	}
	return filepath.Join(k.path, filepath.FromSlash(path))
}

func TestSuite(t *testing.T) {
	filestest.Run(t, filestest.Harness{
		Open: func(t *testing.T) (files.Store, files.Store) {
			path := filepath.Join(t.TempDir(), "files")
			var both [2]*files.Dir
			for i := range both {
				d, err := files.New(files.Config{Dir: path})
				if err != nil {
					t.Fatal(err)
				}
				both[i] = d
			}
			return kept{both[0], path}, both[1]
		},
		Age: func(t *testing.T, s files.Store, key string, by time.Duration) {
			at := time.Now().Add(-by)
			if err := os.Chtimes(s.(kept).at(t, key), at, at); err != nil {
				t.Fatal(err)
			}
		},
		Damage: func(t *testing.T, s files.Store, key string) {
			damage(t, s.(kept).at(t, key))
		},
	})
}

func damage(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
