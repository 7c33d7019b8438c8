package decode

import (
	"strings"

	"vaak/internal/fault"
)

// Stable codes of what is wrong with a recording.
const (
	CodeBroken      = "recording_broken"      // the file contradicts itself or its format
	CodeUnsupported = "recording_unsupported" // a format or a kind of it that is not read
	CodeTooLarge    = "recording_too_large"   // more than the limits allow
)

// broken returns the error of a file that contradicts itself.
func broken(msg string, args ...any) *fault.Error {
	return fault.New(fault.Unprocessable, CodeBroken, "", msg, args...)
}

// unsupported returns the error of a recording that is sound and not read here.
func unsupported(msg string, args ...any) *fault.Error {
	return fault.New(fault.Unsupported, CodeUnsupported, "", msg, args...)
}

// unknown returns the error of a file that begins like no format known.
func unknown(head []byte) *fault.Error {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	last := len(names) - 1
	return unsupported("the file begins with %q, which is none of the formats that are read: %s and %s",
		head[:min(len(head), 12)], strings.Join(names[:last], ", "), names[last])
}
