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

// parser counts what it has read, so that a file of many tiny parts is refused in time.
type parser struct {
	m            *Model
	nodes, names int
}

func (p *parser) graph(b []byte) error {
	m := p.m
	return fields(b, func(f field) (err error) {
		switch {
		case f.wire != wireBytes:
			m.extras = append(m.extras, f.raw)
		case f.num == 1:
			n, err := p.node(f.body, 0)
			if err != nil {
				return err
			}
			if n.hidden != "" {
				m.hidden = n.hidden
			}
			m.nodes = append(m.nodes, n)
		case f.num == 5:
			w := weight{body: f.body}
			w.name, err = tensorName(f.body)
			m.weights = append(m.weights, w)
		case f.num == 11:
			m.inputs, err = appendValue(m.inputs, f.body)
		case f.num == 12:
			m.outputs, err = appendValue(m.outputs, f.body)
		case f.num == 10 || f.num == 13: // a description, and shapes that can be computed
		default:
			m.extras = append(m.extras, f.raw)
		}
		if err == nil && len(m.weights)+len(m.inputs)+len(m.outputs)+len(m.extras) > maxNodes {
			err = errTooMany
		}
		return err
	})
}

func (p *parser) opset(b []byte) error {
	domain, version := "", int64(0)
	err := fields(b, func(f field) error {
		switch {
		case f.num == 1 && f.wire == wireBytes:
			domain = string(f.body)
		case f.num == 2 && f.wire == wireVarint:
			version = int64(f.value)
		}
		return nil
	})
	if standard(domain) {
		p.m.opset = version
	}
	return err
}

// function looks for random operators in a function of the model.
func (p *parser) function(b []byte) error {
	return fields(b, func(f field) error {
		if f.num != 7 || f.wire != wireBytes {
			return nil
		}
		n, err := p.node(f.body, 0)
		if err != nil {
			return err
		}
		if n.random() {
			p.m.hidden = n.op
		} else if n.hidden != "" {
			p.m.hidden = n.hidden
		}
		return nil
	})
}

var errTooMany = fmt.Errorf("it has more parts than the %d that a model may have", maxNodes)

// pair reads a StringStringEntryProto.
func pair(b []byte) (key, value string, err error) {
	err = fields(b, func(f field) error {
		switch {
		case f.num == 1 && f.wire == wireBytes:
			key = string(f.body)
		case f.num == 2 && f.wire == wireBytes:
			value = string(f.body)
		}
		return nil
	})
	return key, value, err
}

// tensorName returns the name of a TensorProto and refuses one whose numbers are in a file of
// their own.
func tensorName(b []byte) (name string, err error) {
	err = fields(b, func(f field) error {
		switch {
		case f.num == 8 && f.wire == wireBytes:
			name = string(f.body)
		case f.num == 13, f.num == 14 && f.value != 0: // external_data, data_location
			return errors.New("its weights are in another file, and only models of one file can be read")
		}
		return nil
	})
	return name, err
}

// tensorDims returns the dimensions of a TensorProto.
func tensorDims(b []byte) ([]int64, error) {
	var dims []int64
	err := fields(b, func(f field) (err error) {
		if f.num == 1 {
			dims, err = f.appendInts(dims, maxRank)
		}
		return err
	})
	return dims, err
}

// appendValue reads a ValueInfoProto. A second one of the same name is dropped.
func appendValue(list []Value, b []byte) ([]Value, error) {
	v := Value{body: b}
	err := fields(b, func(f field) error {
		switch {
		case f.num == 1 && f.wire == wireBytes:
			v.Name = string(f.body)
		case f.num == 2 && f.wire == wireBytes: // TypeProto
			return fields(f.body, func(f field) error {
				if f.num == 1 && f.wire == wireBytes {
					return v.tensor(f.body)
				}
				return nil
			})
		}
		return nil
	})
	if err != nil || slices.ContainsFunc(list, func(o Value) bool { return o.Name == v.Name }) {
		return list, err
	}
	if len(list) >= 1024 {
		return nil, errors.New("it has more than 1024 inputs or outputs")
	}
	return append(list, v), nil
}

