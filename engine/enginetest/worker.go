package enginetest

import (
	"os"
	"path/filepath"
	"testing"
)

// Worker returns the path of the espeak worker: $VAAK_ESPEAK_WORKER, else the one that
// `make build` put into bin/.
func Worker(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("VAAK_ESPEAK_WORKER"); path != "" {
		return path
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
			continue
		}
		path := filepath.Join(dir, "bin", "vaak-espeak-worker")
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("the espeak worker is not built; run `make build`: %v", err)
		}
		return path
	}
	t.Fatal("no go.mod above the working directory")
	return ""
}
