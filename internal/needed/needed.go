// Package needed decides what becomes of a test whose machine lacks a part that tools/install
// brings, such as a program or a server. `go test` alone skips the test and says why. With
// VAAK_NEED=1, which `make test` sets, the test fails, so that none is left out unseen.
package needed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const env = "VAAK_NEED"

// Missing ends the test for want of a part. The format names it and says how it comes here.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if reason := fmt.Sprintf(format, args...); os.Getenv(env) == "1" {
		t.Fatalf("%s, and %s is 1", reason, env)
	} else {
		t.Skipf("%s; %s=1 makes this a failure", reason, env)
	}
}

// Program returns the path of a program on PATH, or ends the test.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "there is no %s; tools/install test brings it", name)
	}
	return path
}

// SpeechData returns the folder of languages and voices of libespeak-ng, or ends the test.
func SpeechData(t testing.TB) string {
	t.Helper()
	for _, pattern := range []string{"/usr/lib/*/espeak-ng-data", "/usr/share/espeak-ng-data"} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	Missing(t, "espeak-ng-data is not where packages put it; tools/install build brings it")
	return ""
}

// ONNXRuntime returns the path of libonnxruntime, or ends the test. VAAK_ONNXRUNTIME names
// another one than that which tools/install put into bin.
func ONNXRuntime(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("VAAK_ONNXRUNTIME"); path != "" {
		return path
	}
	patterns := []string{"/usr/lib/*/libonnxruntime.so*", "/usr/lib/libonnxruntime.so*", "/usr/local/lib/libonnxruntime.so*"}
	if root := repository(); root != "" {
		patterns = append([]string{filepath.Join(root, "bin", "libonnxruntime.so")}, patterns...)
	}
	for _, pattern := range patterns {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	Missing(t, "there is no libonnxruntime.so; tools/install onnx brings it")
	return ""
}

// repository returns the root of the module that holds the program, or "". The modules below
// it, such as that of the workshop, have a go.mod of their own.
func repository() (root string) {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			root = dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return root
		}
		dir = parent
	}
}
