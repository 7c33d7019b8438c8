package onnx_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"vaak/engine/onnx/build"
	"vaak/engine/onnx/worker"
)

// Models that no voice is: they have the inputs and the output of Piper's kind.

// model writes a model that adds to a graph what makes the output.
func model(t testing.TB, add func(g *build.Graph) (output string)) worker.Job {
	t.Helper()
	g := build.New(15)
	g.Input("input", build.Int64, 1, "n")
	g.Input("input_lengths", build.Int64, 1)
	g.Input("scales", build.Float32, 3)
	g.Node("Identity", []string{add(g)}, "output")
	g.Output("output", build.Float32, "samples")
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, g.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return worker.Job{Kind: worker.Piper, Model: path, IDs: []int64{1, 0, 2}, To: 3, Seed: 1, Gain: 1}
}

// endless is a model that adds 1 for as long as anybody wants.
func endless(t testing.TB) worker.Job {
	return model(t, func(g *build.Graph) string {
		const boolean = build.Element(9)
		body := build.New(15)
		body.Input("i", build.Int64)
		body.Input("go", boolean)
		body.Input("x", build.Float32, 3)
		body.Node("Identity", []string{"go"}, "go_on")
		body.Node("Add", []string{"x", body.Floats("step", []float32{1})}, "more")
		body.Output("go_on", boolean)
		body.Output("more", build.Float32, 3)
		times := g.Ints("times", []int64{math.MaxInt64})
		goOn := g.Node("Equal", []string{times, times}, "begins")
		return g.Node("Loop", []string{times, goOn, "scales"}, "counted", subgraph("body", body))
	})
}

// subgraph returns an attribute that is a graph.
func subgraph(name string, g *build.Graph) build.Attr {
	b := appendField(nil, 1, []byte(name))
	// Of the model's fields, 7 is the graph.
	for file := g.Bytes(); len(file) > 0; {
		tag, n := binary.Uvarint(file)
		length, k := binary.Uvarint(file[n:])
		file = file[n+k:]
		if tag&7 != 2 {
			continue // a number
		}
		if tag>>3 == 7 {
			b = appendField(b, 6, file[:length])
		}
		file = file[length:]
	}
	const kindGraph = 5
	return binary.AppendUvarint(binary.AppendUvarint(b, 20<<3), kindGraph)
}

func appendField(b []byte, field uint64, v []byte) []byte {
	b = binary.AppendUvarint(b, field<<3|2)
	return append(binary.AppendUvarint(b, uint64(len(v))), v...)
}

// hungry is a model that takes so many bytes for each id.
func hungry(t testing.TB, bytes int64) worker.Job {
	return model(t, func(g *build.Graph) string {
		size := g.Node("Mul", []string{"input_lengths", g.Ints("each", []int64{bytes / 4}, 1)}, "size")
		much := g.Node("ConstantOfShape", []string{size}, "much")
		// It is looked at as a whole, so that it cannot be left away.
		sum := g.Node("ReduceSum", []string{g.Node("Exp", []string{much}, "exp")}, "sum", build.Int("keepdims", 0))
		return g.Node("Mul", []string{"scales", sum}, "product")
	})
}

// heavy is a model with weights of so many bytes, of which a part is its sound.
func heavy(t testing.TB, bytes int, number float32) worker.Job {
	return model(t, func(g *build.Graph) string {
		weights := make([]float32, bytes/4)
		for i := range weights {
			weights[i] = number
		}
		return g.Node("Squeeze", []string{g.Node("Gather", []string{g.Floats("weights", weights, len(weights)), "input"}, "rows")}, "some")
	})
}
