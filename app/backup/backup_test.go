package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/app/deployment"
)

// till is a data directory with an organisation that spends.
type till struct {
	t      *testing.T
	place  deployment.Place
	org    string
	caller account.Caller
}

func newTill(t *testing.T) till {
	t.Helper()
	x := till{t: t, place: deployment.Place{DataDir: t.TempDir()}}
	x.with(func(a *account.Service) {
		org, err := a.CreateOrganisation(t.Context(), "Test", "scale")
		if err != nil {
			t.Fatal(err)
		}
		secret, _, err := a.CreateKey(t.Context(), org.ID, account.KeyRequest{Label: "test"})
		if err != nil {
			t.Fatal(err)
		}
		x.org = org.ID
		if x.caller, err = a.Authenticate(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
	})
	return x
}

// with opens the accounts for do.
func (x till) with(do func(*account.Service)) {
	x.t.Helper()
	log := slog.New(slog.NewTextHandler(x.t.Output(), nil))
	db, err := x.place.Open(context.Background(), log)
	if err != nil {
		x.t.Fatal(err)
	}
	a, err := account.New(account.Config{Store: db, Logger: log})
	if err != nil {
		x.t.Fatal(errors.Join(err, db.Close()))
	}
	do(a)
	if err := errors.Join(a.Close(context.Background()), db.Close()); err != nil {
		x.t.Fatal(err)
	}
}

// slow skips a test that takes long, when only a little testing is wanted.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long: go test without -short runs it")
	}
}

// write backs up without a log.
func write(ctx context.Context, c Source) error {
	c.Log = slog.New(slog.DiscardHandler)
	_, _, err := Write(ctx, c)
	return err
}

// restore is [Restore] without the manifest.
func restore(ctx context.Context, c Target) error {
	_, _, err := Restore(ctx, c)
	return err
}

// spend speaks n times.
func (x till) spend(a *account.Service, n int) {
	for range n {
		h, err := a.Reserve(context.Background(), x.caller, 100)
		if err != nil {
			x.t.Errorf("Reserve: %v", err)
			return
		}
		err = h.Commit(context.Background(), account.Receipt{Characters: 60, Audio: time.Second, Voice: "v", Language: "en"})
		if err != nil {
			x.t.Errorf("Commit: %v", err)
		}
	}
}

// report returns how the organisation stands, after an audit.
func (x till) report() (r account.Report) {
	x.t.Helper()
	x.with(func(a *account.Service) {
		audit, err := a.Audit(x.t.Context())
		if err != nil || !audit.Sound() {
			x.t.Fatalf("Audit = %v, %v", audit.Faults, err)
		}
		if r, err = a.Report(x.t.Context(), x.org); err != nil {
			x.t.Fatal(err)
		}
	})
	return r
}

func (x till) backup() string {
	x.t.Helper()
	file := filepath.Join(x.t.TempDir(), "backup.tar.gz")
	err := write(context.Background(), Source{Place: x.place, File: file})
	if err != nil {
		x.t.Fatalf("backup: %v", err)
	}
	return file
}

// restored restores a file into a new directory.
func (x till) restored(file string) (till, error) {
	x.place.DataDir = filepath.Join(x.t.TempDir(), "new")
	return x, restore(context.Background(), Target{Place: x.place, File: file, MaxBytes: 1 << 30})
}

// TestLengthyBackupWhileOthersWrite backs up while characters are spent: each copy is a
// state that there was, and the last one the state that is.
func TestLengthyBackupWhileOthersWrite(t *testing.T) {
	slow(t)
	t.Parallel()
	x := newTill(t)
	var files []string
	x.with(func(a *account.Service) {
		var stop atomic.Bool
		var writers sync.WaitGroup
		for range 4 {
			writers.Go(func() {
				for !stop.Load() {
					x.spend(a, 1)
				}
			})
		}
		for range 5 {
			files = append(files, x.backup())
		}
		stop.Store(true)
		writers.Wait()
	})
	files = append(files, x.backup())
	before := int64(-1)
	for i, file := range files {
		r, err := x.restored(file)
		if err != nil {
			t.Fatalf("restore %d: %v", i, err)
		}
		got := r.report()
		spent := got.Balance.Granted - got.Balance.Remaining
		if got.Characters < before || spent < got.Characters || spent > got.Characters+4*100 {
			t.Errorf("copy %d has %d characters spoken and %d spent, after one with %d", i, got.Characters, spent, before)
		}
		before = got.Characters
		if i == len(files)-1 {
			if diff := cmp.Diff(x.report(), got); diff != "" {
				t.Errorf("the last copy differs (-there +restored):\n%s", diff)
			}
		}
	}
	if before == 0 {
		t.Error("nothing was spent")
	}
}

