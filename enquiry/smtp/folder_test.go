package smtp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/enquiry"
)

func folder(t testing.TB, dir string) *Folder {
	t.Helper()
	f, err := NewFolder(dir)
	if err != nil {
		t.Fatalf("NewFolder: %v", err)
	}
	return f
}

// names lists a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "mail")
	f := folder(t, dir)
	m := sample()
	other := sample()
	other.ID, other.Text = "mail_2", "two\n"
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := f.Send(t.Context(), m); err != nil {
				t.Errorf("Send: %v", err)
			}
		})
	}
	wg.Wait()
	first, err := os.ReadFile(filepath.Join(dir, m.ID+".eml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Send(t.Context(), m), f.Send(t.Context(), other)); err != nil {
		t.Fatalf("Send: %v", err)
	}
	again, err := os.ReadFile(filepath.Join(dir, m.ID+".eml"))
	if err != nil || string(again) != string(first) {
		t.Errorf("the same mail again is another file: %v", err)
	}
	checkLetter(t, m, letter{From: m.From, To: []string{m.To}, Data: string(first)})
	if diff := cmp.Diff([]string{m.ID + ".eml", "mail_2.eml"}, names(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, filepath.Join(dir, "mail_2.eml"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("mode of %s = %v, %v, want %v", filepath.Base(path), info.Mode(), err, want)
		}
	}
}

// TestFolderNames checks that an ID leads to no file but one in the directory.
func TestFolderNames(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	f := folder(t, filepath.Join(top, "mail"))
	for _, id := range []string{"", ".", "..", "../x", "a/b", "/etc/x", "a\x00", "a\n", ".hidden", "-x", "a b", strings.Repeat("a", 101), "a.eml/.."} {
		m := sample()
		m.ID = id
		var r *enquiry.Refusal
		if err := f.Send(t.Context(), m); !errors.As(err, &r) || *r != (enquiry.Refusal{Stage: "ID"}) {
			t.Errorf("Send of a mail with the ID %q = %v, want a refusal", id, err)
		}
	}
	if diff := cmp.Diff([]string{"mail"}, names(t, top)); diff != "" {
		t.Errorf("files beside the directory (-want +got):\n%s", diff)
	}
}

// TestFolderTrouble checks that a directory that takes no file asks for another attempt,
// and leaves nothing behind.
func TestFolderTrouble(t *testing.T) {
	t.Parallel()
	m := sample()
	for name, spoil := range map[string]func(dir string) error{
		"gone":     os.RemoveAll,
		"occupied": func(dir string) error { return os.MkdirAll(filepath.Join(dir, m.ID+".eml", "x"), 0o700) },
	} {
		dir := filepath.Join(t.TempDir(), "mail")
		f := folder(t, dir)
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		var r *enquiry.Refusal
		err := f.Send(t.Context(), m)
		if err == nil || errors.As(err, &r) || strings.Contains(err.Error(), "@") {
			t.Errorf("%s: Send = %v, want an error that is no refusal", name, err)
		}
		if name == "occupied" && len(names(t, dir)) != 1 {
			t.Errorf("%s: left behind: %q", name, names(t, dir))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := folder(t, t.TempDir()).Send(ctx, m); !errors.Is(err, context.Canceled) {
		t.Errorf("Send after a cancel = %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewFolder(file); err == nil {
		t.Error("NewFolder takes a file")
	}
}

// TestFolderTidies checks that what a process left when it was killed goes, and nothing
// else does.
func TestFolderTidies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := time.Now().Add(-2 * unfinishedIn)
	for name, at := range map[string]time.Time{"a.eml": old, "a.eml.X" + unfinished: old, "b.eml.X" + unfinished: time.Now()} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	folder(t, dir)
	if diff := cmp.Diff([]string{"a.eml", "b.eml.X" + unfinished}, names(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
