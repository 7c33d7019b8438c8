package decode

import (
	"strings"

	"vaak/internal/fault"
)

// Stable codes for what is wrong with a recording.
const (
	CodeBroken      = "recording_broken"      // the file contradicts itself or its format
	CodeUnsupported = "recording_unsupported" // the format, or this variant of it, is not supported
	CodeTooLarge    = "recording_too_large"   // more than the limits allow
)

// broken returns the error for a file that contradicts itself or its format.
func broken(msg string, args ...any) *fault.Error {
	return fault.New(fault.Unprocessable, CodeBroken, "", msg, args...)
}

// unsupported returns the error for a recording that is intact but not supported.
func unsupported(msg string, args ...any) *fault.Error {
	return fault.New(fault.Unsupported, CodeUnsupported, "", msg, args...)
}

// unknown returns the error for a file that begins like no known format.
func unknown(head []byte) *fault.Error {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	last := len(names) - 1
	return unsupported("the file begins with %q, which is none of the formats that are read: %s and %s",
		head[:min(len(head), 12)], strings.Join(names[:last], ", "), names[last])
}
