package tree

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vaak/catalogue/ingest/report"
)

// held is a member that is four bytes and counts how many of its readers are open.
type held struct{ open *int }

func (h held) Size() int64 { return 4 }

func (h held) Open(io.ReaderAt, int64) (Reader, error) {
	*h.open++
	return heldReader{strings.NewReader("held"), h.open}, nil
}

type heldReader struct {
	*strings.Reader
	open *int
}

func (r heldReader) Close() error {
	*r.open--
	return nil
}

// TestMembersAreClosed closes what a member holds with its file.
func TestMembersAreClosed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.box"), []byte("box"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	open := 0
	box := Container{
		Extension: ".box", Skip: func(string) bool { return false },
		List: func(_ File, _ int64, each func(string, Member) error) error { return each("x.wav", held{&open}) },
	}
	files := List(t.Context(), root, Limits{Files: 10, Depth: 2}, func(*Tree) []Container { return []Container{box} }, report.New(1))
	f, err := files.Open("x.wav")
	if err != nil || open != 1 {
		t.Fatalf("Open = %v with %d readers", err, open)
	}
	if got, err := io.ReadAll(f); string(got) != "held" {
		t.Errorf("the member has %q, %v", got, err)
	}
	if err := f.Close(); err != nil || open != 0 {
		t.Errorf("Close = %v and leaves %d readers open", err, open)
	}
}
