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
