// Package shaped makes neural voices of the true size and cost, with random weights: what they
// say is noise, but it takes as long as real speech. Benchmarks use them, because real voices
// are large and have licences of their own.
//
// They follow the paper of VITS (Kim, Kong and Son, 2021) with the sizes that Piper's voices
// have. The attention has no relative positions, and the duration predictor no splines; both
// are a small part of the work.
package shaped

import (
	"fmt"
	"math"
	"math/rand/v2"

	"vaak/engine/onnx/build"
	"vaak/engine/onnx/tiny"
)

// Quality is a size of Piper's voices.
type Quality string

// The qualities. A voice of high quality takes ten times the work of a medium one.
const (
	XLow   Quality = "x_low"  // 96 channels, 16,000 Hz
	Medium Quality = "medium" // 192 channels, 22,050 Hz, 63 MB
	High   Quality = "high"   // a larger vocoder, 114 MB
)

// Piper returns the model and configuration of a voice. The seed decides the weights. An id
// lasts some 3.6 frames of 256 samples at length scale 1.
func Piper(seed uint64, q Quality) (model, config []byte) {
	rate := 22050
	if q == XLow {
		rate = 16000
	}
	config = tiny.PiperConfig(tiny.PiperOptions{Quality: string(q), SampleRate: rate, Dataset: "shaped"})
	w := &writer{Graph: build.New(15), random: rand.New(rand.NewPCG(seed, 1)), hidden: 192}
	if q == XLow {
		w.hidden = 96
	}
	w.piper(q == High)
	return w.Bytes(), config
}

// writer adds layers to a graph. Each takes and returns names of tensors.
type writer struct {
	*build.Graph
	random *rand.Rand
	hidden int // channels
	n      int // of names
}

func (w *writer) name(what string) string { w.n++; return fmt.Sprintf("%s_%d", what, w.n) }

func (w *writer) op(op string, in ...string) string { return w.Node(op, in, w.name(op)) }

func (w *writer) with(op string, in []string, attrs ...build.Attr) string {
	return w.Node(op, in, w.name(op), attrs...)
}

func (w *writer) number(v float32) string { return w.Floats(w.name("number"), []float32{v}) }

func (w *writer) ints(v ...int64) string { return w.Ints(w.name("ints"), v, len(v)) }

// weights returns random numbers that keep the size of what they are multiplied with, where so
// many are summed up.
func (w *writer) weights(summed int, dims ...int) string {
	n := 1
	for _, d := range dims {
		n *= d
	}
	width := float32(math.Sqrt(12 / float64(summed))) // of a uniform distribution with deviation 1
	data := make([]float32, n)
	for i := range data {
		data[i] = (w.random.Float32() - 0.5) * width
	}
	return w.Floats(w.name("weight"), data, dims...)
}

func (w *writer) bias(n int) string { return w.Floats(w.name("bias"), make([]float32, n), n) }

// conv is a convolution over time that keeps its length.
func (w *writer) conv(x string, in, out, size, dilation, groups int) string {
	pad := (size - 1) * dilation / 2
	return w.with("Conv", []string{x, w.weights(in/groups*size, out, in/groups, size), w.bias(out)},
		build.Ints("kernel_shape", size), build.Ints("pads", pad, pad), build.Ints("dilations", dilation), build.Ints("strides", 1), build.Int("group", groups))
}

func (w *writer) linear(x string, in, out int) string { return w.conv(x, in, out, 1, 1, 1) }

// norm is a layer norm over channels, written as exporters do.
func (w *writer) norm(x string, channels int) string {
	x = w.with("Transpose", []string{x}, build.Ints("perm", 0, 2, 1))
	mean := w.with("ReduceMean", []string{x}, build.Ints("axes", -1))
	centred := w.op("Sub", x, mean)
	variance := w.with("ReduceMean", []string{w.op("Pow", centred, w.number(2))}, build.Ints("axes", -1))
	x = w.op("Div", centred, w.op("Sqrt", w.op("Add", variance, w.number(1e-5))))
	scale := make([]float32, channels)
	for i := range scale {
		scale[i] = 1
	}
	x = w.op("Add", w.op("Mul", x, w.Floats(w.name("scale"), scale, channels)), w.bias(channels))
	return w.with("Transpose", []string{x}, build.Ints("perm", 0, 2, 1))
}

// channels takes those from one to another.
func (w *writer) channels(x string, from, to int) string {
	return w.op("Slice", x, w.ints(int64(from)), w.ints(int64(to)), w.ints(1))
}

