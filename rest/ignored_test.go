package rest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"vaak/edge"
	"vaak/rest/frame"
	"vaak/rest/speech"
)

// TestLanguageUnderOtherNames: a name with language de is German, as with lang.
func TestLanguageUnderOtherNames(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	for _, tt := range []struct{ body, want string }{
		{`"lang":"de"`, "de"},
		{`"language":"de"`, "de"},
		{`"language_code":"deu"`, "de"},
		{`"language":"German","language_code":"de","lang":"de"`, "de"},
		{`"language":"de","lang":"auto"`, "de"},
		{`"language":"de","lang":null,"language_code":""`, "de"},
		{`"language":"auto"`, "en"},
		{`"language":null`, "en"},
	} {
		body := `{"input":"Samsung 5",` + tt.body + `}`
		w := do(h, request("POST", "/v1/audio/speech", body, "xi-api-key", testKey))
		if w.Code != 200 || w.Header().Get("X-Language") != tt.want || w.Header().Get(frame.IgnoredHeader) != "" {
			t.Errorf("%s = %d in %q, ignored %q, want %s", body, w.Code, w.Header().Get("X-Language"), w.Header().Get(frame.IgnoredHeader), tt.want)
		}
		w = do(h, request("POST", "/v1/audio/speech/preview-text", body, "xi-api-key", testKey))
		if got := decode[speech.ReadingRecord](t, w).Language; got != tt.want {
			t.Errorf("preview-text of %s is in %q, want %s", body, got, tt.want)
		}
	}
	for _, tt := range []struct {
		body, param string
		says        []string
	}{
		{`"lang":"en","language":"de"`, "language", []string{`lang "en"`, `language "de"`}},
		{`"language":"en","language_code":"hi"`, "language_code", []string{`language "en"`, `language_code "hi"`}},
		{`"lang":"en-IN","language":"en"`, "language", []string{`lang "en-IN"`, `language "en"`}},
		{`"language":"Klingonian"`, "language", []string{`language "Klingonian" is not`}},
		{`"language_code":"Klingonian"`, "language_code", []string{`language_code "Klingonian" is not`}},
		{`"language":5`, "language", []string{"language must be a string"}},
	} {
		for _, path := range []string{"", "/preview-text"} {
			w := do(h, request("POST", "/v1/audio/speech"+path, `{"input":"a",`+tt.body+`}`, "xi-api-key", testKey))
			message := wantError(t, w, 400, "invalid_parameter", tt.param).Error.Message
			for _, part := range tt.says {
				if !strings.Contains(message, part) {
					t.Errorf("%s: %q does not say %q", tt.body, message, part)
				}
			}
		}
	}
}

// ignored returns the names of an answer's header.
func ignored(w *httptest.ResponseRecorder) []string {
	if w.Header().Get(frame.IgnoredHeader) == "" {
		return nil
	}
	return strings.Split(w.Header().Get(frame.IgnoredHeader), ", ")
}

func TestIgnoredParameters(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	many := []string{`"input":"a"`}
	for c := 'a'; c <= 'z'; c++ {
		many = append(many, `"`+string(c)+`":1`)
	}
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"nothing", `"lang":"en","speed":1,"voice":"alloy","stream":true`, nil},
		{"any model is the one", `"model":"tts-1"`, nil},
		{"absent by null", `"volume":null,"instructions":null`, nil},
		{"those that change nothing", `"volume":2,"lang_code":"a","instructions":"Whisper.","Lang":"de"`, []string{"Lang", "instructions", "lang_code", "volume"}},
		{"knobs", `"top_k":1.5,"temperature":0.7,"extra":{}`, []string{"extra", "temperature", "top_k"}},
		{"what a header cannot hold", `"a b":1,"a,b":1,"ü":1,"":1,"` + strings.Repeat("x", 65) + `":1,"x\u0007":1,"ok":1`, []string{"ok"}},
	} {
		for _, path := range []string{"", "/preview-text"} {
			w := do(h, request("POST", "/v1/audio/speech"+path, `{"input":"hello",`+tt.body+`}`, "xi-api-key", testKey))
			if got := ignored(w); w.Code != 200 || !slices.Equal(got, tt.want) {
				t.Errorf("%s%s: %d, ignored %q, want %q", tt.name, path, w.Code, got, tt.want)
			}
		}
	}
	w := do(h, request("POST", "/v1/audio/speech", "{"+strings.Join(many, ",")+"}", "xi-api-key", testKey))
	if got := ignored(w); len(got) != frame.MostIgnoredInBody || !slices.IsSorted(got) {
		t.Errorf("of 26 names the answer has %d: %q", len(got), got)
	}
	for _, path := range ttsPaths {
		body := `{"text":"hello","model_id":"x","voice_settings":{"stability":1},"seed":4,"language_code":"en","language":"de","speed":1.2}`
		w := do(h, request("POST", "/v1/text-to-speech/alloy"+path, body, "xi-api-key", testKey))
		if got, want := ignored(w), []string{"language", "seed", "speed"}; w.Code != 200 || !slices.Equal(got, want) {
			t.Errorf("text-to-speech%s: %d, ignored %q, want %q", path, w.Code, got, want)
		}
	}
	// Who mistypes a parameter and is refused for another sees both.
	w = do(h, request("POST", "/v1/audio/speech", `{"input":"a","speed":9,"pitch":2}`, "xi-api-key", testKey))
	wantError(t, w, 400, "invalid_parameter", "speed")
	if got := ignored(w); !slices.Equal(got, []string{"pitch"}) {
		t.Errorf("a refusal names %q, want pitch", got)
	}
	if !slices.Contains(edge.ExposedHeaders, strings.ToLower(frame.IgnoredHeader)) {
		t.Errorf("%s is not exposed to scripts", frame.IgnoredHeader)
	}
}

func TestKnobsWithoutEffectAreNoticed(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	w := do(h, request("POST", "/v1/audio/speech", `{"input":"hello","top_k":1.5,"min_p":0.1,"stream":true}`, "xi-api-key", testKey))
	if got := w.Header().Values("X-Notice"); w.Code != http.StatusOK || len(got) != 1 || !strings.Contains(got[0], "top_k, min_p") {
		t.Errorf("%d, notices %q, want one that names top_k and min_p", w.Code, got)
	}
	w = do(h, request("POST", "/v1/audio/speech", `{"input":"hello"}`, "xi-api-key", testKey))
	if got := w.Header().Values("X-Notice"); len(got) != 0 {
		t.Errorf("notices %q without a knob", got)
	}
	w = do(h, request("POST", "/v1/audio/speech/preview-text", `{"input":"hello","top_p":0.5}`, "xi-api-key", testKey))
	if got := decode[speech.ReadingRecord](t, w).Notices; len(got) != 1 || !strings.Contains(got[0], "top_p") {
		t.Errorf("notices of preview-text %q, want one that names top_p", got)
	}
}
