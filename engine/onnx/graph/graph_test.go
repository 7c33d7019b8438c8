package graph_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"vaak/engine/onnx/build"
	"vaak/engine/onnx/graph"
	"vaak/engine/onnx/tiny"
)

// bytesField and intField write protobuf.
func bytesField(num int, body []byte) []byte {
	b := binary.AppendUvarint(nil, uint64(num)<<3|2)
	return append(binary.AppendUvarint(b, uint64(len(body))), body...)
}

func intField(num int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(num)<<3), v)
}

// opNode writes a NodeProto.
func opNode(op string, in []string, out []string, more ...[]byte) []byte {
	var b []byte
	for _, s := range in {
		b = append(b, bytesField(1, []byte(s))...)
	}
	for _, s := range out {
		b = append(b, bytesField(2, []byte(s))...)
	}
	b = append(b, bytesField(4, []byte(op))...)
	return append(b, bytes.Join(more, nil)...)
}

// modelOf writes a model with an input x and an output y, of the nodes given.
func modelOf(nodes ...[]byte) []byte {
	var g []byte
	for _, n := range nodes {
		g = append(g, bytesField(1, n)...)
	}
	g = append(g, bytesField(11, bytesField(1, []byte("x")))...)
	g = append(g, bytesField(12, bytesField(1, []byte("y")))...)
	return append(bytesField(7, g), bytesField(8, intField(2, 15))...)
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	good := opNode("Identity", []string{"x"}, []string{"y"})
	deep := opNode("Identity", []string{"x"}, []string{"z"})
	for range 200 {
		attr := append(bytesField(1, []byte("body")), bytesField(6, bytesField(1, deep))...)
		deep = opNode("If", []string{"x"}, []string{"z"}, bytesField(5, attr))
	}
	outside := append(bytesField(8, []byte("w")), bytesField(13, append(bytesField(1, []byte("location")), bytesField(2, []byte("/etc/passwd"))...))...)
	for _, tt := range []struct {
		name, want string
		file       []byte
	}{
		{"nothing", "no operators", nil},
		{"text", "damaged", []byte("this is no model")},
		{"no graph", "no operators", intField(1, 8)},
		{"no outputs", "no outputs", bytesField(7, bytesField(1, good))},
		{"cut off", "cut off", modelOf(good)[:20]},
		{"a length beyond the end", "cut off", append(modelOf(good), 0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f)},
		{"a number without end", "cut off", bytes.Repeat([]byte{0xff}, 1000)},
		{"a loop", "form a loop", modelOf(opNode("Add", []string{"x", "b"}, []string{"a"}), opNode("Identity", []string{"a"}, []string{"b"}), opNode("Identity", []string{"b"}, []string{"y"}))},
		{"a loop of one", "form a loop", modelOf(opNode("Add", []string{"x", "y"}, []string{"y"}))},
		{"made twice", "made twice", modelOf(good, good)},
		{"an input that is made", "made twice", modelOf(good, opNode("Identity", []string{"y"}, []string{"x"}))},
		{"taken from nowhere", "nothing makes", modelOf(opNode("Add", []string{"x", "z"}, []string{"y"}))},
		{"output from nowhere", "nothing makes", modelOf(opNode("Identity", []string{"x"}, []string{"z"}))},
		{"no operator", "without a name", modelOf(opNode("", []string{"x"}, []string{"y"}))},
		{"deep", "deep", modelOf(good, deep)},
		{"another file", "another file", modelOf(append(good, bytesField(5, append(bytesField(1, []byte("value")), bytesField(5, outside)...))...))},
		{"many operators", "more parts", modelOf(append([][]byte{good}, bytes.Split(bytes.Repeat([]byte("\x12\x01z\x22\x01A,"), 300_000), []byte(","))[:300_000]...)...)},
		{"many names", "more parts", modelOf(append(good, bytes.Repeat([]byte{0x0a, 0}, 2_100_000)...))},
	} {
		if _, err := graph.Parse(tt.file); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		} else if strings.ContainsAny(err.Error(), "\n") || len(err.Error()) > 300 {
			t.Errorf("%s: not a plain sentence: %v", tt.name, err)
		}
	}
	external := bytesField(7, append(append(bytesField(1, good), bytesField(5, outside)...), append(bytesField(11, bytesField(1, []byte("x"))), bytesField(12, bytesField(1, []byte("y")))...)...))
	if _, err := graph.Parse(external); err == nil || !strings.Contains(err.Error(), "another file") {
		t.Errorf("weights in another file: %v", err)
	}
}