func TestBackupHoldsFiles(t *testing.T) {
	t.Parallel()
	x := newTill(t)
	for name, text := range map[string]string{
		"notes": "s", "sub/dir/file": "f", "sub/secret": "t", "secret": "-", "sub/.secret-123": "-", "clips/clip_a": "-", "cache/a": "-", "previews/b": "-", "answers/a": "-", "charges/charges-1.log": "-", ".restore-1/c": "-", "old.before-restore-1": "-",
	} {
		path := filepath.Join(x.place.DataDir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(x.place.DataDir, "link")); err != nil {
		t.Fatal(err)
	}
	r, err := x.restored(x.backup())
	if err != nil {
		t.Fatal(err)
	}
	got := filesIn(t, r.place.DataDir)
	delete(got, "vaak.db")
	if diff := cmp.Diff(map[string]string{"notes": "s", "sub/dir/file": "f", "sub/secret": "t"}, got); diff != "" {
		t.Errorf("restored files (-want +got):\n%s", diff)
	}
}

// TestKilledBackups: what a backup left that was killed goes days later, and nothing else does.
func TestKilledBackups(t *testing.T) {
	t.Parallel()
	x := newTill(t)
	to := t.TempDir()
	for name, age := range map[string]time.Duration{".backup-old": 72 * time.Hour, ".backup-young": time.Hour, "backup-other": 72 * time.Hour} {
		dir, at := filepath.Join(to, name), time.Now().Add(-age)
		if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "vaak.db"), nil, 0o600), os.Chtimes(dir, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(t.Context(), Source{Place: x.place, File: filepath.Join(to, "archive")}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(to)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{".backup-young", "archive", "backup-other"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("there are %q, %v, want %q", names, err, want)
	}
}

// TestBackupOfADeepFile: what could not be restored is not backed up without a word.
func TestBackupOfADeepFile(t *testing.T) {
	t.Parallel()
	x := newTill(t)
	deep := filepath.Join(x.place.DataDir, strings.Repeat("a/", 32))
	if err := errors.Join(os.MkdirAll(deep, 0o700), os.WriteFile(filepath.Join(deep, "b"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := x.restored(x.backup()); err != nil {
		t.Errorf("restore with a path of 32 directories: %v", err)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(deep, "c"), 0o700), os.WriteFile(filepath.Join(deep, "c", "d"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	err := write(t.Context(), Source{Place: x.place, File: filepath.Join(t.TempDir(), "deep")})
	if err == nil || !strings.Contains(err.Error(), "at most 32 directories") {
		t.Errorf("backup with a path of 33 directories = %v, want an error that says how many are taken", err)
	}
}

// TestBackupLeavesTheSecret: a secret of another name, by which it is known or that a
// link has, is in no backup, wherever it lies.
func TestBackupLeavesTheSecret(t *testing.T) {
	t.Parallel()
	for name, secret := range map[string]func(dir string) string{
		"its own name": func(dir string) string { return filepath.Join(dir, "keys", "signing") },
		"of a link":    func(dir string) string { return filepath.Join(dir, "link") },
	} {
		x := newTill(t)
		dir := x.place.DataDir
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "keys"), 0o700), os.Symlink("keys/signing", filepath.Join(dir, "link")),
			os.WriteFile(filepath.Join(dir, "keys", "signing"), []byte("-"), 0o600),
			os.WriteFile(filepath.Join(dir, "keys", "other"), []byte("o"), 0o600)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "backup.tar.gz")
		place := x.place
		place.Secret = secret(dir)
		if err := write(t.Context(), Source{Place: place, File: file}); err != nil {
			t.Fatal(err)
		}
		r, err := x.restored(file)
		if err != nil {
			t.Fatal(err)
		}
		got := filesIn(t, r.place.DataDir)
		delete(got, "vaak.db")
		if diff := cmp.Diff(map[string]string{"keys/other": "o"}, got); diff != "" {
			t.Errorf("%s: restored files (-want +got):\n%s", name, diff)
		}
	}
}

// filesIn returns the content of all files below a directory.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestLengthyRestoreRefusesDamage cuts an archive short everywhere and flips its bits:
// it is refused and leaves nothing, or is restored as it was.
func TestLengthyRestoreRefusesDamage(t *testing.T) {
	slow(t)
	t.Parallel()
	x := newTill(t)
	good, err := os.ReadFile(x.backup())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "damaged")
	try := func(what string, b []byte, mayPass bool) {
		t.Helper()
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := x.restored(file)
		if err == nil && !mayPass {
			t.Errorf("%s: it was restored", what)
		}
		if left := filesIn(t, r.place.DataDir); err != nil && len(left) > 0 {
			t.Errorf("%s: %v, and leaves %d files", what, err, len(left))
		}
		if err := os.RemoveAll(r.place.DataDir); err != nil {
			t.Fatal(err)
		}
	}
	step := max(len(good)/150, 1)
	for n := 0; n < len(good); n += step {
		try("cut to a length", good[:n], false)
	}
	for _, n := range []int{len(good) - 1, len(good) - 8, len(good) - 9} {
		try("cut at the end", good[:n], false)
	}
	const header = 10 // of gzip: it has a time and flags that change nothing
	for n := 0; n < len(good); n += step {
		b := bytes.Clone(good)
		b[n] ^= 1 << (n % 8)
		try("a bit flipped", b, n < header || bytes.Equal(unzipped(b), unzipped(good)))
	}
	try("something behind", append(bytes.Clone(good), 'x'), false)
}

// unzipped returns what gzip finds in b, nil when that is damaged: a stream of
// gzip has bits that nothing reads.
func unzipped(b []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	all, err := io.ReadAll(z)
	if err != nil {
		return nil
	}
	return all
}

// archive returns an archive that change has filled.
func archive(t *testing.T, change func(*archiver) error) string {
	t.Helper()
	var b bytes.Buffer
	a := newArchiver(&b, "test", 2, time.Now())
	if err := errors.Join(change(a), a.tar.Close(), a.zip.Close()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "made")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRestoreRefusesMadeUpArchives(t *testing.T) {
	t.Parallel()
	plain := func(name string) func(*archiver) error {
		return func(a *archiver) error { return a.write(name, 1, strings.NewReader("x")) }
	}
	for _, tt := range []struct {
		name   string
		change func(*archiver) error
		want   string
	}{
		{"nothing in it", func(*archiver) error { return nil }, "no manifest"},
		{"a path upwards", plain("files/../../evil"), "no path"},
		{"an absolute path", plain("/etc/evil"), "no path"},
		{"an absolute path below", plain("files//etc/evil"), "no path"},
		{"a path that is not plain", plain("files/a/./b"), "no path"},
		{"a backslash", plain(`files/a\b`), "no path"},
		{"the directory itself", plain("files/."), "no path"},
		{"the database as a file", plain("files/vaak.db"), "name of the database"},
		{"its log as a file", plain("files/vaak.db-wal"), "name of the database"},
		{"its bell as a file", plain("files/vaak.db-bell"), "name of the database"},
		{"a long path", plain("files/" + strings.Repeat("a/", 600) + "b"), "no path"},
		{"a link", func(a *archiver) error {
			return a.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "files/a", Linkname: "/etc"})
		}, "no plain file"},
		{"the secret", plain("files/secret"), "holds the secret"},
		{"the secret in another case", plain("files/Secret"), "holds the secret"},
		{"the secret of the flag", plain("files/keys/signing"), "holds the secret"},
		{"what is made while a secret is", plain("files/.secret-1"), "leaves out"},
		{"the cache", plain("files/cache/a"), "leaves out"},
		{"clips, in another case", plain("files/Clips/clip_a"), "leaves out"},
		{"previews", plain("files/previews/a"), "leaves out"},
		{"what a restore has replaced", plain("files/vaak.db" + beforeRestore + "1"), "leaves out"},
		{"a half of another backup", plain("files/sub/.backup-1/archive"), "leaves out"},
		{"a file of a dataset by another name", plain("files/files/evil.html"), "its SHA-256"},
		{"another file beside those", plain("files/FILES"), "its SHA-256"},
		{"a deep path", plain("files/" + strings.Repeat("a/", 33) + "b"), "33 directories, and 32 are the most"},
		{"somebody's archive", plain("etc/passwd"), `not an archive that vaak backup wrote: "etc/passwd"`},
		{"twice the same", func(a *archiver) error { return errors.Join(plain("files/a")(a), plain("files/a")(a)) }, "exists"},
		{"a file for a directory", func(a *archiver) error { return errors.Join(plain("files/a")(a), plain("files/a/b")(a)) }, "file exists"},
		{"too much", func(a *archiver) error { return a.write("files/a", 2<<20, bytes.NewReader(make([]byte, 2<<20))) }, "--max-bytes"},
		{"no database", (*archiver).close, "no database"},
		{"another format", plain(manifestMember), "manifest"},
		{"zeroes without end", func(a *archiver) error {
			err := plain(manifestMember)(a)
			err = errors.Join(err, a.tar.Close())
			_, more := a.zip.Write(make([]byte, 3<<20))
			return errors.Join(err, more)
		}, "zeroes follow its end"},
		{"more behind the manifest", func(a *archiver) error { return errors.Join(plain(manifestMember)(a), plain("files/a")(a)) }, "follows the manifest"},
		{"a database that is none", func(a *archiver) error {
			a.manifest.Members = []Member{{"vaak.db", 1, "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}}
			err := plain("vaak.db")(a)
			return errors.Join(err, a.close())
		}, "database"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := Target{Place: deployment.Place{DataDir: filepath.Join(t.TempDir(), "new")}, MaxBytes: 1 << 20}
			c.Place.Secret = filepath.Join(c.Place.DataDir, "keys", "signing")
			c.File = archive(t, tt.change)
			err := restore(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("restore = %v, want an error with %q", err, tt.want)
			}
			if left := filesIn(t, c.Place.DataDir); len(left) > 0 {
				t.Errorf("it leaves %v", left)
			}
		})
	}
}

func TestRestoreSparesWhatIsThere(t *testing.T) {
	t.Parallel()
	x := newTill(t)
	file := x.backup()
	x.with(func(a *account.Service) { x.spend(a, 3) })
	spent := x.report().Characters
	c := Target{Place: x.place, File: file, MaxBytes: 1 << 30}
	if err := restore(t.Context(), c); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("restore over a database = %v, want one that names --force", err)
	}
	c.Force = true
	x.with(func(*account.Service) {
		if err := restore(t.Context(), c); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("restore under a process = %v, want one that it is in use", err)
		}
	})
	if got := x.report().Characters; got != spent {
		t.Fatalf("refused restores changed %d characters to %d", spent, got)
	}
	if err := restore(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := x.report().Characters; got != 0 {
		t.Errorf("after restore %d characters are spoken, want 0", got)
	}
	kept, err := filepath.Glob(filepath.Join(x.place.DataDir, "vaak.db"+beforeRestore+"*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept = %v, %v; want the database that was replaced", kept, err)
	}
	x.place.Database = "sqlite:" + kept[0]
	if got := x.report().Characters; got != spent {
		t.Errorf("the database that was replaced has %d characters, want %d", got, spent)
	}
}

// TestArchiveIsOrdinary: people look into a backup with tar.
func TestArchiveIsOrdinary(t *testing.T) {
	t.Parallel()
	f, err := os.Open(newTill(t).backup())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(zip); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
	if diff := cmp.Diff([]string{"vaak.db", "manifest.json"}, names); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
}
