package rest

import (
	"log/slog"
	"strings"
	"testing"

	"vaak/account"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/speech"
)

// TestRangesOfAVoice: a sampling parameter that the API takes and the voice does not is refused
// with the range of the voice, in the form of each route.
func TestRangesOfAVoice(t *testing.T) {
	t.Parallel()
	s, err := speech.New(speech.Config{
		Engines: engine.Set{enginetest.Tone{Traits: func(t *engine.Traits) {
			t.Parameters = []engine.Parameter{{Name: "temperature", Min: 0.1, Max: 1}, {Name: "seed", Min: 0, Max: 255}}
		}}},
		Ledger: account.Unmetered{}, PreviewDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	h := newHandler(t, Config{Speech: s})
	for _, tt := range []struct {
		body, param, message string
	}{
		{`{"input":"hello","lang":"en","temperature":1.5}`, "temperature", "temperature 1.5 is outside 0.1 to 1, which voice "},
		{`{"input":"hello","lang":"en","seed":256,"stream":true}`, "seed", "seed 256 is outside 0 to 255, which voice "},
	} {
		f := wantError(t, do(h, speak(tt.body)), 400, "invalid_parameter", tt.param)
		if !strings.HasPrefix(f.Error.Message, tt.message) {
			t.Errorf("%s: %q, want %q", tt.body, f.Error.Message, tt.message)
		}
	}
	if w := do(h, speak(`{"input":"hello","lang":"en","temperature":1,"seed":255}`)); w.Code != 200 {
		t.Errorf("in range: %d %s", w.Code, w.Body)
	}
	if w := do(h, tts("", `{"text":"hello","seed":256}`)); w.Code != 422 || !strings.Contains(w.Body.String(), "outside 0 to 255") {
		t.Errorf("in the dialect: %d %s, want 422 with the range", w.Code, w.Body)
	}
}
