package graph

import (
	"errors"
	"fmt"
	"slices"
)

// Durations returns the name of the tensor that says how many frames of sound each id of the
// text lasts. It may be one inside the model, which [Model.WithOutputs] makes an output; its
// elements may be floats or integers.
//
// It is an output of that meaning where the model has one. Else it is found by what the models
// do: those of Piper round up, once in the whole model; those of Kokoro round, put a limit to
// the result and make integers of it.
func (m *Model) Durations() (string, error) {
	for _, name := range []string{"duration", "durations", "pred_dur"} {
		if m.HasOutput(name) {
			return name, nil
		}
	}
	var up, rounded []string
	users := m.users()
	for _, n := range m.nodes {
		switch {
		case len(n.out) != 1:
		case n.op == "Ceil":
			up = append(up, n.out[0])
		case n.op == "Round":
			for _, k := range users[n.out[0]] {
				if limit := m.nodes[k]; (limit.op == "Clip" || limit.op == "Max") && len(limit.out) == 1 {
					for _, k := range users[limit.out[0]] {
						if cast := m.nodes[k]; cast.op == "Cast" && len(cast.out) == 1 {
							rounded = append(rounded, cast.out[0])
						}
					}
				}
			}
		}
	}
	if m.HasInput("style") {
		up = nil
	}
	for _, found := range [][]string{up, slices.Compact(rounded)} {
		if len(found) == 1 {
			return found[0], nil
		}
	}
	switch {
	case len(up) > 1:
		return "", fmt.Errorf("the model rounds up in %d places, and which of them is the length of sounds is not known", len(up))
	case len(rounded) > 1:
		return "", fmt.Errorf("the model rounds to integers in %d places, and which of them is the length of sounds is not known", len(rounded))
	}
	return "", errors.New("the model does not tell how long its sounds are: it has no output duration, and rounds nothing")
}

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
