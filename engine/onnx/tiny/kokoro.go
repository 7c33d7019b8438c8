package tiny

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"vaak/engine/onnx/build"
)

// KokoroHop is how many samples a frame of a Kokoro voice has, at 24,000 Hz.
const KokoroHop = 600

// StyleRows and StyleWidth are the size of a voice: a row of numbers for each length of text.
const (
	StyleRows  = 510
	StyleWidth = 256
)

// KokoroOptions choose how a model of Kokoro's kind was exported. The zero value is that of
// kokoro-onnx, which tells no durations.
type KokoroOptions struct {
	Tokens     string // the input of ids: tokens or input_ids; "" is tokens
	Sound      string // the output: audio or waveform; "" is audio
	Durations  string // the output of durations, such as duration; "" is none
	IntSpeed   bool   // speed is an int32, as in one export for Chinese
	Vocabulary bool   // the model's metadata has the vocabulary, under kokoro_config
	Sherpa     int    // for how many voices the metadata has what sherpa-onnx wants; 0 is none
}

// Kokoro returns a model. Its vocabulary is that of [KokoroConfig], its voices those of
// [KokoroStyle].
func Kokoro(o KokoroOptions) []byte {
	if o.Tokens == "" {
		o.Tokens = "tokens"
	}
	if o.Sound == "" {
		o.Sound = "audio"
	}
	g := build.New(15)
	n := g.Node
	g.Input(o.Tokens, build.Int64, 1, "tokens_length")
	g.Input("style", build.Float32, 1, StyleWidth)
	speed := "speed"
	if o.IntSpeed {
		g.Input(speed, build.Int32, 1)
		speed = n("Cast", []string{speed}, "speed_float", build.Int("to", 1))
	} else {
		g.Input(speed, build.Float32, 1)
	}

	// Durations: of each id, by the speed, rounded and at least 1.
	frames := make([]float32, symbols)
	latents := make([]float32, symbols*channels)
	for id := range symbols {
		frames[id] = float32(KokoroFrames(int64(id)))
		if tone := KokoroTone(int64(id)); tone > 0 {
			latents[id*channels+loudness] = Amplitude
			latents[id*channels+frequency] = float32(tone)
		}
	}
	zero, one, two := g.Ints("zero", []int64{0}, 1), g.Ints("one", []int64{1}, 1), g.Ints("two", []int64{2}, 1)
	width := n("Squeeze", []string{n("Gather", []string{g.Floats("frames", frames, symbols), o.Tokens}, "width0"), zero}, "width") // [N]
	rounded := n("Round", []string{n("Div", []string{width, speed}, "width1")}, "rounded")
	limited := n("Clip", []string{rounded, g.Floats("float1", []float32{1})}, "limited")
	durations := o.Durations
	if durations == "" {
		durations = "pred_dur_cast"
	}
	n("Cast", []string{limited}, durations, build.Int("to", 7)) // [N]

	// The path says for each frame which id it is of: [T, N].
	ends := n("CumSum", []string{durations, g.Ints("axis", []int64{0})}, "ends")
	starts := n("Sub", []string{ends, durations}, "starts")
	total := n("ReduceMax", []string{ends}, "total", build.Int("keepdims", 0))
	t := n("Range", []string{g.Ints("zero0", []int64{0}), total, g.Ints("one0", []int64{1})}, "t")
	t = n("Unsqueeze", []string{t, one}, "t1")
	begun := n("Not", []string{n("Less", []string{t, starts}, "early")}, "begun")
	path := n("Cast", []string{n("And", []string{begun, n("Less", []string{t, ends}, "unended")}, "on")}, "path", build.Int("to", 1))
	means := n("Gather", []string{g.Floats("emb", latents, symbols, channels), o.Tokens}, "means0")                      // [1, N, channels]
	means = n("Transpose", []string{n("MatMul", []string{path, means}, "means1")}, "means", build.Ints("perm", 0, 2, 1)) // [1, channels, T]

	// The style: its first number is how strong the second harmonic is, its second makes all louder.
	harmonic := n("Slice", []string{"style", zero, one, one}, "harmonic0")
	harmonic = n("Unsqueeze", []string{harmonic, two}, "harmonic") // [1, 1, 1]
	louder := n("Add", []string{n("Slice", []string{"style", one, two, one}, "louder0"), g.Floats("unit", []float32{1})}, "louder1")
	louder = n("Unsqueeze", []string{louder, two}, "louder")
	loud := n("Mul", []string{n("Slice", []string{means, zero, one, one}, "loud0"), louder}, "loud") // [1, 1, T]

	// Noise of two kinds, and a norm over the whole time, which keeps it from being computed in pieces.
	drawn := n("RandomNormalLike", []string{loud}, "noise0", build.Int("dtype", 1))
	even := n("RandomUniformLike", []string{loud}, "noise1", build.Int("dtype", 1))
	norm := n("InstanceNormalization", []string{n("Add", []string{drawn, even}, "noise2"), g.Floats("norm_scale", []float32{1}, 1), g.Floats("norm_bias", []float32{0}, 1)}, "norm")
	noise := n("Mul", []string{norm, g.Floats("little", []float32{0.01})}, "noise")
	loud = n("Mul", []string{loud, n("Add", []string{noise, "unit"}, "about_one")}, "loud_noisy")

	// A frame becomes a sine of whole cycles.
	up := func(name, x string, weight func(i int) float32) string {
		w := make([]float32, KokoroHop)
		for i := range w {
			w[i] = weight(i)
		}
		return n("ConvTranspose", []string{x, g.Floats(name+"_weight", w, 1, 1, KokoroHop)}, name, build.Ints("kernel_shape", KokoroHop), build.Ints("strides", KokoroHop))
	}
	cycles := n("Slice", []string{means, one, two, one}, "cycles")
	angle := up("angle", cycles, func(i int) float32 { return float32(2 * math.Pi * float64(i) / KokoroHop) })
	held := up("held", loud, func(int) float32 { return 1 })
	second := n("Sin", []string{n("Mul", []string{angle, g.Floats("second", []float32{2})}, "angle2")}, "sin2")
	wave := n("Add", []string{n("Sin", []string{angle}, "sin"), n("Mul", []string{second, harmonic}, "scaled2")}, "tone")
	n("Reshape", []string{n("Mul", []string{wave, held}, "wave"), g.Ints("flat", []int64{-1}, 1)}, o.Sound)

	g.Output(o.Sound, build.Float32, "audio_length")
	if o.Durations != "" {
		g.Output(o.Durations, build.Int64, "tokens_length")
	}
	if o.Vocabulary {
		g.Metadata("kokoro_config", string(KokoroConfig()))
	}
	if o.Sherpa > 0 {
		for _, v := range [][2]string{
			{"model_type", "kokoro"}, {"language", "English"}, {"has_espeak", "1"}, {"sample_rate", "24000"}, {"version", "1"},
			{"voice", "en-us"}, {"style_dim", fmt.Sprintf("%d,1,%d", StyleRows, StyleWidth)}, {"n_speakers", strconv.Itoa(o.Sherpa)},
			{"speaker_names", strings.Join(KokoroVoices(o.Sherpa), ",")},
		} {
			g.Metadata(v[0], v[1])
		}
	}
	return g.Bytes()
}

