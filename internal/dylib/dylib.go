// Package dylib calls shared C libraries without cgo.
//
// If a library is not installed, Open returns an error; the program starts all the same.
// Functions are bound to Go variables of function type. Integers, floats, uintptr,
// unsafe.Pointer and pointers to Go values are passed as C expects. C must not retain memory
// that a call receives, unless the memory is pinned for as long.
package dylib

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/ebitengine/purego"
)

// Library is an open shared library. It stays open until the program ends.
type Library struct {
	name   string
	handle uintptr
}

// Open loads the first library that exists among some names, such as "libopus.so.0". They are
// searched for as the dynamic linker does.
//
// It also changes how C's malloc returns large blocks; see returnBigBlocks.
func Open(names ...string) (*Library, error) {
	returnBigBlocks()
	return OpenKeepingMalloc(names...)
}

// OpenKeepingMalloc is Open, but leaves C's malloc as it is. It is for a library that allocates
// large blocks all the time, and slows down where each of them is mapped anew. The setting is
// one of the whole process, so such a process must not call Open either.
func OpenKeepingMalloc(names ...string) (*Library, error) {
	defer keepThread()()
	var errs []error
	for _, name := range names {
		// RTLD_NOW fails here and not in mid-speech where a symbol is missing. RTLD_LOCAL keeps the
		// symbols of one library from those of another.
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err == nil {
			return &Library{name: name, handle: handle}, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// Bind sets fn, a pointer to a variable of function type, to the function with a name. It
// panics if fn is anything else.
func (l *Library) Bind(fn any, name string) error {
	address, err := l.Address(name)
	if err != nil {
		return err
	}
	purego.RegisterFunc(fn, address)
	return nil
}

// Address returns the address of a function or variable, for C functions that need it.
func (l *Library) Address(name string) (uintptr, error) {
	defer keepThread()()
	address, err := purego.Dlsym(l.handle, name)
	if err != nil {
		return 0, fmt.Errorf("%s has no %s: %w", l.name, name, err)
	}
	return address, nil
}

// BindAddress sets fn, a pointer to a variable of function type, to the function at an address
// that C returned.
func BindAddress(fn any, address uintptr) { purego.RegisterFunc(fn, address) }

// keepThread keeps the goroutine on its thread until the returned function is called. dlerror
// reports only the errors of the calling thread.
func keepThread() (release func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
