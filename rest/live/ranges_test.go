package live

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"vaak/account"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/speech"
	"vaak/voice"
)

// TestRangesOfAVoice: the native socket refuses a parameter that is outside the range of the voice,
// with the range; those of the dialect go on without it and say so.
func TestRangesOfAVoice(t *testing.T) {
	t.Parallel()
	ranged, err := speech.New(speech.Config{
		Engines: engine.Set{enginetest.Tone{Traits: func(t *engine.Traits) {
			t.Parameters = []engine.Parameter{{Name: "seed", Min: 0, Max: 255}}
		}}},
		Ledger: account.Unmetered{}, PreviewDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, newSite(t, Config{Speech: ranged}))
	const want = "seed 256 is outside 0 to 255"
	dialect := "/v1/text-to-speech/" + string(voice.Default("en").ID)
	for path, refused := range map[string]bool{
		nativePath + "?lang=en&seed=256": true, nativePath + "?voice=" + string(voice.Default("en").ID) + "&seed=256": true,
		nativePath + "?lang=en&seed=255": false, dialect + "/stream-input?seed=256": false,
		dialect + "/multi-stream-input?seed=256": false,
	} {
		conn, resp, err := s.connect(t.Context(), path)
		if err == nil {
			_ = conn.Close()
		}
		if !refused {
			if err != nil {
				t.Errorf("%s: %v", path, err)
			} else if notice := resp.Header.Get("X-Notice"); strings.Contains(notice, want) != strings.Contains(path, "256") {
				t.Errorf("%s: x-notice %q", path, notice)
			}
			continue
		}
		if err == nil || resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s is not refused: %v", path, err)
			continue
		}
		if body, _ := io.ReadAll(resp.Body); !strings.Contains(string(body), want) {
			t.Errorf("%s: %s, want %q", path, body, want)
		}
	}
}
