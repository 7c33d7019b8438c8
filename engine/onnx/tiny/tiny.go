// Package tiny makes neural voices for tests: models of some hundred kilobytes with the inputs,
// outputs and operators of real ones, and sound that a test can check.
//
// Each phoneme id is a tone of a frequency of its own, for a number of frames that depends on
// the id. What real models do to the sound these do too, as far as a driver can tell: they draw
// noise, stretch time, and their vocoders hear the neighbours of a frame.
package tiny

import (
	"fmt"
	"math"

	"vaak/engine/onnx/build"
)

// Hop is how many samples a frame of a Piper voice has.
const Hop = 256

// symbols is the number of ids that a Piper voice may have.
const symbols = 256

// firstTone is the first id of Piper's map that is a sound, and tones how many frequencies
// there are. Lower ids are silence: padding, the ends, space and punctuation.
const (
	firstTone = 14
	tones     = 120
)

// PiperOptions choose a voice of Piper's kind. The zero value is an English voice of medium
// quality with one speaker.
type PiperOptions struct {
	Speakers   int    // 0 is 1
	SampleRate int    // Hz; 0 is 22050
	Quality    string // "" is medium
	Language   string // as Piper names it; "" is en_US
	Voice      string // of espeak; "" is en-us
	Dataset    string // "" is tiny
	Whole      bool   // the vocoder has an operator that keeps it from being cut
}

// Piper returns a model and its configuration, the content of NAME.onnx and NAME.onnx.json.
//
// The inputs are input, input_lengths, scales and, with several speakers, sid; the output is
// output, of 1 x 1 x 1 x samples. Speaker k adds a second harmonic of k/5 of the amplitude.
func Piper(o PiperOptions) (model, config []byte) { return piperModel(o.filled()), PiperConfig(o) }

// filled returns the options with the default of what is not set.
func (o PiperOptions) filled() PiperOptions {
	o.Speakers = max(1, o.Speakers)
	if o.SampleRate == 0 {
		o.SampleRate = 22050
	}
	orElse := func(s *string, otherwise string) {
		if *s == "" {
			*s = otherwise
		}
	}
	orElse(&o.Quality, "medium")
	orElse(&o.Language, "en_US")
	orElse(&o.Voice, "en-us")
	orElse(&o.Dataset, "tiny")
	return o
}

// PiperFrames returns how many frames an id lasts at length scale 1, without noise.
func PiperFrames(id int64) int {
	switch {
	case id == 0: // padding
		return 1
	case id < 3: // begin and end
		return 2
	case id == 3: // space
		return 3
	}
	return 3 + int(id%3)
}

// PiperTone returns the frequency of an id in cycles per frame, or 0 where it is silent. Times
// the sample rate and divided by Hop it is in Hz.
func PiperTone(id int64) int {
	if id < firstTone || id >= symbols {
		return 0
	}
	return 3 + int(id-firstTone)%tones
}

// Strength measures how strong a tone is in samples at a frequency in cycles per sample: the
// amplitude of the sine. It is the algorithm of Goertzel.
func Strength(samples []float32, frequency float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	step := 2 * math.Cos(2*math.Pi*frequency)
	var a, b float64
	for _, v := range samples {
		a, b = float64(v)+step*a-b, a
	}
	power := a*a + b*b - step*a*b
	return 2 * math.Sqrt(max(0, power)) / float64(len(samples))
}

// Amplitude is how strong the tone of a sound is, between its edges.
const Amplitude = 0.25

// Channels of the latent frames of a Piper voice.
const (
	loudness  = iota // amplitude of the tone
	frequency        // cycles per frame
	channels
)

func piperModel(o PiperOptions) []byte {
	g := build.New(15)
	g.Input("input", build.Int64, "batch_size", "phonemes")
	g.Input("input_lengths", build.Int64, "batch_size")
	g.Input("scales", build.Float32, 3)
	if o.Speakers > 1 {
		g.Input("sid", build.Int64, "batch_size")
	}
	latent := piperFront(g)
	wave := piperVocoder(g, latent, o)
	g.Node("Unsqueeze", []string{wave, g.Ints("output_axis", []int64{1}, 1)}, "output")
	g.Output("output", build.Float32, "batch_size", "time", "Unsqueezeoutput_dim_2", "Unsqueezeoutput_dim_3")
	return g.Bytes()
}

