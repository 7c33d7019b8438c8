package graph

import (
	"errors"
	"fmt"
	"slices"
)

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
