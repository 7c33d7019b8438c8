package ort_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/engine/onnx/build"
	"vaak/engine/onnx/graph"
	"vaak/engine/onnx/ort"
	"vaak/engine/onnx/ort/orttest"
)

func session(t testing.TB, o ort.Options, write func(g *build.Graph)) *ort.Session {
	t.Helper()
	g := build.New(15)
	write(g)
	s, err := orttest.Open(t).NewSession(g.Bytes(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestOpenMissing(t *testing.T) {
	t.Parallel()
	if _, err := ort.Open("libthere-is-none.so.1"); err == nil || !strings.Contains(err.Error(), "libthere-is-none") {
		t.Errorf("Open = %v, want an error that names the library", err)
	}
	if _, err := ort.Open("libc.so.6"); err == nil || !strings.Contains(err.Error(), "OrtGetApiBase") {
		t.Errorf("Open of another library = %v, want an error that says what it lacks", err)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	if v := orttest.Open(t).Version(); !strings.HasPrefix(v, "1.") {
		t.Errorf("Version = %q", v)
	}
}

// echo has an input and an output of each type.
func echo(g *build.Graph) {
	for _, v := range []struct {
		name    string
		element build.Element
	}{{"float", build.Float32}, {"long", build.Int64}, {"int", build.Int32}} {
		g.Input(v.name, v.element, "n", 2)
		g.Output(g.Node("Identity", []string{v.name}, v.name+"_out"), v.element, "n", 2)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	s := session(t, ort.Options{}, echo)
	want := []ort.Value{{"float", ort.Float32, []int64{-1, 2}}, {"long", ort.Int64, []int64{-1, 2}}, {"int", ort.Int32, []int64{-1, 2}}}
	if diff := cmp.Diff(want, s.Inputs()); diff != "" {
		t.Errorf("Inputs (-want +got):\n%s", diff)
	}
	if got := s.Outputs(); len(got) != 3 || got[1].Name != "long_out" || got[1].Element != ort.Int64 {
		t.Errorf("Outputs = %v", got)
	}
	for _, n := range []int{0, 1, 1000} {
		in := map[string]ort.Tensor{
			"float":  ort.Floats(make([]float32, 2*n), int64(n), 2),
			"long":   ort.Ints(make([]int64, 2*n), int64(n), 2),
			"int":    {Data: make([]int32, 2*n), Dims: []int64{int64(n), 2}},
			"unused": ort.Ints([]int64{1}),
		}
		for i := range 2 * n {
			in["float"].Data.([]float32)[i] = float32(i) / 3
			in["long"].Data.([]int64)[i] = int64(i) << 40
			in["int"].Data.([]int32)[i] = int32(-i)
		}
		out, err := s.Run(t.Context(), in, "int_out", "float_out", "long_out")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]ort.Tensor{in["int"], in["float"], in["long"]}, out); diff != "" {
			t.Errorf("%d rows (-want +got):\n%s", n, diff)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	s := session(t, ort.Options{}, echo)
	good := func() map[string]ort.Tensor {
		return map[string]ort.Tensor{
			"float": ort.Floats(make([]float32, 4), 2, 2), "long": ort.Ints(make([]int64, 4), 2, 2),
			"int": {Data: make([]int32, 4), Dims: []int64{2, 2}},
		}
	}
	for _, tt := range []struct {
		name, want string
		change     func(in map[string]ort.Tensor)
		output     string
	}{
		{"missing input", "input long is missing", func(in map[string]ort.Tensor) { delete(in, "long") }, "long_out"},
		{"other type", "of int64, and float32", func(in map[string]ort.Tensor) { in["long"] = in["float"] }, "long_out"},
		{"unknown type", "type []float64", func(in map[string]ort.Tensor) { in["long"] = ort.Tensor{Data: []float64{1}} }, "long_out"},
		{"no data", "type <nil>", func(in map[string]ort.Tensor) { in["long"] = ort.Tensor{} }, "long_out"},
		{"too few elements", "do not fill", func(in map[string]ort.Tensor) { in["float"] = ort.Floats(make([]float32, 4), 3, 2) }, "long_out"},
		{"negative dimensions", "do not fill", func(in map[string]ort.Tensor) { in["float"] = ort.Floats(make([]float32, 4), -2, -2) }, "long_out"},
		{"huge dimensions", "do not fill", func(in map[string]ort.Tensor) { in["float"] = ort.Floats(make([]float32, 4), 1<<33, 1<<33) }, "long_out"},
		{"other rank", "ONNX Runtime", func(in map[string]ort.Tensor) { in["float"] = ort.Floats(make([]float32, 4)) }, "long_out"},
		{"unknown output", "no output sound", func(map[string]ort.Tensor) {}, "sound"},
	} {
		in := good()
		tt.change(in)
		if _, err := s.Run(t.Context(), in, tt.output); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := s.Run(t.Context(), good()); err == nil {
		t.Error("a run without outputs succeeded")
	}
	s.Close()
	s.Close()
	if _, err := s.Run(t.Context(), good(), "long_out"); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a run of a closed session: %v", err)
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		write      func(g *build.Graph)
	}{
		{"doubles", "element type 11", func(g *build.Graph) {
			g.Output(g.Node("Cast", []string{"x"}, "y", build.Int("to", 11)), 11, "n")
		}},
		{"strings", "element type 8", func(g *build.Graph) {
			g.Output(g.Node("Cast", []string{"x"}, "y", build.Int("to", 8)), 8, "n")
		}},
		{"too large", "limit of 64 bytes", func(g *build.Graph) {
			g.Output(g.Node("Concat", []string{"x", "x", "x", "x", "x"}, "y", build.Int("axis", 0)), build.Float32, "n")
		}},
		{"a number", "", func(g *build.Graph) {
			g.Output(g.Node("ReduceMax", []string{"x"}, "y", build.Int("keepdims", 0)), build.Float32)
		}},
	} {
		s := session(t, ort.Options{MaxOutputBytes: 64}, func(g *build.Graph) {
			g.Input("x", build.Float32, "n")
			tt.write(g)
		})
		out, err := s.Run(t.Context(), map[string]ort.Tensor{"x": ort.Floats([]float32{1, 2, 3, 4})}, "y")
		switch {
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		case tt.want == "" && (err != nil || !slices.Equal(out[0].Data.([]float32), []float32{4}) || len(out[0].Dims) != 0):
			t.Errorf("%s: %v, %v", tt.name, out, err)
		}
	}
}

// TestSequence asks for an output that is a list of tensors.
func TestSequence(t *testing.T) {
	t.Parallel()
	g := build.New(15)
	x := g.Input("x", build.Float32, "n")
	g.Node("SequenceConstruct", []string{x, x}, "list")
	g.Output(g.Node("Identity", []string{x}, "y"), build.Float32, "n")
	m, err := graph.Parse(g.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.WithOutputs("list"); err != nil {
		t.Fatal(err)
	}
	s, err := orttest.Open(t).NewSession(m.Bytes(), ort.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if v := s.Outputs()[1]; v.Element != 0 || v.Element.String() != "no tensor" {
		t.Errorf("Outputs = %v", s.Outputs())
	}
	if _, err := s.Run(t.Context(), map[string]ort.Tensor{"x": ort.Floats([]float32{1})}, "list"); err == nil || !strings.Contains(err.Error(), "no tensor") {
		t.Errorf("Run = %v, want that it is no tensor", err)
	}
}

func TestBadModel(t *testing.T) {
	t.Parallel()
	lib := orttest.Open(t)
	for _, model := range [][]byte{nil, {0}, []byte("not a model at all"), make([]byte, 1<<16)} {
		if s, err := lib.NewSession(model, ort.Options{}); err == nil {
			s.Close()
			t.Errorf("%d bytes that are no model: no error", len(model))
		}
	}
}

// slow multiplies large matrices one after another: seconds of work, in operators of
// milliseconds.
func slow(g *build.Graph) {
	const n = 512
	unit := make([]float32, n*n)
	for i := range n {
		unit[i*n+i] = 1
	}
	weight, x := g.Floats("unit", unit, n, n), g.Input("x", build.Float32, n, n)
	for i := range 1000 {
		x = g.Node("MatMul", []string{x, weight}, fmt.Sprint("product", i))
	}
	g.Output(x, build.Float32, n, n)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	s := session(t, ort.Options{NoOptimization: true}, slow)
	in := map[string]ort.Tensor{"x": ort.Floats(make([]float32, 512*512), 512, 512)}
	reason := errors.New("the listener left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	if _, err := s.Run(ctx, in, "product999"); err != reason {
		t.Errorf("a run of an ended context: %v, want %v", err, reason)
	}
	for _, after := range []time.Duration{time.Microsecond, 10 * time.Millisecond, 100 * time.Millisecond} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), after, reason)
		if _, err := s.Run(ctx, in, "product999"); err != reason {
			t.Errorf("a run that was ended after %v: %v, want %v", after, err, reason)
		}
		cancel()
	}
}

// TestCancelAtTheEnd ends contexts just when runs end: the run options must outlive the call
// that terminates.
func TestCancelAtTheEnd(t *testing.T) {
	t.Parallel()
	s := session(t, ort.Options{}, echo)
	in := map[string]ort.Tensor{
		"float": ort.Floats(make([]float32, 4), 2, 2), "long": ort.Ints(make([]int64, 4), 2, 2),
		"int": {Data: make([]int32, 4), Dims: []int64{2, 2}},
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 500 {
				ctx, cancel := context.WithCancel(t.Context())
				go cancel()
				if _, err := s.Run(ctx, in, "float_out"); err != nil && err != context.Canceled {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// TestCloseWaits closes a session while it runs.
func TestCloseWaits(t *testing.T) {
	t.Parallel()
	s := session(t, ort.Options{}, echo)
	in := map[string]ort.Tensor{
		"float": ort.Floats(make([]float32, 4), 2, 2), "long": ort.Ints(make([]int64, 4), 2, 2),
		"int": {Data: make([]int32, 4), Dims: []int64{2, 2}},
	}
	begun := make(chan struct{})
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for k := range 1000 {
				if i == 0 && k == 20 {
					close(begun)
				}
				if _, err := s.Run(t.Context(), in, "float_out"); err != nil {
					if !strings.Contains(err.Error(), "closed") {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	<-begun
	s.Close()
	group.Wait()
}

func BenchmarkRun(b *testing.B) {
	s := session(b, ort.Options{}, func(g *build.Graph) {
		g.Output(g.Node("Identity", []string{g.Input("x", build.Float32, "n")}, "y"), build.Float32, "n")
	})
	in := map[string]ort.Tensor{"x": ort.Floats(make([]float32, 16))}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Run(b.Context(), in, "y"); err != nil {
			b.Fatal(err)
		}
	}
}
