// Package orttest opens ONNX Runtime for tests.
package orttest

import (
	"testing"

	"vaak/engine/onnx/ort"
	"vaak/internal/needed"
)

// Open opens the library, or ends the test where there is none.
func Open(t testing.TB) *ort.Library {
	t.Helper()
	lib, err := ort.Open(needed.ONNXRuntime(t))
	if err != nil {
		t.Fatal(err)
	}
	return lib
}
