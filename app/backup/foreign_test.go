package backup

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vaak/app/deployment"
)

// TestRestoreOfAForeignFile: what no backup has written is refused in a sentence that says
// so, before it has filled a disk.
func TestRestoreOfAForeignFile(t *testing.T) {
	t.Parallel()
	zipped := func(text io.Reader) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := io.Copy(z, text); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	bomb := archive(t, func(a *archiver) error {
		const size = 128 << 20
		return a.write(databaseMember, size, io.LimitReader(zeroes{}, size))
	})
	bombed, err := os.ReadFile(bomb)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, want string
		file       []byte
	}{
		{"empty", "not an archive that vaak backup wrote: it does not begin as a gzip file does", nil},
		{"a text", "not an archive that vaak backup wrote: it does not begin as a gzip file does", []byte("Dear diary,\n")},
		{"a short text", "not an archive that vaak backup wrote: it does not begin as a gzip file does", []byte("hello\n")},
		{"the beginning of a backup", "it is cut short", bombed[:1000]},
		{"the head of gzip", "not an archive that vaak backup wrote: it does not begin as a gzip file does", bombed[:8]},
		{"a database", "not an archive that vaak backup wrote: it does not begin as a gzip file does", []byte("SQLite format 3\x00")},
		{"a compressed text", "not an archive that vaak backup wrote: there is no tar file in it", zipped(strings.NewReader(strings.Repeat("Dear diary,\n", 100)))},
		{"a bomb", "which is more than 250 to one", bombed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "foreign")
			if err := os.WriteFile(file, tt.file, 0o600); err != nil {
				t.Fatal(err)
			}
			c := Target{Place: deployment.Place{DataDir: filepath.Join(t.TempDir(), "new")}, File: file, MaxBytes: 64 << 30}
			err := restore(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "nothing was changed") {
				t.Errorf("restore = %v, want an error with %q", err, tt.want)
			}
			if left := filesIn(t, c.Place.DataDir); len(left) > 0 {
				t.Errorf("it leaves %d files", len(left))
			}
		})
	}
}

// zeroes are there without end.
type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
