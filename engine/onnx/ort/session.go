package ort

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// Element is the type of a tensor's elements, by its number in ONNX.
type Element int32

// The types that a [Tensor] can hold.
const (
	Float32 Element = 1
	Int32   Element = 6
	Int64   Element = 7
)

func (e Element) String() string {
	switch e {
	case Float32:
		return "float32"
	case Int32:
		return "int32"
	case Int64:
		return "int64"
	case 0:
		return "no tensor"
	}
	return fmt.Sprintf("element type %d", int32(e))
}

// Options configure a session. The zero value is what a server wants.
type Options struct {
	// Threads is how many threads compute one run; 0 is 1. More make a single run faster and use
	// more processor time for it. Runs at the same time each have that many.
	Threads int
	// NoOptimization loads the model three times as fast, for a session of few runs.
	NoOptimization bool
	// MaxOutputBytes is the largest output that Run returns; 0 is 512 MiB.
	MaxOutputBytes int
}

// Value describes an input or output of a model.
type Value struct {
	Name    string
	Element Element // 0 where it is no tensor
	Dims    []int64 // -1 where any size is possible
}

// Session is a model that is ready to run. It is safe for concurrent use.
type Session struct {
	lib             *Library
	inputs, outputs []Value
	maxOutput       int // bytes

	// open is held for reading by each Run, and for writing by Close.
	open sync.RWMutex
	ptr  uintptr // 0 when closed
}

// NewSession makes a session of a model, the content of an ONNX file. The model may be changed
// or dropped afterwards. Weights in other files are not found.
func (l *Library) NewSession(model []byte, o Options) (*Session, error) {
	if len(model) == 0 {
		return nil, errors.New("the model is empty")
	}
	var options uintptr
	if err := l.check(l.api.createSessionOptions(&options)); err != nil {
		return nil, err
	}
	defer l.api.releaseSessionOptions(options)
	if err := l.configure(options, o); err != nil {
		return nil, err
	}
	s := &Session{lib: l, maxOutput: o.MaxOutputBytes}
	if s.maxOutput <= 0 {
		s.maxOutput = 512 << 20
	}
	if err := l.check(l.api.createSession(l.env, &model[0], uintptr(len(model)), options, &s.ptr)); err != nil {
		return nil, err
	}
	var err error
	if s.inputs, err = s.values(l.api.inputCount, l.api.inputName, l.api.inputType); err == nil {
		s.outputs, err = s.values(l.api.outputCount, l.api.outputName, l.api.outputType)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (l *Library) configure(options uintptr, o Options) error {
	const none, all = 0, 99 // GraphOptimizationLevel
	level := int32(all)
	if o.NoOptimization {
		level = none
	}
	return errors.Join(
		l.check(l.api.setIntraOpThreads(options, int32(max(1, o.Threads)))),
		l.check(l.api.setInterOpThreads(options, 1)),
		l.check(l.api.setOptimization(options, level)),
		// Idle threads must sleep: a server has other work for the cores.
		l.check(l.api.addSessionConfigEntry(options, "session.intra_op.allow_spinning", "0")),
	)
}

// maxValues is how many inputs or outputs a model may have, and maxRank how many dimensions
// a tensor. They bound what is allocated for a damaged model.
const (
	maxValues = 1024
	maxRank   = 32
)

// values lists inputs or outputs.
func (s *Session) values(
	count func(uintptr, *uintptr) status,
	name func(session, i, allocator uintptr, out *uintptr) status,
	typeOf func(session, i uintptr, out *uintptr) status,
) ([]Value, error) {
	l := s.lib
	var n uintptr
	if err := l.check(count(s.ptr, &n)); err != nil {
		return nil, err
	}
	if n > maxValues {
		return nil, fmt.Errorf("the model has %d inputs or outputs, %d are allowed", n, maxValues)
	}
	list := make([]Value, 0, n)
	for i := range n {
		var v Value
		var text uintptr
		if err := l.check(name(s.ptr, i, l.allocator, &text)); err != nil {
			return nil, err
		}
		v.Name = goString(text)
		if err := l.check(l.api.allocatorFree(l.allocator, text)); err != nil {
			return nil, err
		}
		var info, tensor uintptr
		if err := l.check(typeOf(s.ptr, i, &info)); err != nil {
			return nil, err
		}
		err := l.check(l.api.tensorOfType(info, &tensor))
		if err == nil && tensor != 0 { // it belongs to info
			v.Element, v.Dims, err = l.shape(tensor)
		}
		l.api.releaseTypeInfo(info)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// shape returns the element type and dimensions of an OrtTensorTypeAndShapeInfo.
func (l *Library) shape(info uintptr) (Element, []int64, error) {
	var element int32
	if err := l.check(l.api.elementType(info, &element)); err != nil {
		return 0, nil, err
	}
	var rank uintptr
	if err := l.check(l.api.dimensionCount(info, &rank)); err != nil {
		return 0, nil, err
	}
	if rank > maxRank {
		return 0, nil, fmt.Errorf("a tensor has %d dimensions, %d are allowed", rank, maxRank)
	}
	dims := make([]int64, rank)
	if rank > 0 {
		if err := l.check(l.api.dimensions(info, &dims[0], rank)); err != nil {
			return 0, nil, err
		}
	}
	return Element(element), dims, nil
}

// Inputs describes what the model takes. The caller must not change it.
func (s *Session) Inputs() []Value { return s.inputs }

// Outputs describes what the model returns. The caller must not change it.
func (s *Session) Outputs() []Value { return s.outputs }

// Close waits for the runs that have begun and frees the session. Later runs fail.
func (s *Session) Close() {
	s.open.Lock()
	defer s.open.Unlock()
	if s.ptr != 0 {
		s.lib.api.releaseSession(s.ptr)
		s.ptr = 0
	}
}

// goString copies a string of C. It allows 64 KiB, so that a name without end is not followed
// for ever.
func goString(address uintptr) string {
	if address == 0 {
		return ""
	}
	// The address is C's, which the garbage collector does not move.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&address))
	n := 0
	for n < 64<<10 && *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}
