package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"vaak/catalogue/demo"
	"vaak/engine/enginetest"
)

// TestLengthyDemo makes the demonstration datasets and asks for them again, for which
// nothing is made: the second time there is no engine.
func TestLengthyDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("speaks for seconds")
	}
	t.Setenv("VAAK_ESPEAK_WORKER", enginetest.Worker(t))
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
