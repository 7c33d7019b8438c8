package transcript

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden reads a file of each format, in several scripts, and compares every
// field of every segment with its golden file.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range files {
		if filepath.Ext(name) == ".golden" || filepath.Ext(name) == "" { // or a folder of a fuzzer
			continue
		}
		seen++
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			format, ok := Detect(name, data)
			if !ok {
				t.Fatalf("Detect(%q) knows no format", name)
			}
			file, problems := Read(bytes.NewReader(data), format, Limits{})
			if len(problems) > 0 {
				t.Fatalf("Read(%q) has problems: %v", name, problems)
			}
			got := golden(t, file)
			if *update {
				if err := os.WriteFile(name+".golden", got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("Read(%q) (-want +got):\n%s", name, diff)
			}
		})
	}
	if seen != 15 {
		t.Errorf("%d files were read, want 15", seen)
	}
}

// golden writes a file with the fields that its JSON leaves out.
func golden(t *testing.T, f File) []byte {
	t.Helper()
	type line struct {
		Line int    `json:"line"`
		Lang string `json:"lang,omitempty"`
		Segment
	}
	all := map[string][]line{}
	for name, segments := range f.Recordings {
		all[name] = []line{}
		for _, s := range segments {
			all[name] = append(all[name], line{s.Line, string(s.Lang), s})
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(map[string]any{"format": f.Format, "wordTimes": f.WordTimes, "recordings": all}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
