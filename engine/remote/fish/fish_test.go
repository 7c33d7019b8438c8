package fish_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"vaak/engine"
	"vaak/engine/remote/fish"
	"vaak/engine/remote/remotetest"
	"vaak/engine/remote/wire"
	"vaak/engine/remote/wire/wiretest"
)

func TestMain(m *testing.M) {
	remotetest.Main()
	goleak.VerifyTestMain(m)
}

var suite = wiretest.Suite{Kind: fish.Kind, Plain: true}

func TestKind(t *testing.T) {
	t.Parallel()
	wiretest.Run(t, suite)
}

// TestBare sees that a stream without the header that it should have is read.
func TestBare(t *testing.T) {
	t.Parallel()
	server := remotetest.Start(t, remotetest.Options{Kind: "fish", Bare: true})
	pcm, rate, _, err := wiretest.Hear(t.Context(), suite.Dial(t, server, nil), wiretest.Ask())
	if err != nil || rate != 0 {
		t.Fatal(rate, err)
	}
	want := remotetest.Split(wiretest.Text)
	if diff := cmp.Diff(want, remotetest.Words(pcm, fish.Kind.Rate, want)); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	server := remotetest.Start(t, remotetest.Options{Kind: "fish"})
	sent := func(target func(*wire.Target), ask wire.Ask) map[string]any {
		t.Helper()
		ask.Text = "hello"
		if _, _, _, err := wiretest.Hear(t.Context(), suite.Dial(t, server, target), ask); err != nil {
			t.Fatal(err)
		}
		return server.Last(t).Fields()
	}
	number := func(x float64) *float64 { return &x }
	seed := int64(engine.MaxSeed)
	for _, tt := range []struct {
		name   string
		target func(*wire.Target)
		ask    wire.Ask
		want   string
	}{
		{"least", nil, wire.Ask{Language: "hi"}, `{"format":"wav","normalize":false,"streaming":true,"text":"hello"}`},
		{"knobs", nil, wire.Ask{Voice: "v", Sampling: engine.Sampling{
			Temperature: number(0.7), TopP: number(1), TopK: number(5), MinP: number(0.1),
			RepetitionPenalty: number(1.25), PresencePenalty: number(1), Seed: &seed,
		}}, `{"format":"wav","normalize":false,"streaming":true,"text":"hello","reference_id":"v",
			"temperature":0.7,"top_p":1,"repetition_penalty":1.25,"seed":4294967295}`},
		{"settings", func(t *wire.Target) {
			t.Normalize, t.Model = true, "m"
			t.Extra = map[string]any{"chunk_length": 200, "text": "no", "reference_id": "no", "seed": 1}
		}, wire.Ask{Sampling: engine.Sampling{Seed: &seed}}, `{"format":"wav","normalize":true,"streaming":true,"text":"hello","chunk_length":200,"seed":4294967295}`},
		{"reference", nil, wire.Ask{Voice: "v", Reference: &wire.Reference{Audio: []byte("RIFF"), Text: "said"}},
			`{"format":"wav","normalize":false,"streaming":true,"text":"hello","references":[{"audio":"UklGRg==","text":"said"}]}`},
	} {
		var want map[string]any
		if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, sent(tt.target, tt.ask)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestVoices(t *testing.T) {
	t.Parallel()
	server := remotetest.Start(t, remotetest.Options{Kind: "fish", Voices: []string{"a", "b"}})
	client := suite.Dial(t, server, nil).(interface {
		Voices(context.Context) ([]string, error)
	})
	got, err := client.Voices(t.Context())
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" || err != nil {
		t.Errorf("voices (-want +got):\n%s, %v", diff, err)
	}
}