// TestParseAllocates reads a model that is mostly weights: they are not copied.
func TestParseAllocates(t *testing.T) {
	g := build.New(15)
	g.Output(g.Node("Add", []string{g.Input("x", build.Float32, "n"), g.Floats("w", make([]float32, 4<<20), 4<<20)}, "y"), build.Float32, "n")
	file := g.Bytes()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := graph.Parse(file)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("Parse of %d bytes allocates %d", len(file), got)
	}
	runtime.ReadMemStats(&before)
	if got := m.Bytes(); len(got) != len(file) {
		t.Errorf("Bytes returns %d bytes of %d", len(got), len(file))
	}
	runtime.ReadMemStats(&after)
	if got := int(after.TotalAlloc - before.TotalAlloc); got > len(file)*3/2 {
		t.Errorf("Bytes of %d bytes allocates %d", len(file), got)
	}
}

func TestDescription(t *testing.T) {
	t.Parallel()
	g := build.New(15)
	g.Input("x", build.Int64, 1, "n")
	g.Output(g.Node("Identity", []string{"x"}, "y"), build.Int64, 1, "n")
	g.Metadata("voice", "en-us")
	m := parse(t, g.Bytes())
	if in := m.Inputs(); len(in) != 1 || in[0].Name != "x" || in[0].Element != 7 || fmt.Sprint(in[0].Dims) != "[1 -1]" {
		t.Errorf("Inputs = %v", in)
	}
	if m.Metadata()["voice"] != "en-us" || m.Opset() != 15 || !m.HasOutput("y") || m.HasInput("y") {
		t.Errorf("metadata %v, opset %d", m.Metadata(), m.Opset())
	}
	if _, err := m.WithOutputs("z"); err == nil {
		t.Error("a tensor that is not there is an output")
	}
}

// TestSorted reads a model whose operators are in the wrong order.
func TestSorted(t *testing.T) {
	t.Parallel()
	m := parse(t, modelOf(opNode("Neg", []string{"b"}, []string{"y"}), opNode("Neg", []string{"a"}, []string{"b"}), opNode("Neg", []string{"x"}, []string{"a"})))
	again := parse(t, m.Bytes())
	if !bytes.Equal(again.Bytes(), m.Bytes()) {
		t.Error("the order changes each time")
	}
}

