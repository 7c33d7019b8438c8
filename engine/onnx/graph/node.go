package graph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
)

// node is an operator.
type node struct {
	op      string // "" where it is not one of the standard's
	in, out []string
	outer   []string // names that its subgraphs use, their own among them
	hidden  string   // a random operator in its subgraphs
	body    []byte   // NodeProto
}

// standard tells whether a domain is that of ONNX's own operators.
func standard(domain string) bool { return domain == "" || domain == "ai.onnx" }

// node reads a NodeProto at a depth of subgraphs.
func (p *parser) node(b []byte, depth int) (node, error) {
	if p.nodes++; p.nodes > maxNodes {
		return node{}, errTooMany
	}
	n := node{body: b}
	domain := ""
	err := fields(b, func(f field) error {
		if f.wire != wireBytes {
			return nil
		}
		switch f.num {
		case 1, 2:
			if p.names++; p.names > maxNames {
				return errTooMany
			}
			if f.num == 1 {
				n.in = append(n.in, string(f.body))
			} else {
				n.out = append(n.out, string(f.body))
			}
		case 4:
			n.op = string(f.body)
		case 5:
			return p.attribute(&n, f.body, depth)
		case 7:
			domain = string(f.body)
		}
		return nil
	})
	if err == nil && (n.op == "" || len(n.out) == 0) {
		err = errors.New("it has an operator without a name or without results")
	}
	if !standard(domain) {
		n.op = ""
	}
	return n, err
}

// attribute reads the subgraphs of an attribute, and refuses constants in other files.
func (p *parser) attribute(n *node, b []byte, depth int) error {
	return fields(b, func(f field) error {
		if f.wire != wireBytes {
			return nil
		}
		switch f.num {
		case 5, 10: // tensors
			_, err := tensorName(f.body)
			return err
		case 6, 11: // graphs
			if depth == maxDepth {
				return fmt.Errorf("it has subgraphs more than %d deep", maxDepth)
			}
			return p.subgraph(n, f.body, depth+1)
		}
		return nil
	})
}

// subgraph notes what a subgraph of an operator takes from outside. Names of its own are noted
// too, which does no harm: they only keep more of a model together.
func (p *parser) subgraph(n *node, b []byte, depth int) error {
	return fields(b, func(f field) error {
		if f.wire != wireBytes {
			return nil
		}
		switch f.num {
		case 1:
			inner, err := p.node(f.body, depth)
			if err != nil {
				return err
			}
			n.outer = append(append(n.outer, inner.in...), inner.outer...)
			if p.names += len(inner.in) + len(inner.outer); p.names > maxNames {
				return errTooMany
			}
			if inner.random() {
				n.hidden = inner.op
			} else if inner.hidden != "" {
				n.hidden = inner.hidden
			}
		case 5:
			_, err := tensorName(f.body)
			return err
		case 12: // an output may be a tensor from outside
			name, _, err := pair(f.body) // its name is field 1
			if err != nil {
				return err
			}
			n.outer = append(n.outer, name)
		}
		return nil
	})
}

// takes lists the tensors that a node takes.
func (n node) takes() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, list := range [][]string{n.in, n.outer} {
			for _, name := range list {
				if name != "" && !yield(name) {
					return
				}
			}
		}
	}
}

// random tells whether a node draws random numbers.
func (n node) random() bool {
	switch n.op {
	case "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial":
		return true
	}
	return false
}

// attr calls do for the fields of an attribute. It does nothing where there is none.
func (n node) attr(name string, do func(field) error) error {
	return fields(n.body, func(f field) error {
		if f.num != 5 || f.wire != wireBytes {
			return nil
		}
		is := false
		err := fields(f.body, func(f field) error {
			is = is || f.num == 1 && f.wire == wireBytes && string(f.body) == name
			return nil
		})
		if err != nil || !is {
			return err
		}
		return fields(f.body, do)
	})
}

