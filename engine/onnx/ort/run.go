package ort

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"unsafe"
)

// Tensor is a value of a model. Its data is []float32, []int64 or []int32, in row-major order.
type Tensor struct {
	Data any
	Dims []int64 // none for a single number
}

// Floats returns a tensor of floats, a vector where no dimensions are given.
func Floats(data []float32, dims ...int64) Tensor { return tensorOf(data, len(data), dims) }

// Ints returns a tensor of 64-bit integers, a vector where no dimensions are given.
func Ints(data []int64, dims ...int64) Tensor { return tensorOf(data, len(data), dims) }

func tensorOf(data any, n int, dims []int64) Tensor {
	if len(dims) == 0 {
		dims = []int64{int64(n)}
	}
	return Tensor{Data: data, Dims: dims}
}

// memory returns where the data lies, how many elements there are, and their type.
func (t Tensor) memory() (p unsafe.Pointer, n int, element Element, err error) {
	switch d := t.Data.(type) {
	case []float32:
		p, n, element = unsafe.Pointer(unsafe.SliceData(d)), len(d), Float32
	case []int64:
		p, n, element = unsafe.Pointer(unsafe.SliceData(d)), len(d), Int64
	case []int32:
		p, n, element = unsafe.Pointer(unsafe.SliceData(d)), len(d), Int32
	default:
		return nil, 0, 0, fmt.Errorf("data of type %T: []float32, []int64 or []int32 are possible", t.Data)
	}
	if product, ok := elements(t.Dims, math.MaxInt32); !ok || product != n {
		return nil, 0, 0, fmt.Errorf("%d elements do not fill the dimensions %v", n, t.Dims)
	}
	return p, n, element, nil
}

// size returns the bytes of an element.
func (e Element) size() int {
	if e == Int64 {
		return 8
	}
	return 4
}

// elements multiplies dimensions. It is not ok where one is negative, or the product passes a
// limit.
func elements(dims []int64, limit int) (n int, ok bool) {
	if slices.Contains(dims, 0) {
		return 0, !slices.ContainsFunc(dims, func(d int64) bool { return d < 0 })
	}
	n = 1
	for _, d := range dims {
		if d < 0 || d > int64(limit/n) {
			return 0, false
		}
		n *= int(d)
	}
	return n, true
}

// Run computes some outputs, by their names, in the order asked for. It returns copies, which
// the caller owns.
//
// Each input of the model must be given. Tensors under other names are not used: the parts of
// a model that was cut take different inputs, and can be given the same.
//
// When ctx ends, the run ends with the cause of ctx at the next operator. That is a few
// milliseconds later, or a hundred for large models; Run returns only then. The memory of the
// inputs must not be changed until it returns.
func (s *Session) Run(ctx context.Context, in map[string]Tensor, outputs ...string) ([]Tensor, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.open.RLock()
	defer s.open.RUnlock()
	if s.ptr == 0 {
		return nil, errors.New("the session is closed")
	}
	l := s.lib
	c := call{lib: l}
	defer c.release()
	for _, v := range s.inputs {
		t, ok := in[v.Name]
		if !ok {
			return nil, fmt.Errorf("the input %s is missing", v.Name)
		}
		if err := c.give(v, t); err != nil {
			return nil, fmt.Errorf("input %s: %w", v.Name, err)
		}
	}
	for _, name := range outputs {
		if !slices.ContainsFunc(s.outputs, func(v Value) bool { return v.Name == name }) {
			return nil, fmt.Errorf("the model has no output %s", name)
		}
		c.outNames = append(c.outNames, cString(name))
	}
	if len(outputs) == 0 {
		return nil, errors.New("no output is asked for")
	}
	if err := c.run(ctx, s.ptr); err != nil {
		return nil, err
	}
	result := make([]Tensor, len(outputs))
	for i, name := range outputs {
		var err error
		if result[i], err = l.read(c.out[i], s.maxOutput); err != nil {
			return nil, fmt.Errorf("output %s: %w", name, err)
		}
	}
	return result, nil
}

