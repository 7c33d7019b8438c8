package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/app/deployment"
	"vaak/catalogue"
	"vaak/store"
	"vaak/store/files"
)

// shelf is a data directory with a catalogue and its files.
type shelf struct {
	t     *testing.T
	place deployment.Place
	db    *store.Store
	files *files.Dir
}

// shelve opens the catalogue of a data directory, until the test ends or close.
func shelve(t *testing.T, dir string) *shelf {
	t.Helper()
	x := &shelf{t: t, place: deployment.Place{DataDir: dir}}
	var err error
	if x.db, err = x.place.Open(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.close)
	if x.files, err = files.New(files.Config{Dir: filepath.Join(dir, deployment.Files)}); err != nil {
		t.Fatal(err)
	}
	return x
}

func (x *shelf) close() {
	if err := x.db.Close(); err != nil {
		x.t.Error(err)
	}
}

// put puts the nth dataset with files of these contents.
func (x *shelf) put(n int, contents ...string) {
	x.t.Helper()
	ctx, slug := context.Background(), fmt.Sprint("dataset-", n)
	s, _, err := x.db.Catalogue().Dataset(ctx, slug)
	if err != nil {
		x.t.Error(err)
	}
	s.Dataset.ID, s.Dataset.Slug, s.Dataset.Status, s.Files = fmt.Sprintf("ds_%016d", n), slug, catalogue.Published, nil
	for i, content := range contents {
		f := catalogue.File{Name: fmt.Sprint("file", i)}
		if f.Key, f.SizeBytes, f.SHA256, err = x.files.Put(ctx, strings.NewReader(content)); err != nil {
			x.t.Error(err)
		}
		s.Files = append(s.Files, f)
	}
	if _, err := x.db.Catalogue().PutDataset(ctx, s); err != nil {
		x.t.Error(err)
	}
}

// contents reads every file that a dataset names.
func (x *shelf) contents() (all []string) {
	x.t.Helper()
	var keys []string
	err := x.db.Catalogue().EachFile(x.t.Context(), func(_ string, f catalogue.File) error {
		keys = append(keys, f.Key)
		return nil
	})
	if err != nil {
		x.t.Fatal(err)
	}
	for _, key := range keys {
		f, err := x.files.Open(x.t.Context(), key)
		if err != nil {
			x.t.Errorf("a file that a record names: %v", err)
			continue
		}
		b, err := io.ReadAll(f)
		if err := errors.Join(err, f.Close()); err != nil {
			x.t.Fatal(err)
		}
		all = append(all, string(b))
	}
	return all
}

func (x *shelf) backup(allowMissing bool) (file, said string, err error) {
	var out bytes.Buffer
	file = filepath.Join(x.t.TempDir(), "backup.tar.gz")
	c := Source{Place: x.place, File: file}
	if allowMissing {
		c.Missing = func(what string, why error) error {
			_, err := fmt.Fprintf(&out, "%s: %v", what, why)
			return err
		}
	}
	err = write(context.Background(), c)
	return file, out.String(), err
}

// restoreTo restores a file over or into a directory, and opens it.
func (x *shelf) restoreTo(dir, file string) *shelf {
	x.t.Helper()
	c := Target{Place: deployment.Place{DataDir: dir}, File: file, MaxBytes: 1 << 30, Force: true}
	if err := restore(context.Background(), c); err != nil {
		x.t.Fatalf("restore: %v", err)
	}
	return shelve(x.t, dir)
}

