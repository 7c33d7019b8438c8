package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vaak/internal/checkup"
)

func TestCommandDoctorDataDirectory(t *testing.T) {
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

func TestCommandDoctorSecret(t *testing.T) {
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

// TestLengthyDoctorFullDisk looks at a disk that is small, then full, then read-only.
func TestLengthyDoctorFullDisk(t *testing.T) {
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
