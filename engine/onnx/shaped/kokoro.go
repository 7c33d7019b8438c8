package shaped

import (
	"math"
	"math/rand/v2"

	"vaak/engine/onnx/build"
	"vaak/engine/onnx/tiny"
)

// The sizes of Kokoro-82M, as its config.json has them.
const (
	kokoroHidden = 512
	kokoroStyle  = 128 // half of a style is of the decoder, half of the prosody
	kokoroTokens = 178
	kokoroLong   = 50 // frames that an id lasts at most
	albert       = 768
)

// Kokoro returns the model of a voice of the shape of Kokoro-82M: 82 million weights, 325 MB. The
// seed decides them. An id lasts some 2.6 frames of 600 samples at speed 1, as in slow English. Its
// voices are those of [tiny.KokoroStyle], its vocabulary that of [tiny.KokoroConfig].
//
// It has the layers of StyleTTS 2 (Li and others, 2023) with the decoder iSTFTNet (Kaneko and
// others, 2022): ALBERT with one layer that is run twelve times, recurrent encoders of text and
// durations, predictors of pitch and energy, residual blocks with adaptive instance norm. Three
// things are simpler, and a small part of the work: the spectrum of the source of harmonics stays
// in real and imaginary parts, the inverse transform is one transposed convolution of any
// weights, and positions are counted from each text's start without types of segments.
func Kokoro(seed uint64) []byte {
	w := &styled{writer{Graph: build.New(17), random: rand.New(rand.NewPCG(seed, 2)), hidden: kokoroHidden}}
	w.kokoro()
	w.Metadata("kokoro_config", string(tiny.KokoroConfig()))
	return w.Bytes()
}

// styled adds the layers of StyleTTS 2.
type styled struct{ writer }

func (w *styled) kokoro() {
	w.Input("tokens", build.Int64, 1, "tokens_length")
	w.Input("style", build.Float32, 1, 2*kokoroStyle)
	w.Input("speed", build.Float32, 1)
	timbre := w.op("Slice", "style", w.ints(0), w.ints(kokoroStyle), w.ints(1))
	prosody := w.op("Slice", "style", w.ints(kokoroStyle), w.ints(2*kokoroStyle), w.ints(1))
	count := w.op("Slice", w.op("Shape", "tokens"), w.ints(1), w.ints(2))

	d := w.durationEncoder(w.dense(w.albert(count), albert, kokoroHidden), prosody, count) // [N, 1, 640]
	long := w.dense(w.lstm(d, kokoroHidden+kokoroStyle), kokoroHidden, kokoroLong)
	long = w.op("Sub", long, w.number(2.9))
	long = w.with("ReduceSum", []string{w.op("Sigmoid", long), w.ints(-1)}, build.Int("keepdims", 0)) // [N, 1]
	long = w.op("Div", w.op("Reshape", long, w.ints(-1)), "speed")
	long = w.with("Cast", []string{w.op("Clip", w.op("Round", long), w.number(1))}, build.Int("to", 7))

	// The path says of which id each frame is: [T, N].
	ends := w.op("CumSum", long, w.Ints("axis", []int64{0}))
	starts := w.op("Sub", ends, long)
	total := w.with("ReduceMax", []string{ends}, build.Int("keepdims", 0))
	t := w.op("Unsqueeze", w.op("Range", w.Ints("zero", []int64{0}), total, w.Ints("one", []int64{1})), w.ints(1))
	path := w.with("Cast", []string{w.op("And", w.op("Not", w.op("Less", t, starts)), w.op("Less", t, ends))}, build.Int("to", 1))
	spread := func(x string, channels int64) string { // [N, 1, channels] to [T, 1, channels]
		return w.op("Unsqueeze", w.op("MatMul", path, w.op("Reshape", x, w.ints(-1, channels))), w.ints(1))
	}
	shared := w.turned(w.lstm(spread(d, kokoroHidden+kokoroStyle), kokoroHidden+kokoroStyle))
	pitch, energy := w.curve(shared, prosody), w.curve(shared, prosody) // [1, 1, 2T]
	pitch = w.op("Add", w.op("Mul", pitch, w.number(20)), w.number(150))
	text := w.turned(spread(w.textEncoder(), kokoroHidden))

	w.Node("Reshape", []string{w.generator(w.decoder(text, pitch, energy, timbre), pitch, timbre), w.ints(-1)}, "audio")
	w.Output("audio", build.Float32, "audio_length")
}

