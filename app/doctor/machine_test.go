package doctor

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vaak/app"
	"vaak/app/deployment"
	"vaak/app/threads"
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
	}{{app.FreeSpace - 1, 0, checkup.Failure}, {app.FreeSpace, app.FreeSpace + 1, checkup.Warning}, {reserve, reserve, checkup.OK}} {
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

func TestProcessesFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		most, used int
		speaks     bool
		want       checkup.State
	}{
		{55, 0, true, checkup.Failure}, {56, 0, true, checkup.Warning}, {1095, 0, true, checkup.Warning}, {1096, 0, true, checkup.OK},
		{1096, 1, true, checkup.Warning}, {35, 0, false, checkup.Failure}, {75, 0, false, checkup.Warning}, {76, 0, false, checkup.OK},
		{1000, 1000, true, checkup.Warning},
	} {
		f := processesFor([]threads.Limit{{Name: "the user", Most: tt.most, Used: tt.used}}, 2, tt.speaks)
		if f.State != tt.want || (f.Remedy == "") != (tt.want == checkup.OK) {
			t.Errorf("%d of %d: %+v, want %s", tt.used, tt.most, f, tt.want)
		}
	}
	if f := processesFor(nil, 2, true); f.State != checkup.OK {
		t.Errorf("without a limit: %+v", f)
	}
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
			if err := tt.make(filepath.Join(dir, deployment.Previews)); err != nil {
				t.Fatal(err)
			}
			p := New(Config{})
			p.Place.DataDir, p.Speech = dir, tt.services == "speech"
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
	if err := os.WriteFile(filepath.Join(dir, deployment.Secret), nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, deployment.Previews), 0); err != nil {
		t.Fatal(err)
	}
	p := New(Config{})
	p.Place.DataDir, p.Speech = dir, true
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
