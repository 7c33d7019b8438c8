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
)

// TestLeftOut: what the engine cannot speak is named: in a header, or in a trailer where
// the headers were sent before it showed. So is what is charged then.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	s, err := speech.New(speech.Config{
		Engines: engine.Set{enginetest.Tone{Cannot: "q"}}, Ledger: account.Unmetered{},
		PreviewDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(newHandler(t, Config{Speech: s}))
	t.Cleanup(server.Close)
	const word = `left out and not charged, because the engine cannot speak it: 4 characters of the text, "qeta"`
	late := strings.Repeat("alpha beta gamma delta. ", 20) + "qeta"
	for _, tt := range []struct {
		name, path, body string
		cost, notice     string // of the headers
		trailer          string // the cost there
		event            string // in the body
	}{
		{"nothing", "/v1/audio/speech", `{"input":"alpha","lang":"en"}`, "5", "", "", ""},
		{"whole", "/v1/audio/speech", `{"input":"alpha qeta","lang":"en"}`, "6", word, "", ""},
		{"whole, late", "/v1/audio/speech", `{"input":"` + late + `","lang":"en"}`, "480", word, "", ""},
		{"stream", "/v1/audio/speech", `{"input":"qeta alpha","lang":"en","stream":true}`, "6", word, "", ""},
		{"stream, late", "/v1/audio/speech", `{"input":"` + late + `","lang":"en","stream":true}`, "484", "", "480", ""},
		{"events, late", "/v1/audio/speech", `{"input":"` + late + `","lang":"en","stream_format":"sse"}`, "484", "", "480", `"input_tokens":480`},
		{"lines, late", "/v1/text-to-speech/alloy/stream/with-timestamps", `{"text":"` + late + `","language_code":"en"}`, "484", "", "480", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+tt.path, strings.NewReader(tt.body))
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
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Fatalf("%d %.200s, %v", resp.StatusCode, body, err)
			}
			if got := resp.Header.Get("Character-Cost"); got != tt.cost {
				t.Errorf("character-cost %q, want %q", got, tt.cost)
			}
			if got := resp.Header.Get("X-Notice"); got != tt.notice {
				t.Errorf("x-notice %q, want %q", got, tt.notice)
			}
			notice := ""
			if tt.trailer != "" {
				notice = word
			}
			if cost, got := resp.Trailer.Get("Character-Cost"), resp.Trailer.Get("X-Notice"); cost != tt.trailer || got != notice {
				t.Errorf("trailers %q and %q, want %q and %q", cost, got, tt.trailer, notice)
			}
			if !strings.Contains(string(body), tt.event) {
				t.Errorf("the body ends with %q, want %s", body[max(0, len(body)-200):], tt.event)
			}
		})
	}
}