func (w *writer) piper(high bool) {
	h := w.hidden
	w.Input("input", build.Int64, "batch_size", "phonemes")
	w.Input("input_lengths", build.Int64, "batch_size")
	w.Input("scales", build.Float32, 3)
	scale := func(i int64) string { return w.op("Slice", "scales", w.ints(i), w.ints(i+1)) }
	noiseScale, lengthScale, noiseW := scale(0), scale(1), scale(2)

	count := w.with("Squeeze", []string{w.op("Slice", w.op("Shape", "input"), w.ints(1), w.ints(2)), w.ints(0)})
	places := w.op("Range", w.Ints("zero", []int64{0}), count, w.Ints("one", []int64{1}))
	mask := w.with("Cast", []string{w.op("Less", places, "input_lengths")}, build.Int("to", 1))

	x := w.with("Transpose", []string{w.op("Gather", w.weights(1, 256, h), "input")}, build.Ints("perm", 0, 2, 1))
	x = w.textEncoder(x)
	stats := w.linear(x, h, 2*h)

	width := w.op("Mul", w.durations(x, noiseW), mask)
	ceil := w.op("Ceil", w.op("Mul", width, lengthScale)) // [1, 1, N]
	ends := w.op("CumSum", ceil, w.Ints("axis", []int64{2}))
	starts := w.op("Sub", ends, ceil)
	t := w.op("Range", w.number(0), w.with("ReduceMax", []string{ends}, build.Int("keepdims", 0)), w.number(1))
	t = w.op("Reshape", t, w.ints(1, -1, 1))
	path := w.with("Cast", []string{w.op("And", w.op("Not", w.op("Less", t, starts)), w.op("Less", t, ends))}, build.Int("to", 1)) // [1, T, N]
	spread := func(x string) string {
		x = w.op("MatMul", path, w.with("Transpose", []string{x}, build.Ints("perm", 0, 2, 1)))
		return w.with("Transpose", []string{x}, build.Ints("perm", 0, 2, 1))
	}
	mean, deviation := spread(w.channels(stats, 0, h)), w.op("Exp", w.op("Mul", spread(w.channels(stats, h, 2*h)), w.number(0.1)))
	noise := w.with("RandomNormalLike", []string{mean}, build.Int("dtype", 1))
	z := w.op("Add", mean, w.op("Mul", w.op("Mul", noise, deviation), noiseScale))

	for range 4 {
		z = w.op("Slice", z, w.ints(-1), w.ints(math.MinInt64+1), w.ints(1), w.ints(-1)) // turned round
		z = w.coupling(z)
	}
	yMask := w.with("Transpose", []string{w.with("ReduceSum", []string{path, w.ints(2)}, build.Int("keepdims", 1))}, build.Ints("perm", 0, 2, 1))
	w.Node("Unsqueeze", []string{w.vocoder(w.op("Mul", z, yMask), high), w.ints(1)}, "output")
	w.Output("output", build.Float32, "batch_size", 1, 1, "time")
}

// textEncoder is a transformer of 6 layers with 2 heads.
func (w *writer) textEncoder(x string) string {
	h := w.hidden
	const heads = 2
	head := h / heads
	for range 6 {
		split := func(x string, perm ...int) string { // [1, h, N] to [1, heads, N, head], or turned
			x = w.op("Reshape", x, w.ints(1, heads, int64(head), -1))
			return w.with("Transpose", []string{x}, build.Ints("perm", perm...))
		}
		q, k, v := split(w.linear(x, h, h), 0, 1, 3, 2), split(w.linear(x, h, h), 0, 1, 2, 3), split(w.linear(x, h, h), 0, 1, 3, 2)
		q = w.op("Div", q, w.number(float32(math.Sqrt(float64(head)))))
		a := w.with("Softmax", []string{w.op("MatMul", q, k)}, build.Int("axis", -1))
		y := w.with("Transpose", []string{w.op("MatMul", a, v)}, build.Ints("perm", 0, 1, 3, 2))
		y = w.linear(w.op("Reshape", y, w.ints(1, int64(h), -1)), h, h)
		x = w.norm(w.op("Add", x, y), h)
		y = w.conv(w.op("Relu", w.conv(x, h, 4*h, 3, 1, 1)), 4*h, h, 3, 1, 1)
		x = w.norm(w.op("Add", x, y), h)
	}
	return x
}