func TestTakeNoiseRefuses(t *testing.T) {
	t.Parallel()
	sub := func(op string) []byte {
		inner := append(bytesField(1, opNode(op, []string{"x"}, []string{"z"})), bytesField(12, bytesField(1, []byte("z")))...)
		return modelOf(opNode("If", []string{"x"}, []string{"y"}, bytesField(5, append(bytesField(1, []byte("then_branch")), bytesField(6, inner)...))))
	}
	shape := func(dims ...int) []byte {
		g := build.New(15)
		g.Output(g.Node("RandomNormal", nil, "y", build.Ints("shape", dims...)), build.Float32)
		return g.Bytes()
	}
	old := build.New(11)
	old.Output(old.Node("RandomNormalLike", []string{old.Input("x", build.Float32)}, "y"), build.Float32)
	for _, tt := range []struct {
		name, want string
		file       []byte
	}{
		{"in a subgraph", "subgraph", sub("RandomNormalLike")},
		{"by other means", "Multinomial", modelOf(opNode("Multinomial", []string{"x"}, []string{"y"}))},
		{"two results", "damaged", modelOf(opNode("RandomNormalLike", []string{"x"}, []string{"y", "z"}))},
		{"no input", "damaged", modelOf(opNode("RandomNormalLike", nil, []string{"y"}))},
		{"huge", "more random numbers", shape(1<<20, 1<<20, 1<<20)},
		{"negative", "more random numbers", shape(-1)},
		{"old", "opset", old.Bytes()},
	} {
		if _, _, err := parse(t, tt.file).TakeNoise(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if m, n, err := parse(t, sub("Neg")).TakeNoise(); m == nil || n != 0 || err != nil {
		t.Errorf("a model without noise: %v, %d", err, n)
	}
	// A model that has what TakeNoise would add.
	file, _ := tiny.Piper(tiny.PiperOptions{})
	m, _, err := parse(t, file).TakeNoise()
	if err != nil {
		t.Fatal(err)
	}
	if again, n, err := parse(t, m.Bytes()).TakeNoise(); n != 0 || err != nil || !bytes.Equal(again.Bytes(), m.Bytes()) {
		t.Errorf("a second time: %d draws, %v, want none", n, err)
	}
}

// decoder writes a voice with a vocoder of one's own.
func decoder(vocoder func(g *build.Graph, latent string) string) []byte {
	g := build.New(15)
	frames := g.Node("Ceil", []string{g.Input("x", build.Float32, 1, 2, "n")}, "frames")
	g.Output(vocoder(g, g.Node("Neg", []string{frames}, "z")), build.Float32)
	return g.Bytes()
}

func conv(g *build.Graph, op, in, out string, size int, attrs ...build.Attr) string {
	return g.Node(op, []string{in, g.Floats(out+"_w", make([]float32, 4*size), 2, 2, size)}, out, attrs...)
}

func TestCutMeasures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		hop, margin int
		vocoder     func(g *build.Graph, x string) string
	}{
		{"one upsampling", 4, 2, func(g *build.Graph, x string) string {
			x = conv(g, "Conv", x, "pre", 1)
			return conv(g, "ConvTranspose", x, "y", 8, build.Ints("strides", 4), build.Ints("pads", 2, 2))
		}},
		{"as medium voices", 256, 12, medium},
		{"causal", 2, 1 + 6, func(g *build.Graph, x string) string {
			x = conv(g, "Conv", x, "pre", 7, build.Ints("pads", 6, 0))
			return conv(g, "ConvTranspose", x, "y", 4, build.Ints("strides", 2), build.Ints("pads", 1, 1))
		}},
		{"padded by the runtime", 2, 1 + 3, func(g *build.Graph, x string) string {
			x = conv(g, "Conv", x, "pre", 6, build.Text("auto_pad", "SAME_UPPER"))
			return conv(g, "ConvTranspose", x, "y", 4, build.Ints("strides", 2), build.Ints("pads", 1, 1))
		}},
	} {
		c, err := parse(t, decoder(tt.vocoder)).Cut()
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if c.Hop != tt.hop || c.Margin != tt.margin || c.Latent != "z" || c.Channels != 2 {
			t.Errorf("%s: hop %d, margin %d, latent %s, channels %d; want %d, %d, z, 2", tt.name, c.Hop, c.Margin, c.Latent, c.Channels, tt.hop, tt.margin)
		}
	}
}

// TestWindow: a piece from the middle of a sentence is computed with a narrow margin, one at its
// start or end without.
func TestWindow(t *testing.T) {
	t.Parallel()
	c, err := parse(t, decoder(medium)).Cut()
	if err != nil {
		t.Fatal(err)
	}
	if !c.Vocoder.HasInput(graph.TrimsInput) || c.Work < 1000 {
		t.Errorf("the vocoder drops nothing; it multiplies %d times for a frame", c.Work)
	}
	const frames = 200
	latent := make([]float32, 2*frames)
	for _, tt := range []struct{ from, to, frames, most int }{
		{0, frames, frames, 0}, {0, 24, 24 + 12, 256}, {100, 148, 48 + 2*12, 2 * 256}, {190, frames, 10 + 12, 256},
	} {
		w := c.Window(latent, 2, tt.from, tt.to)
		if more := w.Samples - (tt.to-tt.from)*c.Hop; w.Frames != tt.frames || len(w.Latent) != 2*tt.frames || more < 0 || more > tt.most || w.Skip < 0 || w.Skip > more {
			t.Errorf("frames %d to %d: %d frames are given, and %d samples are made for %d, after %d; want %d frames and at most %d samples more",
				tt.from, tt.to, w.Frames, w.Samples, (tt.to-tt.from)*c.Hop, w.Skip, tt.frames, tt.most)
		}
	}
}

