package graph

import (
	"fmt"
	"slices"
)

// users lists by which nodes each tensor is taken.
func (m *Model) users() map[string][]int {
	users := make(map[string][]int, len(m.nodes))
	for i, n := range m.nodes {
		for name := range n.takes() {
			users[name] = append(users[name], i)
		}
	}
	return users
}

// after returns the tensors that depend on one, and that itself.
func (m *Model) after(name string) map[string]bool {
	reached := map[string]bool{name: true}
	for _, n := range m.nodes { // they are sorted
		for in := range n.takes() {
			if reached[in] {
				for _, out := range n.out {
					if out != "" {
						reached[out] = true
					}
				}
				break
			}
		}
	}
	return reached
}

// part returns what of the model is needed to compute some outputs where one tensor is given,
// or none if the name is "".
func (m *Model) part(given Value, outputs ...string) (*Model, error) {
	need := map[string]bool{}
	for _, name := range outputs {
		need[name] = true
	}
	p := *m
	p.nodes, p.weights, p.inputs, p.outputs = nil, nil, nil, nil
	for _, n := range slices.Backward(m.nodes) { // they are sorted
		if slices.ContainsFunc(n.out, func(name string) bool { return need[name] && name != given.Name }) {
			p.nodes = append(p.nodes, n)
			for name := range n.takes() {
				need[name] = true
			}
		}
	}
	slices.Reverse(p.nodes)
	for _, w := range m.weights {
		if need[w.name] {
			p.weights = append(p.weights, w)
		}
	}
	for _, v := range m.inputs {
		if need[v.Name] {
			p.inputs = append(p.inputs, v)
		}
	}
	if given.Name != "" {
		p.inputs = append(p.inputs, given)
	}
	for _, name := range outputs {
		v := bareValue(name)
		if i := slices.IndexFunc(m.outputs, func(v Value) bool { return v.Name == name }); i >= 0 {
			v = m.outputs[i]
		}
		p.outputs = append(p.outputs, v)
	}
	if given.Name != "" && m.makes(given.Name) {
		// An operator with several results may make the given one, too.
		if slices.ContainsFunc(p.nodes, func(n node) bool { return slices.Contains(n.out, given.Name) }) {
			return nil, fmt.Errorf("the operator that makes %s makes more that is needed", quoted(given.Name))
		}
	}
	return &p, p.arrange()
}

// before returns the tensors that one depends on, and that itself.
func (m *Model) before(name string) map[string]bool {
	reached := map[string]bool{name: true}
	for _, n := range slices.Backward(m.nodes) { // they are sorted
		if slices.ContainsFunc(n.out, func(name string) bool { return reached[name] }) {
			for in := range n.takes() {
				reached[in] = true
			}
		}
	}
	return reached
}
