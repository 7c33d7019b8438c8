package cache

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestOpenRemovesOnlyItsOwn has Open find leftovers among the files of others.
func TestOpenRemovesOnlyItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := entryName(key(1))
	whole := string(entry(key(1), []byte("body"), []byte("head")))
	files := map[string]string{
		name:                                  whole,
		entryName(key(2)):                     whole[:footerSize-1],
		entryName(key(3)):                     "",
		draftName(key(1), 7):                  whole,
		draftName(key(9), 0):                  "",
		strings.ToUpper(entryName(Key{0xab})): "upper case",
		name + ".7":                           "no suffix",
		name + ".07.draft":                    "leading zero",
		name + ".x.draft":                     "no number",
		name + ".draft":                       "no number",
		name[1:]:                              "short",
		name + "00":                           "long",
		strings.Repeat("z", 64):               "not hex",
		"vaak.db":                             "a database",
		".hidden":                             "",
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	odd := entryName(key(4)) // a directory that is named like an entry
	if err := os.Mkdir(filepath.Join(dir, odd), 0o700); err != nil {
		t.Fatal(err)
	}
	link := entryName(key(5))
	if err := os.Symlink(name, filepath.Join(dir, link)); err != nil {
		t.Fatal(err)
	}
	c := open(t, Config{Dir: dir, MaxBytes: 1 << 20})
	for _, name := range []string{entryName(key(2)), entryName(key(3)), draftName(key(1), 7), draftName(key(9), 0)} {
		delete(files, name)
	}
	want := append(slices.Collect(maps.Keys(files)), odd, link, lockName)
	slices.Sort(want)
	if diff := cmp.Diff(want, names(t, dir)); diff != "" {
		t.Errorf("files after Open (-want +got):\n%s", diff)
	}
	if s := c.Stats(); s.Entries != 1 || s.Bytes != blockSize {
		t.Errorf("Stats = %+v, want one entry", s)
	}
	for _, k := range []Key{key(4), key(5)} {
		if _, ok := c.Get(k); ok {
			t.Errorf("Get(%x) found what is not an entry", k[:8])
		}
	}
}

// names returns the names of the files in a directory, sorted.
func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

// TestSmallerRoom opens a directory that holds more than it may.
func TestSmallerRoom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := open(t, Config{Dir: dir, MaxBytes: 1 << 20})
	const n = 20
	for i := range n {
		if err := put(c, key(i), body(key(i), 9000), 9000); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(int64(1_000_000+(i*7)%n), 0)
		if err := os.Chtimes(c.path(entryName(key(i))), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = open(t, Config{Dir: dir, MaxBytes: 5*blocks(9000) + 4000})
	if s := c.Stats(); s.Entries != 5 || s.Evictions != n-5 {
		t.Errorf("Stats = %+v, want 5 entries", s)
	}
	for i := range n {
		ok, err := check(c, key(i), body(key(i), 9000))
		if err != nil {
			t.Error(err)
		}
		if want := (i*7)%n >= n-5; ok != want {
			t.Errorf("entry used at %d is there: %v, want %v", (i*7)%n, ok, want)
		}
	}
	if err := tidy(c); err != nil {
		t.Error(err)
	}
}