// TestBranches: where the branches of a vocoder lengthen the sound each by itself, it is computed
// with the whole margin.
func TestBranches(t *testing.T) {
	t.Parallel()
	c, err := parse(t, decoder(func(g *build.Graph, x string) string {
		x = conv(g, "Conv", x, "pre", 1)
		up := func(name string) string {
			return conv(g, "ConvTranspose", x, name, 4, build.Ints("strides", 2), build.Ints("pads", 1, 1))
		}
		return g.Node("Add", []string{up("a"), up("b")}, "y")
	})).Cut()
	if err != nil {
		t.Fatal(err)
	}
	w := c.Window(make([]float32, 2*50), 2, 20, 30)
	if want := 2 * (10 + 2*c.Margin); c.Vocoder.HasInput(graph.TrimsInput) || w.Samples != want || w.Skip != 2*c.Margin {
		t.Errorf("%d samples after %d, want %d after %d", w.Samples, w.Skip, want, 2*c.Margin)
	}
}

// medium adds the vocoder of a medium voice of Piper: HiFi-GAN's third configuration.
func medium(g *build.Graph, x string) string {
	x = conv(g, "Conv", x, "pre", 7, build.Ints("pads", 3, 3))
	for i, rate := range []int{8, 8, 4} {
		x = g.Node("LeakyRelu", []string{x}, fmt.Sprint("relu", i))
		x = conv(g, "ConvTranspose", x, fmt.Sprint("up", i), 2*rate, build.Ints("strides", rate), build.Ints("pads", rate/2, rate/2))
		sum := ""
		for b, size := range []int{3, 5, 7} {
			y := x
			for k, dilation := range [][]int{{1, 2}, {2, 6}, {3, 12}}[b] {
				name := fmt.Sprint("block", i, b, k)
				pad := (size - 1) * dilation / 2
				z := g.Node("LeakyRelu", []string{y}, name+"relu")
				z = conv(g, "Conv", z, name, size, build.Ints("dilations", dilation), build.Ints("pads", pad, pad))
				y = g.Node("Add", []string{z, y}, name+"sum")
			}
			if sum != "" {
				y = g.Node("Add", []string{sum, y}, fmt.Sprint("sum", i, b))
			}
			sum = y
		}
		x = sum
	}
	x = conv(g, "Conv", g.Node("LeakyRelu", []string{x}, "relu"), "post", 7, build.Ints("pads", 3, 3))
	return g.Node("Unsqueeze", []string{g.Node("Tanh", []string{x}, "tanh"), g.Ints("axis", []int64{1}, 1)}, "y")
}