// piperFront adds what makes latent frames of ids, and returns their name: [1, channels, T].
func piperFront(g *build.Graph) string {
	frames := make([]float32, symbols)
	latents := make([]float32, symbols*channels)
	for id := range symbols {
		frames[id] = float32(PiperFrames(int64(id)))
		if tone := PiperTone(int64(id)); tone > 0 {
			latents[id*channels+loudness] = Amplitude
			latents[id*channels+frequency] = float32(tone)
		}
	}
	zero, one := g.Ints("zero", []int64{0}, 1), g.Ints("one", []int64{1}, 1)
	two, three := g.Ints("two", []int64{2}, 1), g.Ints("three", []int64{3}, 1)
	n := g.Node
	noiseScale := n("Slice", []string{"scales", zero, one}, "noise_scale")
	lengthScale := n("Slice", []string{"scales", one, two}, "length_scale")
	noiseW := n("Slice", []string{"scales", two, three}, "noise_w")

	// The mask is 1 for the ids within input_lengths.
	shape := n("Shape", []string{"input"}, "input_shape")
	count := n("Squeeze", []string{n("Slice", []string{shape, one, two}, "input_count"), zero}, "input_count0")
	places := n("Range", []string{g.Ints("zero0", []int64{0}), count, g.Ints("one0", []int64{1})}, "places")
	mask := n("Cast", []string{n("Less", []string{places, "input_lengths"}, "within")}, "mask", build.Int("to", 1)) // [N]

	// Durations: exp(noise)·frames·length_scale, rounded up, as [1, 1, N].
	width := n("Unsqueeze", []string{n("Gather", []string{g.Floats("frames", frames, symbols), "input"}, "width0"), one}, "width")
	draw := n("RandomNormalLike", []string{width}, "dp_RandomNormalLike_output", build.Int("dtype", 1))
	swing := n("Mul", []string{n("Mul", []string{draw, noiseW}, "dp_noise"), g.Floats("dp_little", []float32{0.1})}, "dp_swing")
	width = n("Mul", []string{n("Mul", []string{width, n("Exp", []string{swing}, "dp_exp")}, "dp_width"), mask}, "dp_masked")
	ceil := n("Ceil", []string{n("Mul", []string{width, lengthScale}, "dp_scaled")}, "w_ceil")

	// The path says for each frame which id it is of: [1, T, N].
	ends := n("CumSum", []string{ceil, g.Ints("axis", []int64{2})}, "ends")
	starts := n("Sub", []string{ends, ceil}, "starts")
	total := n("ReduceMax", []string{ends}, "total", build.Int("keepdims", 0))
	t := n("Range", []string{g.Floats("float0", []float32{0}), total, g.Floats("float1", []float32{1})}, "t")
	t = n("Reshape", []string{t, g.Ints("t_shape", []int64{1, -1, 1}, 3)}, "t1")
	begun := n("Not", []string{n("Less", []string{t, starts}, "early")}, "begun")
	path := n("Cast", []string{n("And", []string{begun, n("Less", []string{t, ends}, "unended")}, "on")}, "path", build.Int("to", 1))

	means := n("Gather", []string{g.Floats("emb", latents, symbols, channels), "input"}, "means0")                       // [1, N, channels]
	means = n("Transpose", []string{n("MatMul", []string{path, means}, "means1")}, "means", build.Ints("perm", 0, 2, 1)) // [1, channels, T]
	draw = n("RandomNormalLike", []string{means}, "RandomNormalLike_output", build.Int("dtype", 1))
	little := g.Floats("little", []float32{0.02, 0}, 1, channels, 1) // the frequency must stay a whole number
	noise := n("Mul", []string{n("Mul", []string{draw, noiseScale}, "noise0"), little}, "noise")
	z := n("Add", []string{means, noise}, "z_p")

	// The mask of the frames, of which none is left out here. Its product is what the vocoder takes.
	sum := n("ReduceSum", []string{path, two}, "path_sum", build.Int("keepdims", 1))
	yMask := n("Transpose", []string{sum}, "y_mask", build.Ints("perm", 0, 2, 1)) // [1, 1, T]
	return n("Mul", []string{z, yMask}, "z_masked")
}

