package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vaak/catalogue/demo"
)

// TestDemo makes the demonstration datasets and asks for them again, for which
// nothing is made: the second time there is no engine.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("speaks for seconds")
	}
	if os.Getenv("VAAK_ESPEAK_WORKER") == "" {
		t.Skip("VAAK_ESPEAK_WORKER names no worker")
	}
	dir := t.TempDir()
	var want strings.Builder
	for _, slug := range demo.Slugs() {
		want.WriteString(slug + "\tpublished\n")
	}
	for _, more := range [][]string{nil, {"--espeak-worker", filepath.Join(dir, "none")}} {
		var out, errOut bytes.Buffer
		args := append([]string{"demo", "--data-dir", dir}, more...)
		if code := run(t.Context(), args, strings.NewReader(""), &out, &errOut); code != 0 || out.String() != want.String() {
			t.Fatalf("vaak %v = %d with %q and %q, want %q", args, code, out.String(), errOut.String(), want.String())
		}
	}
}