func (n node) floatAttr(name string, otherwise float32) float32 {
	_ = n.attr(name, func(f field) error { // the node was read before
		if f.num == 2 && f.wire == wire32 {
			otherwise = math.Float32frombits(uint32(f.value))
		}
		return nil
	})
	return otherwise
}

func (n node) intAttr(name string, otherwise int64) int64 {
	_ = n.attr(name, func(f field) error {
		if f.num == 3 && f.wire == wireVarint {
			otherwise = int64(f.value)
		}
		return nil
	})
	return otherwise
}

func (n node) textAttr(name string) (text string) {
	_ = n.attr(name, func(f field) error {
		if f.num == 4 && f.wire == wireBytes {
			text = string(f.body)
		}
		return nil
	})
	return text
}

// intsAttr returns nil where there is no such attribute.
func (n node) intsAttr(name string) (list []int64, err error) {
	err = n.attr(name, func(f field) (err error) {
		if f.num == 8 {
			list, err = f.appendInts(list, maxRank)
		}
		return err
	})
	return list, err
}

// newNode returns a node of the standard's operators, with integer attributes.
func newNode(op string, in []string, out string, attrs ...attribute) node {
	n := node{op: op, in: in, out: []string{out}}
	for _, s := range in {
		n.body = appendString(n.body, 1, s)
	}
	n.body = appendString(n.body, 2, out)
	n.body = appendString(n.body, 3, out)
	n.body = appendString(n.body, 4, op)
	for _, a := range attrs {
		const kindInt = 2
		b := appendString(nil, 1, a.name)
		b = appendInt(b, 3, a.value)
		n.body = appendField(n.body, 5, appendInt(b, 20, kindInt))
	}
	return n
}

type attribute struct {
	name  string
	value int64
}

// newWeight returns a constant. No dimensions make it a single number.
func newWeight(name string, element int64, raw []byte, dims ...int64) weight {
	var b []byte
	for _, d := range dims {
		b = appendInt(b, 1, d)
	}
	b = appendInt(b, 2, element)
	b = appendString(b, 8, name)
	return weight{name: name, body: appendField(b, 9, raw)}
}

func intsWeight(name string, values []int64, dims ...int64) weight {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return newWeight(name, elementInt64, raw, dims...)
}

func floatWeight(name string, v float32) weight {
	return newWeight(name, elementFloat, binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
}

// Element types as ONNX numbers them.
const (
	elementFloat   = 1
	elementInt64   = 7
	elementFloat16 = 10
)

// newValue describes an input, whose sizes are -1 where any is possible.
func newValue(name string, element int32, dims ...int64) Value {
	var shape []byte
	for i, d := range dims {
		var dim []byte
		if d < 0 {
			dim = appendString(nil, 2, fmt.Sprintf("%s_%d", name, i))
		} else {
			dim = appendInt(nil, 1, d)
		}
		shape = appendField(shape, 1, dim)
	}
	tensor := appendField(appendInt(nil, 1, int64(element)), 2, shape)
	body := appendField(appendString(nil, 1, name), 2, appendField(nil, 1, tensor))
	return Value{Name: name, Element: element, Dims: dims, body: body}
}

// bareValue describes an output of which the runtime finds out type and shape.
func bareValue(name string) Value { return Value{Name: name, body: appendString(nil, 1, name)} }

// dims returns the dimensions of a constant: a weight, or what a Constant makes.
func (m *Model) dims(name string) ([]int64, error) {
	for range 8 { // some Identity may lie between
		if i, ok := m.fixed[name]; ok && i >= 0 {
			return tensorDims(m.weights[i].body)
		}
		k, ok := m.maker[name]
		if !ok {
			break
		}
		n := m.nodes[k]
		switch {
		case n.op == "Identity" && len(n.in) == 1:
			name = n.in[0]
			continue
		case n.op == "Constant":
			var dims []int64
			err := n.attr("value", func(f field) (err error) {
				if f.num == 5 && f.wire == wireBytes {
					dims, err = tensorDims(f.body)
				}
				return err
			})
			return dims, err
		}
		break
	}
	return nil, errors.New("it is no constant")
}