// durations returns how many frames each id lasts, before they are rounded up: [1, 1, N].
func (w *writer) durations(x, noiseW string) string {
	h := w.hidden
	separable := func(x string) string {
		for _, dilation := range []int{1, 3, 9} {
			y := w.gelu(w.norm(w.conv(x, h, h, 3, dilation, h), h))
			x = w.op("Add", x, w.gelu(w.norm(w.linear(y, h, h), h)))
		}
		return x
	}
	cond := w.linear(separable(w.linear(x, h, h)), h, h)
	noise := w.with("RandomNormalLike", []string{w.channels(x, 0, 2)}, build.Int("dtype", 1))
	z := w.op("Mul", noise, noiseW)
	for range 3 {
		y := separable(w.op("Add", w.linear(w.channels(z, 0, 1), 1, h), cond))
		y = w.linear(y, h, 29) // numbers of a spline, of which one is used
		moved := w.op("Add", w.channels(z, 1, 2), w.op("Mul", w.op("Tanh", w.channels(y, 0, 1)), w.number(0.2)))
		z = w.with("Concat", []string{moved, w.channels(z, 0, 1)}, build.Int("axis", 1))
	}
	// Rounded up, these are some 3.6 frames on average.
	stretch := w.op("Exp", w.op("Mul", w.channels(z, 0, 1), w.number(0.25)))
	return w.op("Mul", stretch, w.number(3.3))
}

func (w *writer) gelu(x string) string {
	half := w.op("Mul", x, w.op("Add", w.op("Erf", w.op("Div", x, w.number(math.Sqrt2))), w.number(1)))
	return w.op("Mul", half, w.number(0.5))
}

// coupling is an inverse coupling layer, with a WaveNet of 4 layers.
func (w *writer) coupling(z string) string {
	h := w.hidden
	first, second := w.channels(z, 0, h/2), w.channels(z, h/2, h)
	x := w.linear(first, h/2, h)
	skipped := ""
	for layer := range 4 {
		y := w.conv(x, h, 2*h, 5, 1, 1)
		y = w.op("Mul", w.op("Tanh", w.channels(y, 0, h)), w.op("Sigmoid", w.channels(y, h, 2*h)))
		skip := ""
		if layer < 3 {
			y = w.linear(y, h, 2*h)
			x, skip = w.op("Add", x, w.channels(y, 0, h)), w.channels(y, h, 2*h)
		} else {
			skip = w.linear(y, h, h)
		}
		if skipped != "" {
			skip = w.op("Add", skipped, skip)
		}
		skipped = skip
	}
	return w.with("Concat", []string{first, w.op("Sub", second, w.linear(skipped, h, h/2))}, build.Int("axis", 1))
}

// vocoder is HiFi-GAN (Kong, Kim and Bae, 2020) in the sizes of Piper.
func (w *writer) vocoder(x string, high bool) string {
	channels, rates := 256, []int{8, 8, 4}
	sizes, dilations := []int{3, 5, 7}, [][]int{{1, 2}, {2, 6}, {3, 12}}
	if high {
		channels, rates = 512, []int{8, 8, 2, 2}
		sizes, dilations = []int{3, 7, 11}, [][]int{{1, 3, 5}, {1, 3, 5}, {1, 3, 5}}
	}
	relu := func(x string) string { return w.with("LeakyRelu", []string{x}, build.Float("alpha", 0.1)) }
	x = w.conv(x, w.hidden, channels, 7, 1, 1)
	for _, rate := range rates {
		size, pad := 2*rate, rate/2
		x = w.with("ConvTranspose", []string{relu(x), w.weights(channels*2, channels, channels/2, size), w.bias(channels / 2)},
			build.Ints("kernel_shape", size), build.Ints("strides", rate), build.Ints("pads", pad, pad), build.Ints("dilations", 1), build.Int("group", 1))
		channels /= 2
		sum := ""
		for i, size := range sizes {
			y := x
			for _, dilation := range dilations[i] {
				z := w.conv(relu(y), channels, channels, size, dilation, 1)
				if high {
					z = w.conv(relu(z), channels, channels, size, 1, 1)
				}
				y = w.op("Add", z, y)
			}
			if sum != "" {
				y = w.op("Add", sum, y)
			}
			sum = y
		}
		x = w.op("Div", sum, w.number(float32(len(sizes))))
	}
	x = w.with("Conv", []string{w.with("LeakyRelu", []string{x}, build.Float("alpha", 0.01)), w.weights(channels*7*50, 1, channels, 7)}, build.Ints("kernel_shape", 7), build.Ints("pads", 3, 3))
	return w.op("Tanh", x)
}
