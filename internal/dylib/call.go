package dylib

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Call is a call of C that is made over and over, once per frame of audio say. It
// does what a bound function does without allocating, as long as all arguments and
// the result are integers and pointers.
//
// It keeps the Go memory that its pointers point to alive; the garbage collector
// does not move what it has allocated. It is not safe for concurrent use.
type Call struct {
	address uintptr
	args    []uintptr
	kept    []unsafe.Pointer
}

// NewCall returns a call of the function at an address, with as many arguments,
// all zero.
func NewCall(address uintptr, args int) *Call {
	return &Call{address: address, args: make([]uintptr, args), kept: make([]unsafe.Pointer, args)}
}

// Set makes an argument an integer, or a pointer of C's.
func (c *Call) Set(i int, value uintptr) { c.args[i], c.kept[i] = value, nil }

// Point makes an argument a pointer into Go's memory, which may be nil.
func (c *Call) Point(i int, p unsafe.Pointer) { c.args[i], c.kept[i] = uintptr(p), p }

// Do makes the call and returns the integer or pointer that it returns. Bits above
// those of the C type mean nothing.
func (c *Call) Do() uintptr {
	r, _, _ := purego.SyscallN(c.address, c.args...)
	runtime.KeepAlive(c)
	return r
}
