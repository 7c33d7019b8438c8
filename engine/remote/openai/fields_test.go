package openai_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/engine"
	"vaak/engine/remote/openai"
	"vaak/engine/remote/remotetest"
	"vaak/engine/remote/wire"
	"vaak/engine/remote/wire/wiretest"
	"vaak/lang"
)

func number(x float64) *float64 { return &x }

func everyKnob() engine.Sampling {
	seed := int64(engine.MaxSeed)
	return engine.Sampling{
		Temperature: number(0.65), TopP: number(1), TopK: number(40), MinP: number(0.05),
		RepetitionPenalty: number(1.3), PresencePenalty: number(-0.5), Seed: &seed,
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	reference := &wire.Reference{Audio: []byte("RIFF"), Text: "said"}
	settings := func(t *wire.Target) {
		t.Model, t.Rate, t.Normalize = "mine", 24000, true
		t.Extra = map[string]any{
			"instructions": "calm", "input": "no", "voice": "no", "model": "no", "seed": 7,
			"extra_params": map[string]any{"temperature": 2, "cfg": 3},
		}
		t.Languages = map[lang.Code]string{"en": "Englisch", "fr": ""}
	}
	for _, tt := range []struct {
		kind, name string
		target     func(*wire.Target)
		ask        wire.Ask
		want       string
	}{
		{"openai", "least", nil, wire.Ask{Language: "en"}, `{"input":"hello","model":"tts-1","voice":"alloy","response_format":"pcm"}`},
		{"openai", "knobs", nil, wire.Ask{Voice: "v", Sampling: everyKnob(), Reference: reference, Times: true},
			`{"input":"hello","model":"tts-1","voice":"v","response_format":"pcm","temperature":0.65,"top_p":1,"top_k":40,
			"min_p":0.05,"repetition_penalty":1.3,"presence_penalty":-0.5,"seed":4294967295}`},
		{"openai", "settings", settings, wire.Ask{Language: "en"}, `{"input":"hello","model":"mine","voice":"alloy","response_format":"pcm",
			"instructions":"calm","seed":7,"language":"Englisch","extra_params":{"temperature":2,"cfg":3}}`},

		{"vllm-omni", "least", nil, wire.Ask{}, `{"input":"hello","response_format":"pcm","stream":true,"stream_format":"sse"}`},
		{"vllm-omni", "language", nil, wire.Ask{Language: "zh"}, `{"input":"hello","response_format":"pcm","stream":true,"stream_format":"sse","language":"Chinese"}`},
		{"vllm-omni", "other language", nil, wire.Ask{Language: "hi"}, `{"input":"hello","response_format":"pcm","stream":true,"stream_format":"sse","language":"Auto"}`},
		{"vllm-omni", "no languages", func(t *wire.Target) { t.Languages = map[lang.Code]string{"": "", "hi": "Hindi"} }, wire.Ask{Language: "en"},
			`{"input":"hello","response_format":"pcm","stream":true,"stream_format":"sse"}`},
		{"vllm-omni", "knobs", nil, wire.Ask{Voice: "v", Sampling: everyKnob()}, `{"input":"hello","voice":"v","response_format":"pcm","stream":true,"stream_format":"sse",
			"extra_params":{"temperature":0.65,"top_p":1,"top_k":40},"seed":4294967295}`},
		{"vllm-omni", "settings", settings, wire.Ask{Language: "fr", Sampling: engine.Sampling{Temperature: number(0)}},
			`{"input":"hello","model":"mine","response_format":"pcm","stream":true,"stream_format":"sse",
			"instructions":"calm","seed":7,"extra_params":{"temperature":0,"cfg":3}}`},
		{"vllm-omni", "reference", nil, wire.Ask{Reference: reference}, `{"input":"hello","response_format":"pcm","stream":true,"stream_format":"sse",
			"ref_audio":"data:audio/wav;base64,UklGRg==","ref_text":"said"}`},
		{"vllm-omni", "times", nil, wire.Ask{Times: true}, `{"input":"hello","response_format":"pcm","word_timestamps":true}`},

		{"sglang-omni", "least", nil, wire.Ask{}, `{"input":"hello","model":"default","voice":"default","response_format":"pcm","stream":true,"stream_format":"sse"}`},
		{"sglang-omni", "knobs", nil, wire.Ask{Voice: "v", Language: "pt", Sampling: everyKnob(), Times: true}, `{"input":"hello","model":"default","voice":"v",
			"response_format":"pcm","stream":true,"stream_format":"sse","language":"Portuguese","temperature":0.65,"top_p":1,"top_k":40,"repetition_penalty":1.3,"seed":4294967295}`},
		{"sglang-omni", "reference", nil, wire.Ask{Reference: reference}, `{"input":"hello","model":"default","voice":"default","response_format":"pcm","stream":true,
			"stream_format":"sse","ref_audio":"data:audio/wav;base64,UklGRg==","ref_text":"said"}`},

		{"kokoro-fastapi", "least", nil, wire.Ask{}, `{"input":"hello","model":"kokoro","response_format":"pcm","stream":true,"normalization_options":{"normalize":false}}`},
		{"kokoro-fastapi", "knobs and letter", nil, wire.Ask{Voice: "af_heart(2)+bf_emma", Language: "en", Region: "IN", Sampling: everyKnob(), Reference: reference},
			`{"input":"hello","model":"kokoro","voice":"af_heart(2)+bf_emma","lang_code":"b","response_format":"pcm","stream":true,"normalization_options":{"normalize":false}}`},
		{"kokoro-fastapi", "letter of the voice", nil, wire.Ask{Voice: "bf_emma", Language: "en"},
			`{"input":"hello","model":"kokoro","voice":"bf_emma","response_format":"pcm","stream":true,"normalization_options":{"normalize":false}}`},
		{"kokoro-fastapi", "normalized", func(t *wire.Target) { t.Normalize = true }, wire.Ask{Language: "hi"},
			`{"input":"hello","model":"kokoro","lang_code":"h","response_format":"pcm","stream":true}`},
		{"kokoro-fastapi", "times", nil, wire.Ask{Times: true},
			`{"input":"hello","model":"kokoro","response_format":"pcm","stream":true,"return_timestamps":true,"normalization_options":{"normalize":false}}`},

		{"speaches", "least", nil, wire.Ask{Language: "en", Sampling: everyKnob()}, `{"input":"hello","model":"speaches-ai/Kokoro-82M","voice":"af_heart","response_format":"pcm","stream_format":"sse"}`},
		{"speaches", "rate", func(t *wire.Target) { t.Rate = 16000 }, wire.Ask{Voice: "v"},
			`{"input":"hello","model":"speaches-ai/Kokoro-82M","voice":"v","response_format":"pcm","stream_format":"audio","sample_rate":16000}`},
	} {
		t.Run(tt.kind+" "+tt.name, func(t *testing.T) {
			t.Parallel()
			s := suite(t, tt.kind)
			server := remotetest.Start(t, remotetest.Options{Kind: tt.kind})
			tt.ask.Text = "hello"
			pcm, _, _, err := wiretest.Hear(t.Context(), s.Dial(t, server, tt.target), tt.ask)
			if err != nil || len(pcm) == 0 {
				t.Fatal(len(pcm), err)
			}
			var want map[string]any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, server.Last(t).Fields()); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTimes sees that words come with their times, where the kind has them, in the order of the text.
func TestTimes(t *testing.T) {
	t.Parallel()
	for _, kind := range openai.Kinds {
		s := suite(t, kind.Name)
		server := remotetest.Start(t, remotetest.Options{Kind: kind.Name})
		ask := wiretest.Ask()
		ask.Times = true
		ask.Text = "Grüße an नमस्ते, 世界 friends."
		pcm, _, words, err := wiretest.Hear(t.Context(), s.Dial(t, server, nil), ask)
		if err != nil {
			t.Fatal(err)
		}
		all := remotetest.Split(ask.Text)
		if diff := cmp.Diff(all, remotetest.Words(pcm, 24000, all)); diff != "" {
			t.Errorf("%s: words heard (-want +got):\n%s", kind.Name, diff)
		}
		if !kind.Times {
			if words != nil {
				t.Errorf("%s tells times", kind.Name)
			}
			continue
		}
		var told []string
		at := time.Duration(0)
		for _, w := range words {
			told = append(told, w.Text)
			if w.Start < at || w.End-w.Start != remotetest.Length(w.Text) {
				t.Errorf("%s: word %+v after %v", kind.Name, w, at)
			}
			at = w.End
		}
		if diff := cmp.Diff(all, told); diff != "" {
			t.Errorf("%s: words told (-want +got):\n%s", kind.Name, diff)
		}
	}
}

// TestUntimed sees that a server that cannot tell times, though others of its kind can, speaks.
func TestUntimed(t *testing.T) {
	t.Parallel()
	server := remotetest.Start(t, remotetest.Options{Kind: "vllm-omni", NoTimes: true})
	client := suite(t, "vllm-omni").Dial(t, server, nil)
	ask := wiretest.Ask()
	ask.Times = true
	for range 2 {
		if _, _, words, err := wiretest.Hear(t.Context(), client, ask); err != nil || words != nil {
			t.Fatal(words, err)
		}
	}
	var asked []bool
	for _, r := range server.Settled(t) {
		asked = append(asked, r.Fields()["word_timestamps"] == true)
	}
	if diff := cmp.Diff([]bool{true, false, false}, asked); diff != "" {
		t.Errorf("asked for times (-want +got):\n%s", diff)
	}
}

// TestLongTimes sees that times that are too long for a header are missed, not the sound.
func TestLongTimes(t *testing.T) {
	t.Parallel()
	server := remotetest.Start(t, remotetest.Options{Kind: "vllm-omni"})
	ask := wiretest.Ask()
	ask.Times = true
	ask.Text = strings.Repeat("many words here ", 40)
	pcm, _, words, err := wiretest.Hear(t.Context(), suite(t, "vllm-omni").Dial(t, server, nil), ask)
	if err != nil || words != nil || len(pcm) == 0 {
		t.Fatal(len(pcm), words, err)
	}
}

func TestVoices(t *testing.T) {
	t.Parallel()
	for _, kind := range openai.Kinds {
		server := remotetest.Start(t, remotetest.Options{Kind: kind.Name, Voices: []string{"a", "b"}})
		client := suite(t, kind.Name).Dial(t, server, nil).(interface {
			Voices(context.Context) ([]string, error)
		})
		got, err := client.Voices(t.Context())
		if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" || err != nil {
			t.Errorf("%s: voices (-want +got):\n%s, %v", kind.Name, diff, err)
		}
	}
}

func TestDialRefuses(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]wire.Target{
		"no scheme":  {URL: "127.0.0.1:80"},
		"a password": {URL: "http://a:b@127.0.0.1"},
		"a query":    {URL: "http://127.0.0.1/?x=1"},
		"no address": {},
		"no JSON":    {URL: "http://127.0.0.1", Extra: map[string]any{"x": func() {}}},
	} {
		if _, err := suite(t, "vllm-omni").Kind.Dial(target); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := suite(t, "speaches").Kind.Dial(wire.Target{URL: "http://127.0.0.1"}); err == nil {
		t.Error("speaches without a model is accepted")
	}
}

// TestWAVFromSettings sees that answers are read as what they are, not as what was asked for.
func TestWAVFromSettings(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"openai", "kokoro-fastapi"} {
		server := remotetest.Start(t, remotetest.Options{Kind: kind, Rate: 22050})
		for _, extra := range []map[string]any{{"response_format": "wav"}, {"stream_format": "sse"}} {
			client := suite(t, kind).Dial(t, server, func(t *wire.Target) { t.Extra = extra })
			pcm, rate, _, err := wiretest.Hear(t.Context(), client, wiretest.Ask())
			if err != nil || extra["response_format"] == "wav" && rate != 22050 {
				t.Fatal(kind, extra, rate, err)
			}
			want := remotetest.Split(wiretest.Text)
			if diff := cmp.Diff(want, remotetest.Words(pcm, 22050, want)); diff != "" {
				t.Errorf("%s, %v: words (-want +got):\n%s", kind, extra, diff)
			}
		}
	}
}
