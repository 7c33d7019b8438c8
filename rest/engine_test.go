package rest

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vaak/account"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/speech"
	"vaak/voice"
)

// TestWhoSpoke: every answer names who made it, on each route, and a voice that speaks instead.
func TestWhoSpoke(t *testing.T) {
	t.Parallel()
	other := voice.Default("hi")
	s, err := speech.New(speech.Config{
		Engines: engine.Set{enginetest.Tone{Alias: "remote", Frame: func(u engine.Utterance, f *engine.Frame) {
			f.By.Place = "east"
			if strings.Contains(u.Text, "lost") {
				f.By = engine.Origin{Engine: "espeak", Voice: other.ID}
			}
		}}},
		Ledger: account.Unmetered{}, PreviewDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(newHandler(t, Config{Speech: s}))
	t.Cleanup(server.Close)
	ask := func(t *testing.T, path, body string) (headers, trailers http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+testKey)
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if text, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%d %.200s, %v", resp.StatusCode, text, err)
		}
		return resp.Header, resp.Trailer
	}
	for name, route := range map[string][2]string{
		"whole":             {"/v1/audio/speech", `{"input":"TEXT","lang":"en"}`},
		"stream":            {"/v1/audio/speech", `{"input":"TEXT","lang":"en","stream":true,"response_format":"mp3"}`},
		"events":            {"/v1/audio/speech", `{"input":"TEXT","lang":"en","stream_format":"sse"}`},
		"dialect":           {"/v1/text-to-speech/alloy", `{"text":"TEXT"}`},
		"dialect, stream":   {"/v1/text-to-speech/alloy/stream", `{"text":"TEXT"}`},
		"timestamps":        {"/v1/text-to-speech/alloy/with-timestamps", `{"text":"TEXT"}`},
		"stream timestamps": {"/v1/text-to-speech/alloy/stream/with-timestamps", `{"text":"TEXT"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, _ := ask(t, route[0], strings.Replace(route[1], "TEXT", "Hello there.", 1))
			if e, v := h.Get("X-Engine"), h.Get("X-Fallback-Voice"); e != "remote/east" || v != "" {
				t.Errorf("engine %q, fallback voice %q, want remote/east alone", e, v)
			}
			h, _ = ask(t, route[0], strings.Replace(route[1], "TEXT", "All lost.", 1))
			if e, v, n := h.Get("X-Engine"), h.Get("X-Fallback-Voice"), h.Get("X-Notice"); e != "espeak" || v != string(other.ID) || !strings.Contains(n, "speaks instead") {
				t.Errorf("engine %q, fallback voice %q, notice %q", e, v, n)
			}
		})
	}
	// Another voice takes over after the headers are sent: the notice comes in the trailers.
	long := strings.Repeat("Hello there, all is well with us. ", 40) + "All lost."
	h, trailers := ask(t, "/v1/audio/speech", `{"input":"`+long+`","lang":"en","stream":true}`)
	if e, v := h.Get("X-Engine"), h.Get("X-Fallback-Voice"); e != "remote/east" || v != "" {
		t.Errorf("engine %q, fallback voice %q in the headers, want remote/east alone", e, v)
	}
	if n := trailers.Get("X-Notice"); !strings.Contains(n, string(other.ID)) || trailers.Get("Character-Cost") != "" {
		t.Errorf("trailers %v, want a notice that names %s", trailers, other.ID)
	}
}
