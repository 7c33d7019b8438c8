package seal

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func line(b byte) string { return base64.RawURLEncoding.EncodeToString(secretOf(b)) }

// TestOpenMakes: the file is made for its owner alone, and is the same the next time.
func TestOpenMakes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret")
	first, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode = %v, %v; want 0600", info.Mode(), err)
	}
	second, err := Open(path)
	if err != nil || !second.For("x").Verify(first.For("x").Sign("a"), "a") {
		t.Errorf("the second Open has another secret (%v)", err)
	}
	if names, err := os.ReadDir(filepath.Dir(path)); len(names) != 1 || err != nil {
		t.Errorf("files = %v, %v; want the secret alone", names, err)
	}
	other, err := Open(path + "2")
	if err != nil || other.For("x").Verify(first.For("x").Sign("a"), "a") {
		t.Errorf("another file has the same secret (%v)", err)
	}
}

// TestOpenAtOnce has many find no file.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret")
	var all sync.WaitGroup
	signatures := make([]string, 16)
	begin := make(chan struct{})
	for i := range signatures {
		all.Go(func() {
			<-begin
			s, err := Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			signatures[i] = s.For("x").Sign("a")
		})
	}
	close(begin)
	all.Wait()
	for _, s := range signatures {
		if s != signatures[0] || s == "" {
			t.Fatalf("signatures = %q, want all the same", signatures)
		}
	}
	if names, err := os.ReadDir(filepath.Dir(path)); len(names) != 1 || err != nil {
		t.Errorf("files = %v, %v; want the secret alone", names, err)
	}
}

func TestOpenReads(t *testing.T) {
	t.Parallel()
	signature := New(secretOf(1)).For("x").Sign("a")
	padded := base64.URLEncoding.EncodeToString(secretOf(1))
	for _, tt := range []struct {
		name, text string
		mode       fs.FileMode
		want       string // in the error; "" is none
	}{
		{"one line", line(1), 0o600, ""},
		{"padded, ends of lines of another system", "\r\n" + padded + "\r\n", 0o600, ""},
		{"several lines", line(2) + "\n" + line(1) + "\n\n" + line(3), 0o400, ""},
		{"readable by the group", line(1), 0o640, "chmod 600"},
		{"readable by all", line(1), 0o604, "mode 0604"},
		{"writable by all", line(1), 0o602, "mode 0602"},
		{"empty", "", 0o600, "no secret"},
		{"white space", " \n\n", 0o600, "no secret"},
		{"short", line(1) + "\n" + line(2)[:40], 0o600, "line 2 holds 30 bytes; a secret has at least 32"},
		{"broken", line(1) + "\n!" + line(2), 0o600, "line 2 is not base64url"},
		{"bits to spare", line(1)[:42] + "B", 0o600, "line 1 is not base64url"},
		{"too many", strings.Repeat(line(1)+"\n", 17), 0o600, "more than 16"},
		{"too large", strings.Repeat("\n", 1<<20), 0o600, "more than 16384 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			s, err := Open(path)
			if tt.want == "" {
				if err != nil || !s.For("x").Verify(signature, "a") {
					t.Errorf("Open = %v, and it does not verify what the secret signed", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
				t.Fatalf("Open = %v, want one with %q and the file", err, tt.want)
			}
			if strings.Contains(err.Error(), line(2)[:10]) {
				t.Errorf("Open = %v, which shows the secret", err)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", dir, pipe, "/dev/zero", filepath.Join(dir, "none", "secret")} {
		if _, err := Open(path); err == nil {
			t.Errorf("Open(%q) is no error", path)
		}
	}
}

// FuzzParse: whatever a file holds, there are good secrets or an error.
func FuzzParse(f *testing.F) {
	f.Add([]byte(line(1)))
	f.Add([]byte(line(1) + "\n\r\n" + line(2) + "=\n"))
	f.Add([]byte("\xff\n=\n===="))
	f.Fuzz(func(t *testing.T, text []byte) {
		secrets, err := parse(text)
		if (err == nil) != (len(secrets) > 0) || len(secrets) > maxLines {
			t.Fatalf("parse(%q) = %d secrets, %v", text, len(secrets), err)
		}
		for _, s := range secrets {
			if len(s) < MinBytes {
				t.Errorf("parse(%q) has a secret of %d bytes", text, len(s))
			}
		}
	})
}

// TestReadMakesNothing: who only looks leaves no file.
func TestReadMakesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret")
	if _, err := Read(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read = %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Read there is a file: %v", err)
	}
	made, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	same, err := Read(path)
	if err != nil || !same.For("x").Verify(made.For("x").Sign("a"), "a") {
		t.Errorf("Read has another secret (%v)", err)
	}
}
