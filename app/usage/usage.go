// Package usage marks the errors that a person mends by changing the command line, the
// environment or the configuration file. The command ends with status 2 for them, and
// with status 1 for all others.
package usage

import "fmt"

// Error is a setting that the program cannot work with.
type Error struct{ Err error }

// Error returns the text of the wrapped error.
func (e Error) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e Error) Unwrap() error { return e.Err }

// Errorf returns an [Error] with a formatted text. The text names the flag, says what is
// allowed and what was given.
func Errorf(format string, args ...any) error {
	return Error{fmt.Errorf(format, args...)}
}