// tensor reads a TypeProto.Tensor.
func (v *Value) tensor(b []byte) error {
	return fields(b, func(f field) error {
		switch {
		case f.num == 1 && f.wire == wireVarint:
			v.Element = int32(f.value)
		case f.num == 2 && f.wire == wireBytes: // TensorShapeProto
			v.Dims = []int64{}
			return fields(f.body, func(f field) error {
				if f.num != 1 || f.wire != wireBytes {
					return nil
				}
				if len(v.Dims) == maxRank {
					return fmt.Errorf("a tensor has more than %d dimensions", maxRank)
				}
				dim := int64(-1)
				err := fields(f.body, func(f field) error {
					if f.num == 1 && f.wire == wireVarint {
						dim = max(-1, int64(f.value))
					}
					return nil
				})
				v.Dims = append(v.Dims, dim)
				return err
			})
		}
		return nil
	})
}

// arrange notes which operator makes what, and sorts the operators so that each comes after
// those whose results it takes.
func (m *Model) arrange() error {
	m.maker, m.fixed = make(map[string]int, len(m.nodes)), make(map[string]int, len(m.weights))
	for i, w := range m.weights {
		m.fixed[w.name] = i
	}
	for _, raw := range m.extras {
		if name := sparseName(raw); name != "" {
			m.fixed[name] = -1
		}
	}
	given := make(map[string]bool, len(m.inputs))
	for _, v := range m.inputs {
		given[v.Name] = true
	}
	for i, n := range m.nodes {
		for _, name := range n.out {
			if name == "" {
				continue
			}
			_, made := m.maker[name]
			if _, fixed := m.fixed[name]; made || fixed || given[name] {
				return fmt.Errorf("the tensor %s is made twice", quoted(name))
			}
			m.maker[name] = i
		}
	}
	for _, v := range m.outputs {
		if _, fixed := m.fixed[v.Name]; !fixed && !given[v.Name] && !m.makes(v.Name) {
			return fmt.Errorf("nothing makes its output %s", quoted(v.Name))
		}
	}
	for _, n := range m.nodes {
		for _, name := range n.in {
			if _, fixed := m.fixed[name]; name != "" && !fixed && !given[name] && !m.makes(name) {
				return fmt.Errorf("nothing makes %s, which an operator %s takes", quoted(name), quoted(n.op))
			}
		}
	}
	return m.sort()
}

// sort orders the nodes and refuses loops.
func (m *Model) sort() error {
	sorted := true
	waits := make([]int, len(m.nodes)) // for how many results
	users := make([][]int, len(m.nodes))
	for i, n := range m.nodes {
		for name := range n.takes() {
			if k, ok := m.maker[name]; ok {
				waits[i]++
				users[k] = append(users[k], i)
				sorted = sorted && k < i
			}
		}
	}
	if sorted {
		return nil
	}
	ready := make([]int, 0, len(m.nodes))
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for k := 0; k < len(ready); k++ {
		for _, i := range users[ready[k]] {
			if waits[i]--; waits[i] == 0 {
				ready = append(ready, i)
			}
		}
	}
	if len(ready) < len(m.nodes) {
		return errors.New("its operators form a loop")
	}
	nodes := make([]node, len(ready))
	for i, k := range ready {
		nodes[i] = m.nodes[k]
	}
	m.nodes = nodes
	for i, n := range m.nodes {
		for _, name := range n.out {
			if name != "" {
				m.maker[name] = i
			}
		}
	}
	return nil
}

// sparseName returns the name of a graph's sparse_initializer field, or "".
func sparseName(raw []byte) (name string) {
	_ = fields(raw, func(f field) error { // damage is left to the runtime
		if f.num != 15 || f.wire != wireBytes {
			return nil
		}
		return fields(f.body, func(f field) (err error) {
			if f.num == 1 && f.wire == wireBytes {
				name, err = tensorName(f.body)
			}
			return err
		})
	})
	return name
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
