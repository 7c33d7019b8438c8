// Package langtest reads the texts by which tests measure how languages are told and read.
package langtest

import (
	"bufio"
	"compress/gzip"
	"io"
	"iter"
	"os"
	"strings"
	"testing"
)

// Lines returns the lines of a text file, which is compressed if its name ends in .gz.
func Lines(t testing.TB, path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		t.Helper()
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close() // read only
		var r io.Reader = f
		if strings.HasSuffix(path, ".gz") {
			if r, err = gzip.NewReader(f); err != nil {
				t.Fatal(err)
			}
		}
		s := bufio.NewScanner(r)
		s.Buffer(nil, 1<<20) // a text of a language is one line
		for s.Scan() {
			if !yield(s.Text()) {
				return
			}
		}
		if err := s.Err(); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
}