// dense multiplies the last dimension with weights.
func (w *styled) dense(x string, in, out int) string {
	return w.op("Add", w.op("MatMul", x, w.weights(in, in, out)), w.bias(out))
}

// turned makes [1, channels, T] of [T, 1, channels].
func (w *styled) turned(x string) string {
	return w.with("Transpose", []string{x}, build.Ints("perm", 1, 2, 0))
}

// lstm runs over [T, 1, in] in both directions and returns [T, 1, 512].
func (w *styled) lstm(x string, in int) string {
	const half = kokoroHidden / 2
	y := w.with("LSTM", []string{x, w.weights(in, 2, 4*half, in), w.weights(half, 2, 4*half, half)}, build.Text("direction", "bidirectional"), build.Int("hidden_size", half))
	y = w.with("Transpose", []string{y}, build.Ints("perm", 0, 2, 1, 3)) // of [T, 2, 1, half]
	return w.op("Reshape", y, w.ints(0, 1, kokoroHidden))
}

// layerNorm is over the last dimension.
func (w *styled) layerNorm(x string, channels int) string {
	scale := make([]float32, channels)
	for i := range scale {
		scale[i] = 1
	}
	return w.with("LayerNormalization", []string{x, w.Floats(w.name("scale"), scale, channels), w.bias(channels)}, build.Float("epsilon", 1e-5))
}

// albert returns [1, N, 768].
func (w *styled) albert(count string) string {
	const embedding, heads, inner = 128, 12, 2048
	places := w.op("Slice", w.weights(1, 512, embedding), w.ints(0), count, w.ints(0))
	x := w.op("Add", w.op("Gather", w.weights(1, kokoroTokens, embedding), "tokens"), places)
	x = w.dense(w.layerNorm(x, embedding), embedding, albert)
	// All passes have the same weights.
	matrix := func(in, out int) func(string) string {
		weight, bias := w.weights(in, in, out), w.bias(out)
		return func(x string) string { return w.op("Add", w.op("MatMul", x, weight), bias) }
	}
	q, k, v, o := matrix(albert, albert), matrix(albert, albert), matrix(albert, albert), matrix(albert, albert)
	up, down := matrix(albert, inner), matrix(inner, albert)
	split := func(x string, perm ...int) string {
		return w.with("Transpose", []string{w.op("Reshape", x, w.ints(1, -1, heads, albert/heads))}, build.Ints("perm", perm...))
	}
	for range 12 {
		scores := w.op("Div", w.op("MatMul", split(q(x), 0, 2, 1, 3), split(k(x), 0, 2, 3, 1)), w.number(8))
		y := w.op("MatMul", w.with("Softmax", []string{scores}, build.Int("axis", -1)), split(v(x), 0, 2, 1, 3))
		y = w.op("Reshape", w.with("Transpose", []string{y}, build.Ints("perm", 0, 2, 1, 3)), w.ints(1, -1, albert))
		x = w.layerNorm(w.op("Add", x, o(y)), albert)
		x = w.layerNorm(w.op("Add", x, down(w.gelu(up(x)))), albert)
	}
	return x
}

// durationEncoder takes [1, N, 512] and returns [N, 1, 640]: with the style behind each.
func (w *styled) durationEncoder(x, style, count string) string {
	x = w.with("Transpose", []string{x}, build.Ints("perm", 1, 0, 2))
	shape := w.with("Concat", []string{count, w.ints(1), w.ints(kokoroStyle)}, build.Int("axis", 0))
	styles := w.op("Expand", w.op("Unsqueeze", style, w.ints(0)), shape)
	with := func(x string) string { return w.with("Concat", []string{x, styles}, build.Int("axis", 2)) }
	x = with(x)
	for range 3 {
		y := w.layerNorm(w.lstm(x, kokoroHidden+kokoroStyle), kokoroHidden)
		by := w.dense(style, kokoroStyle, 2*kokoroHidden)
		scale := w.op("Slice", by, w.ints(0), w.ints(kokoroHidden), w.ints(1))
		shift := w.op("Slice", by, w.ints(kokoroHidden), w.ints(2*kokoroHidden), w.ints(1))
		x = with(w.op("Add", w.op("Mul", y, w.op("Add", scale, w.number(1))), shift))
	}
	return x
}