// KokoroFrames returns how many frames an id lasts at speed 1.
func KokoroFrames(id int64) int {
	switch {
	case id == 0: // begin and end
		return 4
	case id <= 16: // punctuation and space
		return 2
	}
	return 3 + int(id%3)
}

// KokoroTone returns the frequency of an id in cycles per frame, or 0 where it is silent. Times
// 40 it is in Hz.
func KokoroTone(id int64) int {
	if id <= 16 || id >= 178 {
		return 0
	}
	return int(id) - 11
}

// KokoroVoices returns the names of some voices, at most 8.
func KokoroVoices(n int) []string {
	names := []string{"af_heart", "am_adam", "bf_emma", "bm_george", "ef_dora", "ff_siwis", "hf_alpha", "if_sara"}
	return names[:min(n, len(names))]
}

// KokoroStyle returns voice k: [StyleRows, 1, StyleWidth] numbers. The model makes the second
// harmonic k/10 as strong as the tone, and row r louder by r of 1000, so that a test can tell
// which voice and which row was used.
func KokoroStyle(k int) []float32 {
	style := make([]float32, StyleRows*StyleWidth)
	for r := range StyleRows {
		row := style[r*StyleWidth:]
		row[0], row[1] = float32(k)/10, float32(r)/1000
		for i := 2; i < StyleWidth; i++ {
			row[i] = float32((k*31+r*7+i*3)%17)/17 - 0.5
		}
	}
	return style
}