// call is what one run hands to the library.
type call struct {
	lib               *Library
	inNames, outNames []*byte
	in, out           []uintptr        // OrtValue
	data              []unsafe.Pointer // what in refers to, which must live as long
}

// give wraps a tensor, without a copy of its data.
func (c *call) give(v Value, t Tensor) error {
	p, n, element, err := t.memory()
	if err != nil {
		return err
	}
	if element != v.Element {
		return fmt.Errorf("it is of %s, and %s was given", v.Element, element)
	}
	var dims *int64
	if len(t.Dims) > 0 {
		dims = &t.Dims[0]
	}
	if n == 0 { // the library refuses a nil pointer, even to nothing
		p = unsafe.Pointer(new(int64))
	}
	var value uintptr
	if err := c.lib.check(c.lib.api.createTensor(c.lib.cpu, p, uintptr(n*element.size()), dims, uintptr(len(t.Dims)), int32(element), &value)); err != nil {
		return err
	}
	c.inNames, c.in, c.data = append(c.inNames, cString(v.Name)), append(c.in, value), append(c.data, p)
	return nil
}

// run runs a session, and terminates the run when ctx ends.
func (c *call) run(ctx context.Context, session uintptr) error {
	l := c.lib
	var options uintptr
	if err := l.check(l.api.createRunOptions(&options)); err != nil {
		return err
	}
	defer l.api.releaseRunOptions(options)
	terminated := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(terminated)
		_ = l.check(l.api.setTerminate(options)) // it cannot fail, and Run would go on
	})
	c.out = make([]uintptr, len(c.outNames))
	var in *uintptr
	var inNames **byte
	if len(c.in) > 0 {
		in, inNames = &c.in[0], &c.inNames[0]
	}
	err := l.check(l.api.run(session, options, inNames, in, uintptr(len(c.in)), &c.outNames[0], uintptr(len(c.outNames)), &c.out[0]))
	if !stop() {
		<-terminated // the options are released below, and must not be in use then
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (c *call) release() {
	for _, v := range slices.Concat(c.in, c.out) {
		if v != 0 {
			c.lib.api.releaseValue(v)
		}
	}
	runtime.KeepAlive(c.data)
}

// read copies a tensor of at most so many bytes.
func (l *Library) read(value uintptr, maxBytes int) (Tensor, error) {
	if value == 0 {
		return Tensor{}, errors.New("the model left it out")
	}
	var isTensor int32
	if err := l.check(l.api.isTensor(value, &isTensor)); err != nil {
		return Tensor{}, err
	}
	if isTensor == 0 {
		return Tensor{}, errors.New("it is no tensor")
	}
	var info uintptr
	if err := l.check(l.api.typeAndShape(value, &info)); err != nil {
		return Tensor{}, err
	}
	element, dims, err := l.shape(info)
	l.api.releaseTensorInfo(info)
	if err != nil {
		return Tensor{}, err
	}
	if element != Float32 && element != Int32 && element != Int64 {
		return Tensor{}, fmt.Errorf("it is of %s: float32, int32 and int64 are possible", element)
	}
	n, ok := elements(dims, maxBytes/element.size())
	if !ok {
		return Tensor{}, fmt.Errorf("its dimensions %v pass the limit of %d bytes", dims, maxBytes)
	}
	var p unsafe.Pointer
	if err := l.check(l.api.tensorData(value, &p)); err != nil {
		return Tensor{}, err
	}
	if p == nil && n > 0 {
		return Tensor{}, errors.New("it has no data")
	}
	t := Tensor{Dims: dims}
	switch element {
	case Float32:
		t.Data = copied[float32](p, n)
	case Int32:
		t.Data = copied[int32](p, n)
	default:
		t.Data = copied[int64](p, n)
	}
	return t, nil
}

func copied[T any](p unsafe.Pointer, n int) []T {
	if n == 0 {
		return []T{}
	}
	return slices.Clone(unsafe.Slice((*T)(p), n))
}

// cString returns a name as C has it.
func cString(s string) *byte { return &append([]byte(s), 0)[0] }
