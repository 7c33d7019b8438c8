package worker

import (
	"errors"
	"testing"
)

// TestBlame: a model is not to blame for what others have taken.
func TestBlame(t *testing.T) {
	t.Parallel()
	for message, bad := range map[string]bool{
		"ONNX Runtime: Failed to allocate memory for requested buffer of size 400000000": false,
		"ONNX Runtime: std::bad_alloc":                         false,
		"ONNX Runtime: Node (x) has input size 2 not in range": true,
	} {
		err := blame(errors.New(message))
		if got := errors.As(err, new(badModel)); got != bad || errors.Is(err, errMemory) == bad {
			t.Errorf("%q blames the model: %t, want %t", message, got, bad)
		}
	}
	if blame(nil) != nil {
		t.Error("no error is one")
	}
}