// textEncoder returns [N, 1, 512].
func (w *styled) textEncoder() string {
	x := w.op("Gather", w.weights(1, kokoroTokens, kokoroHidden), "tokens") // [1, N, 512]
	for range 3 {
		x = w.with("Transpose", []string{x}, build.Ints("perm", 0, 2, 1))
		x = w.with("Transpose", []string{w.conv(x, kokoroHidden, kokoroHidden, 5, 1, 1)}, build.Ints("perm", 0, 2, 1))
		x = w.with("LeakyRelu", []string{w.layerNorm(x, kokoroHidden)}, build.Float("alpha", 0.2))
	}
	return w.lstm(w.with("Transpose", []string{x}, build.Ints("perm", 1, 0, 2)), kokoroHidden)
}

// adaptive is an instance norm over time, scaled and shifted as the style has it.
func (w *styled) adaptive(x, style string, channels int) string {
	scale := make([]float32, channels)
	for i := range scale {
		scale[i] = 1
	}
	x = w.with("InstanceNormalization", []string{x, w.Floats(w.name("scale"), scale, channels), w.bias(channels)}, build.Float("epsilon", 1e-5))
	by := w.op("Unsqueeze", w.dense(style, kokoroStyle, 2*channels), w.ints(2))
	return w.op("Add", w.op("Mul", x, w.op("Add", w.channels(by, 0, channels), w.number(1))), w.channels(by, channels, 2*channels))
}

// block is a residual block, which may double the number of frames.
func (w *styled) block(x, style string, in, out int, double bool) string {
	leaky := func(x string) string { return w.with("LeakyRelu", []string{x}, build.Float("alpha", 0.2)) }
	y := leaky(w.adaptive(x, style, in))
	if double {
		y = w.with("ConvTranspose", []string{y, w.weights(3, in, 1, 3), w.bias(in)}, build.Ints("kernel_shape", 3), build.Ints("strides", 2),
			build.Ints("pads", 1, 1), build.Ints("output_padding", 1), build.Int("group", in))
		x = w.with("Resize", []string{x, "", w.Floats(w.name("twice"), []float32{1, 1, 2}, 3)}, build.Text("mode", "nearest"), build.Text("nearest_mode", "floor"),
			build.Text("coordinate_transformation_mode", "asymmetric"))
	}
	y = w.conv(y, in, out, 3, 1, 1)
	y = w.conv(leaky(w.adaptive(y, style, out)), out, out, 3, 1, 1)
	if in != out {
		x = w.linear(x, in, out)
	}
	return w.op("Mul", w.op("Add", x, y), w.number(math.Sqrt2/2))
}

// curve predicts a number for each half of a frame: [1, 1, 2T].
func (w *styled) curve(x, style string) string {
	x = w.block(x, style, kokoroHidden, kokoroHidden, false)
	x = w.block(x, style, kokoroHidden, kokoroHidden/2, true)
	return w.linear(w.block(x, style, kokoroHidden/2, kokoroHidden/2, false), kokoroHidden/2, 1)
}

// decoder returns [1, 512, 2T].
func (w *styled) decoder(text, pitch, energy, style string) string {
	halved := func(x string) string {
		return w.with("Conv", []string{x, w.weights(300, 1, 1, 3), w.bias(1)}, build.Ints("kernel_shape", 3), build.Ints("strides", 2), build.Ints("pads", 1, 1))
	}
	pitch, energy = halved(pitch), halved(energy)
	with := func(in ...string) string { return w.with("Concat", in, build.Int("axis", 1)) }
	const wide, passed = 2 * kokoroHidden, 64
	x := w.block(with(text, pitch, energy), style, kokoroHidden+2, wide, false)
	rest := w.linear(text, kokoroHidden, passed)
	for i := range 4 {
		out, last := wide, i == 3
		if last {
			out = kokoroHidden
		}
		x = w.block(with(x, rest, pitch, energy), style, wide+passed+2, out, last)
	}
	return x
}