// The channels inside the vocoder. All are 0 or more, so that LeakyRelu keeps them as they are.
const (
	inLoud      = iota // amplitude
	inFrequency        // cycles per frame
	inPhase            // cycles since the frame began
	inHarmonic         // of the speaker
	inner
)

// piperVocoder adds what makes sound of latent frames, and returns its name: [1, 1, samples].
func piperVocoder(g *build.Graph, latent string, o PiperOptions) string {
	n := g.Node
	// conv_pre: the loudness of a frame is that of its neighbours, too.
	pre := newKernel(inner, channels, 7)
	for k, v := range []float32{0.03, 0.05, 0.12, 0.6, 0.12, 0.05, 0.03} {
		pre.set(inLoud, loudness, k, v)
	}
	pre.set(inFrequency, frequency, 3, 1)
	x := n("Conv", []string{latent, pre.add(g, "dec_conv_pre_weight"), g.Floats("dec_conv_pre_bias", make([]float32, inner), inner)}, "dec_conv_pre",
		build.Ints("kernel_shape", 7), build.Ints("pads", 3, 3), build.Ints("strides", 1), build.Ints("dilations", 1), build.Int("group", 1))
	if o.Speakers > 1 {
		speakers := make([]float32, o.Speakers)
		for i := range speakers {
			speakers[i] = float32(i) / 5
		}
		e := n("Gather", []string{g.Floats("emb_g", speakers, o.Speakers, 1), "sid"}, "emb_g_row")
		e = n("Unsqueeze", []string{e, g.Ints("last", []int64{-1}, 1)}, "g")
		cond := newKernel(inner, 1, 1)
		cond.set(inHarmonic, 0, 0, 1)
		c := n("Conv", []string{e, cond.add(g, "dec_cond_weight")}, "dec_cond", build.Ints("kernel_shape", 1))
		x = n("Add", []string{x, c}, "dec_sum")
	}
	total := 1
	for i, rate := range []int{8, 8, 4} {
		p := fmt.Sprintf("dec_%d_", i)
		total *= rate
		x = n("LeakyRelu", []string{x}, p+"relu", build.Float("alpha", 0.1))
		size, pad := 2*rate, rate/2
		up := newKernel(inner, inner, size) // of a ConvTranspose: [in, out, size]
		for k := range size {
			// The loudness is drawn from one frame to the next. The rest holds for a frame.
			up.set(inLoud, inLoud, k, 1-float32(math.Abs(float64(k)-float64(size-1)/2))/float32(rate))
			if j := k - pad; j >= 0 && j < rate {
				up.set(inFrequency, inFrequency, k, 1)
				up.set(inHarmonic, inHarmonic, k, 1)
				up.set(inPhase, inPhase, k, 1)
				up.set(inFrequency, inPhase, k, float32(j)/float32(total))
			}
		}
		x = n("ConvTranspose", []string{x, up.add(g, p+"up_weight")}, p+"up",
			build.Ints("kernel_shape", size), build.Ints("strides", rate), build.Ints("pads", pad, pad), build.Ints("dilations", 1), build.Int("group", 1))
		// Two branches of a residual block each, of which the mean is taken.
		var sum string
		for b, dilation := range []int{1, 3} {
			r := n("LeakyRelu", []string{x}, fmt.Sprintf("%srb%d_relu", p, b), build.Float("alpha", 0.1))
			c := newKernel(inner, inner, 3)
			for k, v := range []float32{0.1, -0.2, 0.1} {
				c.set(inLoud, inLoud, k, v)
			}
			r = n("Conv", []string{r, c.add(g, fmt.Sprintf("%srb%d_weight", p, b))}, fmt.Sprintf("%srb%d_conv", p, b),
				build.Ints("kernel_shape", 3), build.Ints("pads", dilation, dilation), build.Ints("dilations", dilation), build.Ints("strides", 1), build.Int("group", 1))
			r = n("Add", []string{r, x}, fmt.Sprintf("%srb%d", p, b))
			if sum != "" {
				r = n("Add", []string{sum, r}, p+"sum")
			}
			sum = r
		}
		x = n("Div", []string{sum, g.Floats(p+"branches", []float32{2})}, p+"mean")
	}
	if o.Whole {
		// The sound is compared with its mean, as some vocoders do: the end changes the beginning.
		x = n("Sub", []string{x, n("Mul", []string{n("ReduceMean", []string{x}, "dec_all", build.Ints("axes", 2)), g.Floats("dec_none", []float32{0})}, "dec_all0")}, "dec_levelled")
	}
	x = n("LeakyRelu", []string{x}, "dec_relu", build.Float("alpha", 0.01))
	post := func(name string, from int, taps ...float32) string {
		c := newKernel(1, inner, len(taps))
		for k, v := range taps {
			c.set(0, from, k, v)
		}
		return n("Conv", []string{x, c.add(g, name+"_weight")}, name, build.Ints("kernel_shape", len(taps)), build.Ints("pads", len(taps)/2, len(taps)/2))
	}
	loud := post("dec_conv_post", inLoud, 0.05, 0.1, 0.15, 0.4, 0.15, 0.1, 0.05)
	angle := n("Mul", []string{post("dec_phase", inPhase, 1), g.Floats("circle", []float32{2 * math.Pi})}, "dec_angle")
	wave := n("Sin", []string{angle}, "dec_sin")
	second := n("Sin", []string{n("Mul", []string{angle, g.Floats("second", []float32{2})}, "dec_angle2")}, "dec_sin2")
	wave = n("Add", []string{wave, n("Mul", []string{second, post("dec_harmonic", inHarmonic, 1)}, "dec_scaled2")}, "dec_tone")
	wave = n("Mul", []string{wave, loud}, "dec_wave")
	return n("Tanh", []string{wave}, "dec_tanh")
}

