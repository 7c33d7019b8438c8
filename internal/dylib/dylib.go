// Package dylib calls shared libraries of C without cgo.
//
// A library that is not installed is an error of Open, never of the program's
// start. Functions are Go variables of function type: integers, floats,
// uintptr, unsafe.Pointer and pointers to Go values pass as C would expect
// them. Memory that a call is given must not be kept by C after it returns, unless
// it is pinned as long.
package dylib

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/ebitengine/purego"
)

// Library is an opened shared library. It stays open until the program ends.
type Library struct {
	name   string
	handle uintptr
}

// Open loads the first of the names that is there, such as "libopus.so.0",
// searched for as the dynamic linker does.
//
// It makes C's malloc return big blocks to the system, see returnBigBlocks.
func Open(names ...string) (*Library, error) {
	returnBigBlocks()
	defer keepThread()()
	var errs []error
	for _, name := range names {
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err == nil {
			return &Library{name: name, handle: handle}, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// Bind sets fn, a pointer to a variable of function type, to the function of a
// name. It panics when fn is anything else.
func (l *Library) Bind(fn any, name string) error {
	address, err := l.Address(name)
	if err != nil {
		return err
	}
	purego.RegisterFunc(fn, address)
	return nil
}

// Address returns where the function or variable of a name is, for C that wants
// to be told of it.
func (l *Library) Address(name string) (uintptr, error) {
	defer keepThread()()
	address, err := purego.Dlsym(l.handle, name)
	if err != nil {
		return 0, fmt.Errorf("%s has no %s: %w", l.name, name, err)
	}
	return address, nil
}

// BindAddress sets fn, a pointer to a variable of function type, to the
// function at an address that C gave out.
func BindAddress(fn any, address uintptr) { purego.RegisterFunc(fn, address) }

// keepThread keeps the goroutine on its thread until the function that it
// returns is called: dlerror tells each thread of that thread's errors alone.
func keepThread() (release func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
