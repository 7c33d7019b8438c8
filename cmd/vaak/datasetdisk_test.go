package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLengthyFullDiskIngest brings a folder in while there is no room for its files, or for
// anything: it says so, and nothing is changed.
func TestLengthyFullDiskIngest(t *testing.T) { onSmallDisk(t, ingestOnFullDisk) }

func ingestOnFullDisk(t *testing.T, dir string) {
	s := &server{t: t, dir: filepath.Join(dir, "var")}
	s.env = append(os.Environ(), "VAAK_DATA_DIR="+s.dir)
	data := corpus{slug: "hindi-calls", calls: 2, seconds: 10, format: "wav"}
	folder := data.folder(t)
	s.vaak("dataset", "ingest", folder, "--publish")
	listed, shown := s.vaak("dataset", "list"), s.vaak("dataset", "show", "hindi-calls")
	data.card, data.extra, data.seconds = "version: 2.0.0\n", 7, 60
	if err := data.write(folder); err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(dir, "filler")
	for what, leave := range map[string]int64{"nothing": 0, "the tables of SQLite": 40 << 10, "half of the sample": 1 << 20} {
		before := filesIn(t, s.dir)
		fillWith(t, filler, leave)
		status, said := s.fails("dataset", "ingest", folder)
		if status != 1 || strings.Count(said, "\n") != 1 || !strings.Contains(said, "room") && !strings.Contains(said, "full") {
			t.Errorf("with room for %s: %d, %q, want 1 and a sentence", what, status, said)
		}
		t.Logf("with room for %s: %s", what, said)
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		if got := s.vaak("dataset", "list"); got != listed {
			t.Errorf("with room for %s: listed %q, want %q", what, got, listed)
		}
		if got := s.vaak("dataset", "show", "hindi-calls"); got != shown {
			t.Errorf("with room for %s, the record changed", what)
		}
		for name := range filesIn(t, s.dir) {
			if _, ok := before[name]; !ok && strings.Contains(name, "parts") {
				t.Errorf("with room for %s, %s is left", what, name)
			}
		}
	}
	s.vaak("dataset", "ingest", folder)
	if got := s.vaak("dataset", "show", "hindi-calls"); !strings.Contains(got, `"version": "2.0.0"`) {
		t.Errorf("with room again: %.300s", got)
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
