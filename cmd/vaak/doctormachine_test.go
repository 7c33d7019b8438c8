package main

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"vaak/internal/checkup"
)

func TestDescriptorsFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		limit uint64
		cores int
		want  checkup.State
	}{
		{100, 1, checkup.Failure}, {255, 8, checkup.Failure}, {256, 1, checkup.Warning}, {1024, 2, checkup.Warning},
		{3255, 2, checkup.Warning}, {3256, 2, checkup.OK}, {3256, 3, checkup.Warning}, {math.MaxUint64, 256, checkup.OK},
	} {
		if f := descriptorsFor(tt.limit, tt.cores); f.State != tt.want {
			t.Errorf("%d files on %d processors: %+v, want %s", tt.limit, tt.cores, f, tt.want)
		}
	}
}

func TestRoomAndInodes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		free, wanted int64
		want         checkup.State
	}{{freeSpace - 1, 0, checkup.Failure}, {freeSpace, freeSpace + 1, checkup.Warning}, {reserve, reserve, checkup.OK}} {
		if f := roomFinding("/x", tt.free, tt.wanted); f.State != tt.want {
			t.Errorf("%d bytes of %d: %+v, want %s", tt.free, tt.wanted, f, tt.want)
		}
	}
	for _, tt := range []struct {
		all, free uint64
		want      checkup.State
	}{{0, 0, checkup.OK}, {1e6, 99, checkup.Failure}, {1e6, fewInodes - 1, checkup.Warning}, {1e6, fewInodes, checkup.OK}} {
		if f := inodeFinding(tt.all, tt.free); f.State != tt.want {
			t.Errorf("%d of %d inodes: %+v, want %s", tt.free, tt.all, f, tt.want)
		}
	}
}

func TestDoctorDataDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path  string
		want  checkup.State
		found string
	}{
		{file, checkup.Failure, "is not a directory"},
		{filepath.Join(file, "var"), checkup.Failure, "not a directory"},
		{open, checkup.Warning, "mode 0777"},
	} {
		examine(t, tt.path, "--secret", filepath.Join(dir, "secret"), "--database", "sqlite:"+filepath.Join(dir, "vaak.db")).
			expect("data", tt.want, tt.found)
	}
}

func TestDoctorSecret(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("c2VjcmV0LXNlY3JldA", 4)[:64]
	for _, tt := range []struct {
		name, text string
		mode       os.FileMode
		want       checkup.State
		found      string
	}{
		{"good", good, 0o600, checkup.OK, "secret$"},
		{"open to others", good, 0o640, checkup.Failure, "mode 0640"},
		{"too short", "c2hvcnQ", 0o600, checkup.Failure, "line 1 holds 5 bytes"},
		{"no base64", "hunter2 hunter2", 0o600, checkup.Failure, "line 1 is not base64url"},
		{"empty", "", 0o600, checkup.Failure, "no secret"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "secret"), []byte(tt.text), tt.mode); err != nil {
				t.Fatal(err)
			}
			unchanged(t, dir, func() {
				e := examine(t, dir).only("secret").expect("secret", tt.want, tt.found)
				if tt.text != "" && strings.Contains(e.raw, tt.text) {
					t.Errorf("the report holds the secret: %s", e.raw)
				}
			})
		})
	}
	t.Run("its directory is missing", func(t *testing.T) {
		t.Parallel()
		examine(t, t.TempDir(), "--secret", "/nowhere/secret").only("secret").expect("secret", checkup.Failure, "cannot be made")
	})
}

// TestDoctorPreviewsDirectory has something in the place of the previews, which only a
// server that speaks keeps.
func TestDoctorPreviewsDirectory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, services string
		make           func(dir string) error
		want           checkup.State
		found          string
	}{
		{"a directory", "speech", func(dir string) error { return os.Mkdir(dir, 0o700) }, checkup.OK, "mode 0"},
		{"a file", "speech", func(dir string) error { return os.WriteFile(dir, nil, 0o600) }, checkup.Warning, "previews is not a directory"},
		{"a loop", "speech", func(dir string) error { return os.Symlink(dir, dir) }, checkup.Warning, "previews cannot be used"},
		{"of no service", "catalogue", func(dir string) error { return os.WriteFile(dir, nil, 0o600) }, checkup.OK, "mode 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := tt.make(filepath.Join(dir, previewsDir)); err != nil {
				t.Fatal(err)
			}
			p := &patient{}
			p.DataDir, p.Services = dir, []string{tt.services}
			if f := p.data(t.Context()); f.State != tt.want || !strings.Contains(f.Found, tt.found) || (f.Remedy == "") != (tt.want == checkup.OK) {
				t.Errorf("%+v, want %s with %q", f, tt.want, tt.found)
			}
		})
	}
}

// TestDoctorWithoutRights looks at what nobody but root may use, as somebody else.
func TestDoctorWithoutRights(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, secretFile), nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, previewsDir), 0); err != nil {
		t.Fatal(err)
	}
	p := &patient{}
	p.DataDir, p.Services = dir, []string{speechService}
	found := make(chan []checkup.Finding)
	go func() {
		if os.Geteuid() == 0 {
			runtime.LockOSThread() // the thread ends with this goroutine
			_ = unix.Setfsuid(65534)
		}
		found <- append(p.previews(), p.secret(t.Context()))
	}()
	for i, f := range <-found {
		if want := []checkup.State{checkup.Warning, checkup.Failure}[i]; f.State != want || f.Remedy != ownerRemedy || !strings.Contains(f.Found, "permission denied") {
			t.Errorf("%+v, want a %s that the owner mends", f, want)
		}
	}
}

// TestDoctorFullDisk looks at a disk that is small, then full, then read-only.
func TestDoctorFullDisk(t *testing.T) {
	onSmallDisk(t, func(t *testing.T, dir string) {
		examine(t, dir).expect("disk", checkup.Warning, "free at "+dir)
		fillWith(t, filepath.Join(dir, "filler"), 1<<20)
		e := examine(t, dir).expect("disk", checkup.Failure, "free at "+dir)
		if !strings.Contains(e.result("disk").Remedy, "Make room") {
			t.Errorf("the remedy is %q", e.result("disk").Remedy)
		}
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=80m"); err != nil {
			t.Fatal(err)
		}
		examine(t, dir).expect("data", checkup.Failure, "read-only").expect("store", checkup.Failure, "read-only")
		examine(t, filepath.Join(dir, "var")).expect("data", checkup.Failure, "cannot be made.*read-only")
	})
}
