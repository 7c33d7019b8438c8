package speaker

import (
	"os"
	"path/filepath"
	"testing"
)

// TestContentOf: a program with another content makes previews anew.
func TestContentOf(t *testing.T) {
	t.Parallel()
	digest := func(texts ...string) string {
		var files []*os.File
		for _, text := range texts {
			path := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		got, err := contentOf(files)
		if err != nil || closeAll(files) != nil {
			t.Fatal(err)
		}
		if _, err := contentOf(files); err == nil {
			t.Error("closed files have a digest")
		}
		return got
	}
	one := digest("program", "worker")
	if again := digest("program", "worker"); again != one {
		t.Errorf("copies are %s and %s", one, again)
	}
	for _, other := range [][]string{{"Program", "worker"}, {"program", "Worker"}, {"program"}} {
		if got := digest(other...); got == one {
			t.Errorf("%q are the same as program and worker", other)
		}
	}
}