// kernel is the weights of a convolution: [a, b, taps], which is [out, in, taps] for a Conv and
// [in, out, taps] for a ConvTranspose.
type kernel struct {
	a, b, taps int
	data       []float32
}

func newKernel(a, b, taps int) kernel { return kernel{a, b, taps, make([]float32, a*b*taps)} }

func (k kernel) set(a, b, tap int, v float32) { k.data[(a*k.b+b)*k.taps+tap] = v }

func (k kernel) add(g *build.Graph, name string) string {
	return g.Floats(name, k.data, k.a, k.b, k.taps)
}

// ipa are the symbols of Piper's map in the order of their ids.
const ipa = "_^$ !'(),-.:;?abcdefhijklmnopqrstuvwxyzæçðøħŋœǀǁǂǃɐɑɒɓɔɕɖɗɘəɚɛɜɞɟɠɡɢɣɤɥɦɧɨɪɫɬɭɮɯɰɱɲɳɴɵɶɸɹɺɻɽɾʀʁʂʃʄʈʉʊʋʌʍʎʏʐʑʒʔʕʘʙʛʜʝʟʡʢʲˈˌːˑ˞βθχᵻⱱ0123456789" +
	"\u0327\u0303\u032a\u032f\u0329ʰˤε↓#\"↑\u033a\u033b"

// PiperIDs returns the map of phonemes to ids that every tiny voice has, which is Piper's own.
func PiperIDs() map[string][]int64 {
	ids := map[string][]int64{}
	id := int64(0)
	for _, r := range ipa {
		ids[string(r)] = []int64{id}
		id++
	}
	return ids
}

// PiperConfig returns the configuration of a voice of Piper's kind alone.
func PiperConfig(o PiperOptions) []byte {
	o = o.filled()
	speakers := map[string]int{}
	if o.Speakers > 1 {
		for i := range o.Speakers {
			speakers[fmt.Sprintf("speaker_%d", i)] = i
		}
	}
	family, region := o.Language, ""
	for i := range o.Language {
		if o.Language[i] == '_' {
			family, region = o.Language[:i], o.Language[i+1:]
			break
		}
	}
	return marshal(map[string]any{
		"audio":          map[string]any{"sample_rate": o.SampleRate, "quality": o.Quality},
		"espeak":         map[string]any{"voice": o.Voice},
		"inference":      map[string]any{"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8},
		"phoneme_type":   "espeak",
		"phoneme_map":    map[string]any{},
		"phoneme_id_map": PiperIDs(),
		"num_symbols":    symbols,
		"num_speakers":   o.Speakers, "speaker_id_map": speakers,
		"piper_version": "1.0.0",
		"language":      map[string]any{"code": o.Language, "family": family, "region": region, "name_native": family, "name_english": family, "country_english": region},
		"dataset":       o.Dataset,
	})
}