// generator makes the sound: 300 samples of each of [1, 512, 2T].
func (w *styled) generator(x, pitch, style string) string {
	const bins = 22 // real and imaginary parts of a transform over 20 samples, 5 apart
	spectrum := w.spectrum(w.harmonics(pitch), bins)
	channels := kokoroHidden
	for i, rate := range []int{10, 6} {
		x = w.with("LeakyRelu", []string{x}, build.Float("alpha", 0.1))
		x = w.with("ConvTranspose", []string{x, w.weights(channels*2, channels, channels/2, 2*rate), w.bias(channels / 2)},
			build.Ints("kernel_shape", 2*rate), build.Ints("strides", rate), build.Ints("pads", rate/2, rate/2))
		channels /= 2
		var source string
		if i == 0 {
			source = w.with("Conv", []string{spectrum, w.weights(bins*12, channels, bins, 12), w.bias(channels)}, build.Ints("kernel_shape", 12), build.Ints("strides", 6), build.Ints("pads", 3, 3))
			source = w.snakes(source, style, channels, 7)
		} else {
			source = w.snakes(w.linear(spectrum, bins, channels), style, channels, 11)
			x = w.with("Pad", []string{x, w.ints(0, 0, 1, 0, 0, 0)}, build.Text("mode", "reflect"))
		}
		x = w.op("Add", x, source)
		sum := ""
		for _, size := range []int{3, 7, 11} {
			y := w.snakes(x, style, channels, size)
			if sum != "" {
				y = w.op("Add", sum, y)
			}
			sum = y
		}
		x = w.op("Div", sum, w.number(3))
	}
	x = w.with("Conv", []string{w.with("LeakyRelu", []string{x}, build.Float("alpha", 0.01)), w.weights(channels*7*50, bins, channels, 7)}, build.Ints("kernel_shape", 7), build.Ints("pads", 3, 3))
	loud, phase := w.op("Exp", w.channels(x, 0, bins/2)), w.op("Sin", w.channels(x, bins/2, bins))
	x = w.with("Concat", []string{w.op("Mul", loud, w.op("Cos", phase)), w.op("Mul", loud, w.op("Sin", phase))}, build.Int("axis", 1))
	return w.with("ConvTranspose", []string{x, w.weights(bins*200, bins, 1, 20)}, build.Ints("kernel_shape", 20), build.Ints("strides", 5), build.Ints("pads", 10, 10))
}

// harmonics is the source of a voice: nine sines of a pitch with a little noise, [1, 1, 600T].
func (w *styled) harmonics(pitch string) string {
	const hop, rate = 300, 24000
	ones, of := make([]float32, hop), make([]float32, 9)
	for i := range ones {
		ones[i] = 1
	}
	for i := range of {
		of[i] = 2 * math.Pi * float32(i+1) / rate
	}
	held := w.with("ConvTranspose", []string{pitch, w.Floats(w.name("held"), ones, 1, 1, hop)}, build.Ints("kernel_shape", hop), build.Ints("strides", hop))
	angle := w.op("CumSum", w.op("Mul", held, w.Floats(w.name("harmonics"), of, 1, 9, 1)), w.Ints(w.name("axis"), []int64{2}))
	wave := w.op("Mul", w.op("Sin", angle), w.number(0.1))
	noise := w.op("Mul", w.with("RandomNormalLike", []string{wave}, build.Int("dtype", 1)), w.number(0.003))
	return w.op("Tanh", w.linear(w.op("Add", wave, noise), 9, 1))
}

// spectrum is a transform of short pieces, five samples apart: [1, bins, 120T+1].
func (w *styled) spectrum(x string, bins int) string {
	return w.with("Conv", []string{x, w.weights(20, bins, 1, 20)}, build.Ints("kernel_shape", 20), build.Ints("strides", 5), build.Ints("pads", 10, 10))
}

// snakes is a residual block of the generator, with periodic activations.
func (w *styled) snakes(x, style string, channels, size int) string {
	snake := func(x string) string {
		alpha := make([]float32, channels)
		for i := range alpha {
			alpha[i] = 1
		}
		a := w.Floats(w.name("alpha"), alpha, 1, channels, 1)
		y := w.op("Pow", w.op("Sin", w.op("Mul", x, a)), w.number(2))
		return w.op("Add", x, w.op("Mul", y, w.op("Reciprocal", a)))
	}
	for _, dilation := range []int{1, 3, 5} {
		y := w.conv(snake(w.adaptive(x, style, channels)), channels, channels, size, dilation, 1)
		y = w.conv(snake(w.adaptive(y, style, channels)), channels, channels, size, 1, 1)
		x = w.op("Add", y, x)
	}
	return x
}
