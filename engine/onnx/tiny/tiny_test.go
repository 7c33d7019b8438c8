package tiny_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"vaak/engine/onnx/graph"
	"vaak/engine/onnx/ort"
	"vaak/engine/onnx/ort/orttest"
	"vaak/engine/onnx/tiny"
)

func session(t *testing.T, file []byte, output string) *ort.Session {
	t.Helper()
	lib := orttest.Open(t)
	m, err := graph.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	if output != "" {
		if m, err = m.WithOutputs(output); err != nil {
			t.Fatal(err)
		}
	}
	s, err := lib.NewSession(m.Bytes(), ort.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func run(t *testing.T, s *ort.Session, in map[string]ort.Tensor, outputs ...string) []ort.Tensor {
	t.Helper()
	out, err := s.Run(t.Context(), in, outputs...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// loudest returns the strongest tone of a sound, in cycles per frame.
func loudest(sound []float32, hop int) (tone int, strength float64) {
	for k := 1; k < hop/2; k++ {
		if s := tiny.Strength(sound, float64(k)/float64(hop)); s > strength {
			tone, strength = k, s
		}
	}
	return tone, strength
}

func TestPiperTones(t *testing.T) {
	t.Parallel()
	for _, speakers := range []int{1, 4} {
		file, _ := tiny.Piper(tiny.PiperOptions{Speakers: speakers})
		s := session(t, file, "w_ceil")
		var ids []int64
		for id := range int64(150) {
			ids = append(ids, id, 0)
		}
		speaker := int64(speakers - 1)
		out := run(t, s, map[string]ort.Tensor{
			"input": ort.Ints(ids, 1, int64(len(ids))), "input_lengths": ort.Ints([]int64{int64(len(ids))}),
			"scales": ort.Floats([]float32{0.667, 1, 0}), "sid": ort.Ints([]int64{speaker}),
		}, "output", "w_ceil")
		if fmt.Sprint(out[0].Dims[:3]) != "[1 1 1]" {
			t.Errorf("the output is of %v, want 1 x 1 x 1 x samples", out[0].Dims)
		}
		sound, frames := out[0].Data.([]float32), out[1].Data.([]float32)
		at := 0
		for i, id := range ids {
			n := int(frames[i])
			if n != tiny.PiperFrames(id) {
				t.Fatalf("id %d lasts %d frames, want %d", id, n, tiny.PiperFrames(id))
			}
			here := sound[at*tiny.Hop : (at+n)*tiny.Hop]
			at += n
			want := tiny.PiperTone(id)
			if want == 0 {
				continue // its neighbours are heard in it
			}
			// The frames at its ends are quieter.
			inside := here[tiny.Hop : 2*tiny.Hop]
			tone, strength := loudest(inside, tiny.Hop)
			if tone != want || math.Abs(strength-tiny.Amplitude) > 0.08 {
				t.Errorf("id %d: tone %d of %.2f, want %d of %.2f", id, tone, strength, want, tiny.Amplitude)
			}
			if harmonic := tiny.Strength(inside, 2*float64(want)/tiny.Hop); want < 60 && math.Abs(harmonic/strength-float64(speaker)/5) > 0.05 {
				t.Errorf("id %d, speaker %d: second harmonic of %.2f, want %.2f", id, speaker, harmonic/strength, float64(speaker)/5)
			}
		}
	}
}

func TestPiperScales(t *testing.T) {
	t.Parallel()
	file, _ := tiny.Piper(tiny.PiperOptions{})
	s := session(t, file, "")
	samples := func(noise, length, noiseW float32, n int64) int {
		ids := []int64{1, 0, 20, 0, 21, 0, 22, 0, 2}
		return len(run(t, s, map[string]ort.Tensor{
			"input": ort.Ints(ids, 1, int64(len(ids))), "input_lengths": ort.Ints([]int64{n}), "scales": ort.Floats([]float32{noise, length, noiseW}),
		}, "output")[0].Data.([]float32))
	}
	plain := samples(0.667, 1, 0, 9)
	if again := samples(0, 1, 0, 9); again != plain {
		t.Errorf("%d samples without noise, %d with", again, plain)
	}
	if slow := samples(0, 2, 0, 9); slow != 2*plain {
		t.Errorf("%d samples at length scale 2, want %d", slow, 2*plain)
	}
	if short := samples(0, 1, 0, 4); short >= plain/2+tiny.Hop*3 {
		t.Errorf("%d samples of 4 of the ids, %d of all", short, plain)
	}
	lengths := map[int]bool{}
	for range 20 {
		lengths[samples(0, 1, 0.8, 9)] = true
	}
	if len(lengths) < 2 {
		t.Error("noise_w does not change the length")
	}
}

func TestPiperConfig(t *testing.T) {
	t.Parallel()
	_, file := tiny.Piper(tiny.PiperOptions{Speakers: 4, SampleRate: 16000, Language: "de_DE", Voice: "de"})
	var c struct {
		Audio struct {
			SampleRate int `json:"sample_rate"`
		}
		Espeak   struct{ Voice string }
		IDs      map[string][]int64 `json:"phoneme_id_map"`
		N        int                `json:"num_speakers"`
		Names    map[string]int     `json:"speaker_id_map"`
		Language struct{ Code, Family, Region string }
	}
	if err := json.Unmarshal(file, &c); err != nil {
		t.Fatal(err)
	}
	if c.Audio.SampleRate != 16000 || c.Espeak.Voice != "de" || c.N != 4 || c.Names["speaker_3"] != 3 || c.Language.Region != "DE" || c.Language.Family != "de" {
		t.Errorf("config: %+v", c)
	}
	for symbol, want := range map[string]int64{"_": 0, "^": 1, "$": 2, " ": 3, "a": 14, "ə": 59, "ˈ": 120, "ː": 122, "\u0303": 141, "↑": 151} {
		if got := c.IDs[symbol]; len(got) != 1 || got[0] != want {
			t.Errorf("id of %q = %v, want %d", symbol, got, want)
		}
	}
}

func TestKokoro(t *testing.T) {
	t.Parallel()
	for _, o := range []tiny.KokoroOptions{
		{}, {Durations: "duration", Sound: "waveform"}, {Tokens: "input_ids", IntSpeed: true}, {Tokens: "input_ids", Sound: "waveform", Durations: "durations", Vocabulary: true}, {Sherpa: 3},
	} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			t.Parallel()
			file := tiny.Kokoro(o)
			m, err := graph.Parse(file)
			if err != nil {
				t.Fatal(err)
			}
			name, err := m.Durations()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Cut(); err == nil || !strings.Contains(err.Error(), "piece by piece") {
				t.Errorf("Cut = %v, want that it cannot be", err)
			}
			if _, n, err := m.TakeNoise(); n != 2 || err != nil {
				t.Errorf("TakeNoise = %d, %v, want 2", n, err)
			}
			if o.Vocabulary != (m.Metadata()["kokoro_config"] != "") || o.Sherpa > 0 && m.Metadata()["style_dim"] != "510,1,256" {
				t.Errorf("metadata: %v", m.Metadata())
			}
			s := session(t, file, name)
			tokens, sound := "tokens", "audio"
			if o.Tokens != "" {
				tokens = o.Tokens
			}
			if o.Sound != "" {
				sound = o.Sound
			}
			speed := ort.Floats([]float32{1})
			if o.IntSpeed {
				speed = ort.Tensor{Data: []int32{1}, Dims: []int64{1}}
			}
			ids := []int64{0}
			for _, id := range tiny.KokoroIDs() {
				ids = append(ids, id)
			}
			ids = append(ids, 0)
			const voice, row = 2, 100
			style := tiny.KokoroStyle(voice)[row*tiny.StyleWidth : (row+1)*tiny.StyleWidth]
			out := run(t, s, map[string]ort.Tensor{tokens: ort.Ints(ids, 1, int64(len(ids))), "style": ort.Floats(style, 1, tiny.StyleWidth), "speed": speed}, sound, name)
			samples, frames := out[0].Data.([]float32), out[1].Data.([]int64)
			at := 0
			for i, id := range ids {
				n := int(frames[i])
				here := samples[at*tiny.KokoroHop : (at+n)*tiny.KokoroHop]
				at += n
				if n != tiny.KokoroFrames(id) {
					t.Errorf("id %d lasts %d frames, want %d", id, n, tiny.KokoroFrames(id))
				}
				want := tiny.KokoroTone(id)
				if want == 0 || want > 140 {
					continue
				}
				here = here[:tiny.KokoroHop]
				tone, strength := loudest(here, tiny.KokoroHop)
				if tone != want || math.Abs(strength-tiny.Amplitude*1.1) > 0.03 {
					t.Errorf("id %d: tone %d of %.3f, want %d of %.3f", id, tone, strength, want, tiny.Amplitude*1.1)
				}
				if harmonic := tiny.Strength(here, 2*float64(tone)/tiny.KokoroHop); math.Abs(harmonic/strength-voice/10.0) > 0.02 {
					t.Errorf("id %d: second harmonic of %.3f, want %.3f", id, harmonic/strength, voice/10.0)
				}
			}
			if at*tiny.KokoroHop != len(samples) {
				t.Errorf("%d frames and %d samples", at, len(samples))
			}
		})
	}
}

func TestKokoroFiles(t *testing.T) {
	t.Parallel()
	if ids := tiny.KokoroIDs(); len(ids) != 114 || ids[" "] != 16 || ids["ə"] != 83 || ids["\u0303"] != 17 {
		t.Errorf("%d symbols, want 114", len(ids))
	}
	if b := tiny.RawVoice(1); len(b) != 522_240 {
		t.Errorf("a raw voice has %d bytes, want 522240", len(b))
	}
	if b := tiny.SherpaVoices(3); len(b) != 3*522_240 || !bytes.Equal(b[522_240:2*522_240], tiny.RawVoice(1)) {
		t.Errorf("three voices have %d bytes", len(b))
	}
	for _, deflated := range []bool{false, true} {
		b := tiny.NPZVoices(2, deflated)
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil || len(z.File) != 2 || z.File[1].Name != "am_adam.npy" {
			t.Fatalf("npz: %v", err)
		}
		f, err := z.File[1].Open()
		if err != nil {
			t.Fatal(err)
		}
		npy, err := io.ReadAll(f)
		if err != nil || !bytes.HasSuffix(npy, tiny.RawVoice(1)) || (len(npy)-522_240)%64 != 0 || !bytes.Contains(npy[:128], []byte("'shape': (510, 1, 256), }")) {
			t.Errorf("npy of %d bytes, %v", len(npy), err)
		}
	}
	var tokenizer struct {
		Model struct{ Vocab map[string]int64 }
	}
	if err := json.Unmarshal(tiny.KokoroTokenizer(), &tokenizer); err != nil || tokenizer.Model.Vocab["a"] != 43 {
		t.Errorf("tokenizer.json: %v", err)
	}
	if !bytes.Contains(tiny.KokoroTokens(), []byte("\na 43\n")) || !bytes.Contains(tiny.KokoroTokens(), []byte("\n  16\n")) {
		t.Error("tokens.txt lacks a or the space")
	}
}
