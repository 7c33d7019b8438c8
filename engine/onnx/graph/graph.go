// Package graph reads and changes neural models in the ONNX format.
//
// It works on the wire format of protobuf: what it does not change it passes on as it is. It
// gives a model more outputs, lets the caller supply the random numbers that the model would
// draw, and cuts a speech model in two, so that the caller gets the sound piece by piece.
//
// Models come from anywhere, so nothing in a file is trusted. Parse allocates at most some
// twenty times the size of what describes the operators, and nothing for the weights; no file
// makes it recurse deeply or loop. Errors are for the people who install voices.
//
// Field numbers are those of onnx.proto3 of ONNX 1.16.
package graph

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	maxNodes = 200_000   // operators of a model, with those of its subgraphs; large voices have 10,000
	maxNames = 2_000_000 // inputs and outputs of all operators
	maxDepth = 8         // subgraphs inside one another
	maxRank  = 32        // dimensions of a tensor
)

// Value describes an input or output of a model.
type Value struct {
	Name    string
	Element int32   // type of the elements as ONNX numbers them: 1 float32, 6 int32, 7 int64, 10 float16; 0 unknown
	Dims    []int64 // -1 where any size is possible; nil where the shape is unknown

	body []byte // ValueInfoProto
}

// weight is a constant tensor.
type weight struct {
	name string
	body []byte // TensorProto
}

// Model is an ONNX model. Its parts refer to the bytes that Parse got, which must not change
// while the model is in use. It is not safe for concurrent use.
type Model struct {
	header   [][]byte // fields of the model besides the graph, with their tags
	extras   [][]byte // fields of the graph besides the following
	nodes    []node   // each after those whose results it takes
	weights  []weight
	inputs   []Value
	outputs  []Value
	metadata map[string]string
	opset    int64  // of the standard operators
	hidden   string // a random operator in a subgraph or function, which TakeNoise cannot reach

	maker map[string]int // by which node a tensor is made
	fixed map[string]int // by which weight, -1 where it is sparse
}

// Parse reads a model. It refuses what is damaged, what has parts in other files, and what is
// larger than any voice.
func Parse(file []byte) (*Model, error) {
	m := &Model{metadata: map[string]string{}}
	p := parser{m: m}
	graphs := 0
	err := fields(file, func(f field) error {
		switch {
		case f.num == 7 && f.wire == wireBytes: // protobuf merges several
			graphs++
			return p.graph(f.body)
		case f.num == 8 && f.wire == wireBytes:
			if err := p.opset(f.body); err != nil {
				return err
			}
		case f.num == 14 && f.wire == wireBytes:
			key, value, err := pair(f.body)
			if err != nil {
				return err
			}
			m.metadata[key] = value
		case f.num == 25 && f.wire == wireBytes:
			if err := p.function(f.body); err != nil {
				return err
			}
		}
		m.header = append(m.header, f.raw)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the model is damaged, or no ONNX file: %w", err)
	}
	if graphs == 0 || len(m.nodes) == 0 || len(m.outputs) == 0 {
		return nil, errors.New("the file is no ONNX model: it has no operators or no outputs")
	}
	if err := m.arrange(); err != nil {
		return nil, fmt.Errorf("the model is damaged: %w", err)
	}
	return m, nil
}

func (m *Model) makes(name string) bool { _, ok := m.maker[name]; return ok }

// Inputs returns what the model takes. Old models list their weights as inputs too; those are
// left out.
func (m *Model) Inputs() []Value {
	return slices.DeleteFunc(slices.Clone(m.inputs), func(v Value) bool {
		_, fixed := m.fixed[v.Name]
		return fixed
	})
}

// Outputs returns what the model makes.
func (m *Model) Outputs() []Value { return slices.Clone(m.outputs) }

// HasInput tells whether the model has an input of that name.
func (m *Model) HasInput(name string) bool { return named(m.inputs, name) }

// HasOutput tells whether the model has an output of that name.
func (m *Model) HasOutput(name string) bool { return named(m.outputs, name) }

func named(list []Value, name string) bool {
	return slices.ContainsFunc(list, func(v Value) bool { return v.Name == name })
}

// Metadata returns the texts that the exporter put into the model, by their keys. The caller
// must not change the map.
func (m *Model) Metadata() map[string]string { return m.metadata }

// Opset returns the version of the standard operators that the model is written in.
func (m *Model) Opset() int { return int(m.opset) }

// WithOutputs returns a model that also outputs some tensors from its inside. They keep their
// names. The model itself stays as it is.
func (m *Model) WithOutputs(names ...string) (*Model, error) {
	c := *m
	c.outputs = slices.Clone(m.outputs)
	for _, name := range names {
		if named(c.outputs, name) {
			continue
		}
		if !m.makes(name) {
			return nil, fmt.Errorf("the model has no tensor %s", quoted(name))
		}
		c.outputs = append(c.outputs, bareValue(name))
	}
	return &c, nil
}

// Bytes returns the model as a file.
func (m *Model) Bytes() []byte {
	var g []byte
	for _, n := range m.nodes {
		g = appendField(g, 1, n.body)
	}
	for _, raw := range m.extras {
		g = append(g, raw...)
	}
	for _, v := range m.inputs {
		g = appendField(g, 11, v.body)
	}
	for _, v := range m.outputs {
		g = appendField(g, 12, v.body)
	}
	// The weights are most of a model: their size is computed first, so that they are copied once.
	size := len(g)
	for _, w := range m.weights {
		size += fieldSize(5, len(w.body))
	}
	header := bytes.Join(m.header, nil)
	b := make([]byte, 0, len(header)+fieldSize(7, size))
	b = append(b, header...)
	b = appendTag(b, 7, size)
	b = append(b, g...)
	for _, w := range m.weights {
		b = appendField(b, 5, w.body)
	}
	return b
}

// quoted shows a name from a file: a short one, on one line.
func quoted(name string) string {
	if len(name) > 80 {
		name = strings.ToValidUTF8(name[:80], "") + "…"
	}
	return fmt.Sprintf("%q", name)
}
