package dylib

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Call is a C function that is called often, for instance once per frame of audio. It does what
// a bound function does, but does not allocate. All arguments and the result must be integers
// or pointers.
//
// It keeps Go memory alive that its arguments point to; the garbage collector does not move
// allocated memory. It is not safe for concurrent use.
type Call struct {
	address uintptr
	args    []uintptr
	kept    []unsafe.Pointer
}

// NewCall returns a call of the function at an address, with so many arguments, all zero.
func NewCall(address uintptr, args int) *Call {
	return &Call{address: address, args: make([]uintptr, args), kept: make([]unsafe.Pointer, args)}
}

// Set sets an argument to an integer or a pointer to C memory.
func (c *Call) Set(i int, value uintptr) { c.args[i], c.kept[i] = value, nil }

// Point sets an argument to a pointer to Go memory, which may be nil.
func (c *Call) Point(i int, p unsafe.Pointer) { c.args[i], c.kept[i] = uintptr(p), p }

// Do makes the call and returns its integer or pointer result. Bits beyond the size of the C
// type are undefined.
func (c *Call) Do() uintptr {
	r, _, _ := purego.SyscallN(c.address, c.args...)
	// The arguments are bare integers to the collector. kept holds the pointers, and c must live
	// until the function has returned.
	runtime.KeepAlive(c)
	return r
}