// TestBackupHoldsNamedFiles checks that a backup has the files that records name,
// once each, and no other of their directory; and that a restore over what is
// there leaves nothing beside them.
func TestBackupHoldsNamedFiles(t *testing.T) {
	t.Parallel()
	x := shelve(t, t.TempDir())
	x.put(1, "one", "shared")
	x.put(2, "shared", "two", "")
	x.put(3)
	x.put(4, "unnamed")
	x.put(4, "named")
	if err := os.WriteFile(filepath.Join(x.place.DataDir, deployment.Files, "parts", "put-1"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, _, err := x.backup(false)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprint([]string{"one", "shared", "shared", "two", "", "named"})
	y := x.restoreTo(filepath.Join(t.TempDir(), "new"), file)
	if got := fmt.Sprint(y.contents()); got != want {
		t.Errorf("restored files = %s, want %s", got, want)
	}
	kept := func(dir string) (n int) {
		for name := range filesIn(t, filepath.Join(dir, deployment.Files)) {
			if _, ok := files.Key(filepath.ToSlash(name)); ok {
				n++
			} else if name != "lock" {
				t.Errorf("%s is there beside the files", name)
			}
		}
		return n
	}
	if n := kept(y.place.DataDir); n != 5 {
		t.Errorf("%d files are restored, want 5", n)
	}
	y.close()
	z := x.restoreTo(y.place.DataDir, file)
	if got := fmt.Sprint(z.contents()); got != want || kept(z.place.DataDir) != 5 {
		t.Errorf("restored again: %s, want %s", got, want)
	}
}

// TestBackupOfLostFiles checks that a backup does not hide that a file is lost or
// damaged, and has the rest when that is asked for.
func TestBackupOfLostFiles(t *testing.T) {
	t.Parallel()
	for what, harm := range map[string]func(path string) error{
		"not there": os.Remove,
		"damaged":   func(path string) error { return os.WriteFile(path, []byte("lose"), 0o600) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			x := shelve(t, t.TempDir())
			x.put(1, "lost", "other")
			sum := sha256.Sum256([]byte("lost"))
			path, _ := files.Path("sha256/" + hex.EncodeToString(sum[:])) // it is a key
			if err := harm(filepath.Join(x.place.DataDir, deployment.Files, path)); err != nil {
				t.Fatal(err)
			}
			file, _, err := x.backup(false)
			if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "dataset-1") {
				t.Errorf("backup = %v, want an error that says it is %s", err, what)
			}
			if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("it leaves a file: %v", err)
			}
			file, said, err := x.backup(true)
			if err != nil || !strings.Contains(said, "file0 of dataset dataset-1") {
				t.Fatalf("backup --allow-missing = %v, and says %q", err, said)
			}
			c := Target{Place: deployment.Place{DataDir: filepath.Join(t.TempDir(), "new")}, File: file, MaxBytes: 1 << 30}
			if err := restore(t.Context(), c); err != nil {
				t.Errorf("restore: %v", err)
			}
		})
	}
}

// TestBackupWhileFilesChange backs up while records get other files and a sweep
// removes at once what no record names: each copy has what its records name.
func TestBackupWhileFilesChange(t *testing.T) {
	t.Parallel()
	x := shelve(t, t.TempDir())
	for n := range 20 {
		x.put(n, fmt.Sprint(n, " at first"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	busy.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			x.put(i%20, fmt.Sprint(i%20, " at ", i))
		}
	})
	busy.Go(func() {
		for ctx.Err() == nil {
			x.sweep()
		}
	})
	for i := range 3 {
		file, _, err := x.backup(false)
		if err != nil {
			t.Errorf("backup %d: %v", i, err)
			continue
		}
		y := x.restoreTo(filepath.Join(t.TempDir(), "new"), file)
		if got := y.contents(); len(got) != 20 {
			t.Errorf("backup %d has %d files, want 20", i, len(got))
		}
		y.close()
	}
	cancel()
	busy.Wait()
}

// sweep removes what no record names and is a moment old, which is longer here
// than it takes to write a record.
func (x *shelf) sweep() {
	named := map[string]bool{}
	err := x.db.Catalogue().EachFile(context.Background(), func(_ string, f catalogue.File) error {
		named[f.Key] = true
		return nil
	})
	if err == nil {
		_, err = x.files.Sweep(context.Background(), func(key string) bool { return named[key] }, time.Second)
	}
	if err != nil {
		x.t.Errorf("sweep: %v", err)
	}
}

// TestRestoreRefusesOtherContent: a file under the digest of another would be
// laid over a good one.
func TestRestoreRefusesOtherContent(t *testing.T) {
	t.Parallel()
	path, _ := files.Path("sha256/" + strings.Repeat("0", 64)) // it is a key
	c := Target{Place: deployment.Place{DataDir: filepath.Join(t.TempDir(), "new")}, MaxBytes: 1 << 20}
	c.File = archive(t, func(a *archiver) error {
		name := filesPrefix + deployment.Files + "/" + path
		sum := sha256.Sum256([]byte("x"))
		a.manifest.Members = []Member{{name, 1, hex.EncodeToString(sum[:])}}
		return errors.Join(
			a.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: 1}),
			func() error { _, err := a.tar.Write([]byte("x")); return err }(),
			a.close())
	})
	err := restore(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "does not hold what its name says") {
		t.Errorf("restore = %v, want an error that the file is another", err)
	}
	if left := filesIn(t, c.Place.DataDir); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}
