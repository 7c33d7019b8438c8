package graph

import (
	"errors"
	"fmt"
)

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
