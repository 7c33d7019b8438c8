package recording

import "vaak/internal/fault"

// Stable codes for what is wrong with a recording.
const (
	CodeBroken      = "recording_broken"      // the file contradicts itself or its format
	CodeUnsupported = "recording_unsupported" // the format, or this variant of it, is not supported
	CodeTooLarge    = "recording_too_large"   // more than the limits allow
)

// Broken returns the error for a file that contradicts itself or its format.
func Broken(msg string, args ...any) *fault.Error {
	return fault.New(fault.Unprocessable, CodeBroken, "", msg, args...)
}

// Unsupported returns the error for a recording that is intact but not supported.
func Unsupported(msg string, args ...any) *fault.Error {
	return fault.New(fault.Unsupported, CodeUnsupported, "", msg, args...)
}

// TooLarge returns the error for a recording that exceeds the limits.
func TooLarge(msg string, args ...any) *fault.Error {
	return fault.New(fault.TooLarge, CodeTooLarge, "", msg, args...)
}

// TooLong returns the error for a recording with more samples per channel than frames.
func TooLong(frames int64, rate int) *fault.Error {
	return TooLarge("a recording may have %d samples in a channel, %.1f s at its rate; this one has more",
		frames, Seconds(frames, rate))
}

// MissingLibrary returns the error for a format whose C library is not installed. install is the
// Debian package that has it.
func MissingLibrary(err error, format, install string) *fault.Error {
	return fault.Down(CodeUnsupported, 0, err,
		"%s cannot be read on this machine: install the package %s", format, install)
}
