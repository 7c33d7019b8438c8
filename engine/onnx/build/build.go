// Package build writes neural models in the ONNX format: those that tests and benchmarks use in
// place of real voices, which are large and have licences of their own.
package build

import (
	"encoding/binary"
	"math"
)

// Element is the type of a tensor's elements, by its number in ONNX.
type Element int64

// Element types.
const (
	Float32 Element = 1
	Int32   Element = 6
	Int64   Element = 7
)

// Graph collects a model. Operators must be added after those whose results they take.
type Graph struct {
	opset                           int64
	nodes, weights, inputs, outputs []byte // fields of GraphProto
	metadata                        []byte // fields of ModelProto
}

// New returns an empty model in a version of the standard operators.
func New(opset int) *Graph { return &Graph{opset: int64(opset)} }

// Attr is an attribute of an operator.
type Attr []byte // AttributeProto

// Kinds of attributes, by their numbers in ONNX.
const (
	kindFloat = 1
	kindInt   = 2
	kindText  = 3
	kindInts  = 7
)

// Int returns an attribute that is an integer.
func Int(name string, v int) Attr {
	return number(number(text(nil, 1, name), 3, int64(v)), 20, kindInt)
}

// Ints returns an attribute that is a list of integers.
func Ints(name string, list ...int) Attr {
	b := text(nil, 1, name)
	for _, v := range list {
		b = number(b, 8, int64(v))
	}
	return number(b, 20, kindInts)
}

// Float returns an attribute that is a number.
func Float(name string, v float32) Attr {
	b := binary.LittleEndian.AppendUint32(append(text(nil, 1, name), 2<<3|5), math.Float32bits(v))
	return number(b, 20, kindFloat)
}

// Text returns an attribute that is a string.
func Text(name, v string) Attr {
	return number(text(text(nil, 1, name), 4, v), 20, kindText)
}

// Node adds an operator with one result and returns the result's name.
func (g *Graph) Node(op string, in []string, out string, attrs ...Attr) string {
	var b []byte
	for _, name := range in {
		b = text(b, 1, name)
	}
	b = text(b, 2, out)
	b = text(b, 3, "/"+out)
	b = text(b, 4, op)
	for _, a := range attrs {
		b = bytes(b, 5, a)
	}
	g.nodes = bytes(g.nodes, 1, b)
	return out
}

// Floats adds a constant of floats and returns its name. No dimensions make it a single number.
func (g *Graph) Floats(name string, data []float32, dims ...int) string {
	raw := make([]byte, 0, 4*len(data))
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return g.weight(name, Float32, raw, dims)
}

// Ints adds a constant of 64-bit integers and returns its name. No dimensions make it a single
// number.
func (g *Graph) Ints(name string, data []int64, dims ...int) string {
	raw := make([]byte, 0, 8*len(data))
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.weight(name, Int64, raw, dims)
}

func (g *Graph) weight(name string, e Element, raw []byte, dims []int) string {
	var b []byte
	for _, d := range dims {
		b = number(b, 1, int64(d))
	}
	b = bytes(text(number(b, 2, int64(e)), 8, name), 9, raw)
	g.weights = bytes(g.weights, 5, b)
	return name
}

// Input adds an input and returns its name. A dimension is an int, or a string where any size
// is possible.
func (g *Graph) Input(name string, e Element, dims ...any) string {
	g.inputs = bytes(g.inputs, 11, value(name, e, dims))
	return name
}

// Output makes a tensor an output. Dimensions are those of Input.
func (g *Graph) Output(name string, e Element, dims ...any) {
	g.outputs = bytes(g.outputs, 12, value(name, e, dims))
}

func value(name string, e Element, dims []any) []byte {
	var shape []byte
	for _, d := range dims {
		switch d := d.(type) {
		case int:
			shape = bytes(shape, 1, number(nil, 1, int64(d)))
		case string:
			shape = bytes(shape, 1, text(nil, 2, d))
		}
	}
	tensor := bytes(number(nil, 1, int64(e)), 2, shape)
	return bytes(text(nil, 1, name), 2, bytes(nil, 1, tensor))
}

// Metadata adds a text to the model.
func (g *Graph) Metadata(key, v string) {
	g.metadata = bytes(g.metadata, 14, text(text(nil, 1, key), 2, v))
}

// Bytes returns the model as a file.
func (g *Graph) Bytes() []byte {
	const irVersion = 8 // of ONNX 1.10, which has opset 15
	graph := append([]byte(nil), g.nodes...)
	graph = text(graph, 2, "main")
	graph = append(graph, g.weights...)
	graph = append(graph, g.inputs...)
	graph = append(graph, g.outputs...)
	b := number(nil, 1, irVersion)
	b = text(b, 2, "vaak")
	b = bytes(b, 7, graph)
	b = bytes(b, 8, number(text(nil, 1, ""), 2, g.opset))
	return append(b, g.metadata...)
}

// The encoding of protobuf: a field's number and type, then its value.

func number(b []byte, field int, v int64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(field)<<3), uint64(v))
}

func bytes(b []byte, field int, v []byte) []byte {
	b = binary.AppendUvarint(b, uint64(field)<<3|2)
	return append(binary.AppendUvarint(b, uint64(len(v))), v...)
}

func text(b []byte, field int, s string) []byte { return bytes(b, field, []byte(s)) }
