// Package ort runs neural models with ONNX Runtime, without cgo.
//
// The functions of libonnxruntime are entries of a table, which the library hands out. Entries
// are only ever appended to that table, so the places of an old version hold for every later
// one. This package asks for the table of version 1.14 and was tried with 1.19 and 1.32.
//
// The results of a model are the same bytes in each run of one version of the library on one
// kind of processor. They differ between versions, so whoever caches results must note
// [Library.Version].
package ort

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"vaak/internal/dylib"
)

// apiVersion is the version of the function table that is asked for: that of ONNX Runtime 1.14.
const apiVersion = 14

// Library is an open ONNX Runtime. It stays open until the program ends, and is safe for
// concurrent use.
type Library struct {
	version   string
	api       api
	env       uintptr // OrtEnv
	cpu       uintptr // OrtMemoryInfo of Go's memory
	allocator uintptr // OrtAllocator of the names that the library returns
	// trim is malloc_trim of glibc; nil if there is none.
	trim func(keep uintptr) int32
}

// status is an OrtStatus*: nil is success.
type status = uintptr

// api holds the functions of OrtApi that this package calls. Pointers to Go memory are Go
// pointers here, pointers to the library's objects are uintptr.
type api struct {
	getErrorMessage       func(s status) string
	createEnv             func(level int32, logID string, out *uintptr) status
	createSession         func(env uintptr, model *byte, size uintptr, options uintptr, out *uintptr) status
	run                   func(session, options uintptr, inNames **byte, in *uintptr, inCount uintptr, outNames **byte, outCount uintptr, out *uintptr) status
	createSessionOptions  func(out *uintptr) status
	setOptimization       func(options uintptr, level int32) status
	setIntraOpThreads     func(options uintptr, n int32) status
	setInterOpThreads     func(options uintptr, n int32) status
	inputCount            func(session uintptr, out *uintptr) status
	outputCount           func(session uintptr, out *uintptr) status
	inputType             func(session, i uintptr, out *uintptr) status
	outputType            func(session, i uintptr, out *uintptr) status
	inputName             func(session, i, allocator uintptr, out *uintptr) status
	outputName            func(session, i, allocator uintptr, out *uintptr) status
	createRunOptions      func(out *uintptr) status
	setTerminate          func(options uintptr) status
	createTensor          func(memory uintptr, data unsafe.Pointer, bytes uintptr, dims *int64, rank uintptr, element int32, out *uintptr) status
	isTensor              func(value uintptr, out *int32) status
	tensorData            func(value uintptr, out *unsafe.Pointer) status
	tensorOfType          func(typeInfo uintptr, out *uintptr) status
	elementType           func(info uintptr, out *int32) status
	dimensionCount        func(info uintptr, out *uintptr) status
	dimensions            func(info uintptr, out *int64, n uintptr) status
	typeAndShape          func(value uintptr, out *uintptr) status
	createCPUMemoryInfo   func(allocator, memory int32, out *uintptr) status
	allocatorFree         func(allocator, p uintptr) status
	defaultAllocator      func(out *uintptr) status
	releaseStatus         func(s status)
	releaseSession        func(session uintptr)
	releaseValue          func(value uintptr)
	releaseRunOptions     func(options uintptr)
	releaseTypeInfo       func(info uintptr)
	releaseTensorInfo     func(info uintptr)
	releaseSessionOptions func(options uintptr)
	addSessionConfigEntry func(options uintptr, key, value string) status
}

// tableSize is one more than the largest place that places names.
const tableSize = 131

// places maps each function to its place in OrtApi.
func (a *api) places() map[int]any {
	return map[int]any{
		2:   &a.getErrorMessage,
		3:   &a.createEnv,
		8:   &a.createSession,
		9:   &a.run,
		10:  &a.createSessionOptions,
		23:  &a.setOptimization,
		24:  &a.setIntraOpThreads,
		25:  &a.setInterOpThreads,
		30:  &a.inputCount,
		31:  &a.outputCount,
		33:  &a.inputType,
		34:  &a.outputType,
		36:  &a.inputName,
		37:  &a.outputName,
		39:  &a.createRunOptions,
		46:  &a.setTerminate,
		49:  &a.createTensor,
		50:  &a.isTensor,
		51:  &a.tensorData,
		55:  &a.tensorOfType,
		60:  &a.elementType,
		61:  &a.dimensionCount,
		62:  &a.dimensions,
		65:  &a.typeAndShape,
		69:  &a.createCPUMemoryInfo,
		76:  &a.allocatorFree,
		78:  &a.defaultAllocator,
		93:  &a.releaseStatus,
		95:  &a.releaseSession,
		96:  &a.releaseValue,
		97:  &a.releaseRunOptions,
		98:  &a.releaseTypeInfo,
		99:  &a.releaseTensorInfo,
		100: &a.releaseSessionOptions,
		130: &a.addSessionConfigEntry,
	}
}

// Open loads the first library that exists among some names, which are paths or names that the
// dynamic linker searches for. It leaves C's malloc as it is: without its habit of keeping large
// blocks, models run up to twice as long.
func Open(names ...string) (*Library, error) {
	lib, err := dylib.OpenKeepingMalloc(names...)
	if err != nil {
		return nil, fmt.Errorf("open ONNX Runtime: %w", err)
	}
	var getBase func() *[2]uintptr // OrtApiBase: GetApi, GetVersionString
	if err := lib.Bind(&getBase, "OrtGetApiBase"); err != nil {
		return nil, fmt.Errorf("open ONNX Runtime: %w", err)
	}
	base := getBase()
	if base == nil || base[0] == 0 || base[1] == 0 {
		return nil, errors.New("open ONNX Runtime: the library has no functions")
	}
	var getAPI func(version uint32) *[tableSize]uintptr
	var getVersion func() string
	dylib.BindAddress(&getAPI, base[0])
	dylib.BindAddress(&getVersion, base[1])
	l := &Library{version: getVersion()}
	table := getAPI(apiVersion)
	if table == nil {
		return nil, fmt.Errorf("ONNX Runtime %s is too old: 1.%d or newer is needed", l.version, apiVersion)
	}
	for place, fn := range l.api.places() {
		if table[place] == 0 {
			return nil, fmt.Errorf("ONNX Runtime %s lacks function %d of its table", l.version, place)
		}
		dylib.BindAddress(fn, table[place])
	}
	_ = lib.Bind(&l.trim, "malloc_trim") // other C libraries lack it
	// Level 4 logs fatal errors alone: every other one comes back as a status.
	if err := l.check(l.api.createEnv(4, "vaak", &l.env)); err != nil {
		return nil, err
	}
	// 0 and 0: the allocator of the device, and the default kind of memory.
	if err := l.check(l.api.createCPUMemoryInfo(0, 0, &l.cpu)); err != nil {
		return nil, err
	}
	return l, l.check(l.api.defaultAllocator(&l.allocator))
}

// Version returns the version of the library, such as "1.32.0".
func (l *Library) Version() string { return l.version }

// Trim returns memory to the system that C's malloc keeps of sessions that were closed. It takes some
// milliseconds.
func (l *Library) Trim() {
	if l.trim != nil {
		l.trim(0)
	}
}

// check turns a status into an error and frees it.
func (l *Library) check(s status) error {
	if s == 0 {
		return nil
	}
	defer l.api.releaseStatus(s)
	return fmt.Errorf("ONNX Runtime: %s", strings.TrimSpace(l.api.getErrorMessage(s)))
}