// vocabulary is that of Kokoro-82M: symbols and their ids.
const vocabulary = `; 1 : 2 , 3 . 4 ! 5 ? 6 — 9 … 10 " 11 ( 12 ) 13 “ 14 ” 15 ̃ 17 ʣ 18 ʥ 19 ʦ 20 ʨ 21 ᵝ 22 ꭧ 23 A 24 I 25 O 31 Q 33 S 35 T 36 W 39 Y 41 ᵊ 42
a 43 b 44 c 45 d 46 e 47 f 48 h 50 i 51 j 52 k 53 l 54 m 55 n 56 o 57 p 58 q 59 r 60 s 61 t 62 u 63 v 64 w 65 x 66 y 67 z 68
ɑ 69 ɐ 70 ɒ 71 æ 72 β 75 ɔ 76 ɕ 77 ç 78 ɖ 80 ð 81 ʤ 82 ə 83 ɚ 85 ɛ 86 ɜ 87 ɟ 90 ɡ 92 ɥ 99 ɨ 101 ɪ 102 ʝ 103 ɯ 110 ɰ 111 ŋ 112 ɳ 113 ɲ 114 ɴ 115 ø 116 ɸ 118 θ 119 œ 120
ɹ 123 ɾ 125 ɻ 126 ʁ 128 ɽ 129 ʂ 130 ʃ 131 ʈ 132 ʧ 133 ʊ 135 ʋ 136 ʌ 138 ɣ 139 ɤ 140 χ 142 ʎ 143 ʒ 147 ʔ 148 ˈ 156 ˌ 157 ː 158 ʰ 162 ʲ 164 ↓ 169 → 171 ↗ 172 ↘ 173 ᵻ 177`

// KokoroIDs returns the vocabulary: the id of each symbol.
func KokoroIDs() map[string]int64 {
	words := strings.Fields(vocabulary)
	ids := map[string]int64{" ": 16}
	for i := 0; i+1 < len(words); i += 2 {
		id, err := strconv.ParseInt(words[i+1], 10, 64)
		if err != nil {
			panic(err) // the table above is wrong
		}
		ids[words[i]] = id
	}
	return ids
}

// KokoroConfig returns config.json of Kokoro-82M, as far as it concerns the text.
func KokoroConfig() []byte {
	return marshal(map[string]any{"n_token": 178, "style_dim": 128, "max_dur": 50, "plbert": map[string]any{"max_position_embeddings": 512}, "vocab": KokoroIDs()})
}

// KokoroTokenizer returns tokenizer.json, which has the vocabulary for transformers.js.
func KokoroTokenizer() []byte {
	ids := KokoroIDs()
	ids["$"] = 0 // begin and end
	post := []any{map[string]any{"SpecialToken": map[string]any{"id": "$", "type_id": 0}}, map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}}, map[string]any{"SpecialToken": map[string]any{"id": "$", "type_id": 0}}}
	return marshal(map[string]any{
		"version":        "1.0",
		"pre_tokenizer":  map[string]any{"type": "Split", "pattern": map[string]any{"Regex": ""}, "behavior": "Isolated", "invert": false},
		"post_processor": map[string]any{"type": "TemplateProcessing", "single": post},
		"model":          map[string]any{"vocab": ids},
	})
}

// KokoroTokens returns tokens.txt, which has the vocabulary for sherpa-onnx: a symbol and its
// id on each line, in the order of the ids.
func KokoroTokens() []byte {
	ids := KokoroIDs()
	ids["$"] = 0
	var lines []string
	for symbol := range ids {
		lines = append(lines, symbol)
	}
	slices.SortFunc(lines, func(a, b string) int { return int(ids[a] - ids[b]) })
	var b strings.Builder
	for _, symbol := range lines {
		fmt.Fprintf(&b, "%s %d\n", symbol, ids[symbol])
	}
	return []byte(b.String())
}

func marshal(v any) []byte {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // maps of plain values
	}
	return b
}