func TestCutRefuses(t *testing.T) {
	t.Parallel()
	up := func(g *build.Graph, x string) string {
		return conv(g, "ConvTranspose", x, "up", 4, build.Ints("strides", 2), build.Ints("pads", 1, 1))
	}
	pre := func(g *build.Graph, x string) string { return conv(g, "Conv", x, "pre", 1) }
	whole, _ := tiny.Piper(tiny.PiperOptions{Whole: true})
	for _, tt := range []struct {
		name, want string
		file       []byte
	}{
		{"the whole is heard", "ReduceMean", whole},
		{"no vocoder", "not made by a vocoder", decoder(func(g *build.Graph, x string) string { return pre(g, x) })},
		{"no first convolution", "a convolution is expected", decoder(up)},
		{"does not depend on durations", "not made by a vocoder", decoder(func(g *build.Graph, x string) string { return up(g, g.Input("s", build.Float32)) })},
		{"an unknown operator", `"Softmax"`, decoder(func(g *build.Graph, x string) string { return g.Node("Softmax", []string{up(g, pre(g, x))}, "y") })},
		{"an unknown operator first", `"Softmax"`, decoder(func(g *build.Graph, x string) string { return up(g, g.Node("Softmax", []string{pre(g, x)}, "y")) })},
		{"longer than its input", "not as long as its input", decoder(func(g *build.Graph, x string) string {
			return conv(g, "Conv", up(g, pre(g, x)), "y", 3, build.Ints("pads", 2, 2))
		})},
		{"shorter than a multiple", "whole multiple", decoder(func(g *build.Graph, x string) string {
			return conv(g, "ConvTranspose", pre(g, x), "y", 4, build.Ints("strides", 2))
		})},
		{"over two dimensions", "over time alone", decoder(func(g *build.Graph, x string) string {
			return conv(g, "Conv", up(g, pre(g, x)), "y", 3, build.Ints("kernel_shape", 3, 3))
		})},
		{"huge", "impossible size", decoder(func(g *build.Graph, x string) string {
			return conv(g, "Conv", up(g, pre(g, x)), "y", 3, build.Ints("dilations", 1<<40), build.Ints("pads", 1<<40, 1<<40))
		})},
		{"negative", "impossible size", decoder(func(g *build.Graph, x string) string {
			return conv(g, "Conv", up(g, pre(g, x)), "y", 3, build.Ints("pads", -1, 3))
		})},
		{"hears far", "hears", decoder(func(g *build.Graph, x string) string {
			x = up(g, pre(g, x))
			for i := range 1000 {
				x = conv(g, "Conv", x, fmt.Sprint("y", i), 3, build.Ints("dilations", 1000), build.Ints("pads", 1000, 1000))
			}
			return x
		})},
		{"long frames", "samples of a frame", decoder(func(g *build.Graph, x string) string {
			x = pre(g, x)
			for i := range 40 {
				x = conv(g, "ConvTranspose", x, fmt.Sprint("y", i), 4, build.Ints("strides", 2), build.Ints("pads", 1, 1))
			}
			return x
		})},
		{"weights that change", "weights change", decoder(func(g *build.Graph, x string) string {
			x = up(g, pre(g, x))
			return g.Node("Conv", []string{x, x}, "y")
		})},
		{"sounds of two rates", "different rates", decoder(func(g *build.Graph, x string) string { x = pre(g, x); return g.Node("Add", []string{x, up(g, x)}, "y") })},
		{"more inputs", `the input "more"`, decoder(func(g *build.Graph, x string) string {
			return g.Node("Add", []string{up(g, pre(g, x)), g.Input("more", build.Float32)}, "y")
		})},
		{"no durations", "how long its sounds are", modelOf(opNode("Identity", []string{"x"}, []string{"y"}))},
	} {
		_, err := parse(t, tt.file).Cut()
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "piece by piece") {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	kokoro := func(g *build.Graph) string {
		x := g.Node("Ceil", []string{g.Input("style", build.Float32)}, "other")
		x = g.Node("Clip", []string{g.Node("Round", []string{x}, "rounded")}, "limited")
		return g.Node("Cast", []string{x}, "frames", build.Int("to", 7))
	}
	for _, tt := range []struct {
		name, want string
		write      func(g *build.Graph)
	}{
		{"an output", "duration", func(g *build.Graph) {
			g.Output(g.Node("Ceil", []string{kokoro(g)}, "duration"), build.Int64)
		}},
		{"rounded", "frames", func(g *build.Graph) { g.Output(g.Node("Neg", []string{kokoro(g)}, "y"), build.Int64) }},
		{"rounded up", "up", func(g *build.Graph) {
			g.Output(g.Node("Neg", []string{g.Node("Ceil", []string{g.Input("x", build.Float32)}, "up")}, "y"), build.Float32)
		}},
		{"rounded up twice", "", func(g *build.Graph) {
			x := g.Node("Ceil", []string{g.Input("x", build.Float32)}, "up")
			g.Output(g.Node("Ceil", []string{x}, "y"), build.Float32)
		}},
	} {
		g := build.New(15)
		tt.write(g)
		got, err := parse(t, g.Bytes()).Durations()
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, o := range []tiny.PiperOptions{{}, {Speakers: 4}} {
		file, _ := tiny.Piper(o)
		f.Add(file)
	}
	f.Add(modelOf(opNode("Identity", []string{"x"}, []string{"y"})))
	f.Add(decoder(medium))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := graph.Parse(file)
		if err != nil {
			return
		}
		if _, err := graph.Parse(m.Bytes()); err != nil {
			t.Errorf("what Bytes wrote is not read: %v", err)
		}
		if name, err := m.Durations(); err == nil && !m.HasOutput(name) {
			if _, err := m.WithOutputs(name); err != nil {
				t.Errorf("the durations cannot be an output: %v", err)
			}
		}
		if quiet, _, err := m.TakeNoise(); err == nil {
			if _, err := graph.Parse(quiet.Bytes()); err != nil {
				t.Errorf("what TakeNoise made is not read: %v", err)
			}
		}
		if c, err := m.Cut(); err == nil {
			for _, half := range []*graph.Model{c.Front, c.Vocoder} {
				if _, err := graph.Parse(half.Bytes()); err != nil {
					t.Errorf("a half is not read: %v", err)
				}
			}
			if c.Hop < 1 || c.Margin < 0 {
				t.Errorf("hop %d, margin %d", c.Hop, c.Margin)
			}
		}
	})
}
