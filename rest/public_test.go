package rest

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"vaak/account"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

func decode[T any](t *testing.T, w *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v %.200s", w.Code, w.Header(), w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v in %.200s", err, w.Body)
	}
	return v
}

func TestVoices(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	list := decode[struct{ Voices []map[string]any }](t, do(h, request("GET", "/v1/voices?show_legacy=true", "")))
	if len(list.Voices) != len(voice.All()) || len(list.Voices) == 0 {
		t.Fatalf("%d voices, want %d", len(list.Voices), len(voice.All()))
	}
	native := map[any]bool{}
	id := regexp.MustCompile(`^sv_[a-z2-7]{16}$`)
	for _, v := range list.Voices {
		if s, _ := v["voice_id"].(string); !id.MatchString(s) || v["preview_url"] != "/v1/voices/"+s+"/preview" || v["category"] != "premade" {
			t.Errorf("voice %v", v)
		}
		labels, _ := v["labels"].(map[string]any)
		for _, key := range []string{"native_language", "native_language_code", "accent", "quality_band", "is_native_source", "preview_language", "gender"} {
			if s, ok := labels[key].(string); !ok || s == "" {
				t.Errorf("voice %v: label %s = %v", v["voice_id"], key, labels[key])
			}
		}
		native[labels["native_language_code"]] = true
	}
	if len(native) != 78 {
		t.Errorf("%d native languages, want 78", len(native))
	}

	first, _ := list.Voices[0]["voice_id"].(string)
	one := decode[map[string]any](t, do(h, request("GET", "/v1/voices/"+first+"?with_settings=false", "")))
	if one["name"] != list.Voices[0]["name"] {
		t.Errorf("GET /v1/voices/%s = %v", first, one)
	}
	for _, target := range []string{"/v1/voices/" + first + "/settings", "/v1/voices/settings/default"} {
		settings := decode[map[string]any](t, do(h, request("GET", target, "")))
		if settings["stability"] != 0.5 || settings["use_speaker_boost"] != true || settings["speed"] != 1.0 {
			t.Errorf("GET %s = %v", target, settings)
		}
	}
	for _, target := range []string{"/v1/voices/nobody", "/v1/voices/nobody/settings", "/v1/voices/nobody/preview", "/v1/voices/%2e%2e", "/v1/voices/%FF/preview"} {
		wantError(t, do(h, request("GET", target, "")), 404, "voice_not_found", "voice_id")
	}
}

func TestStaticDocuments(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	for _, target := range []string{"/v1/voices", "/v1/languages", "/v1/models", "/openapi.json", "/asyncapi.json"} {
		w := do(h, request("GET", target, ""))
		tag := w.Header().Get("ETag")
		if w.Code != 200 || len(tag) < 10 || tag[0] != '"' {
			t.Fatalf("GET %s = %d, ETag %q", target, w.Code, tag)
		}
		again := do(h, request("GET", target, "", "If-None-Match", tag))
		if again.Code != 304 || again.Body.Len() != 0 || again.Header().Get("X-Request-Id") == "" {
			t.Errorf("GET %s with its ETag = %d, %d bytes", target, again.Code, again.Body.Len())
		}
		if other := do(h, request("GET", target, "", "If-None-Match", `"other"`)); other.Code != 200 {
			t.Errorf("GET %s with another ETag = %d", target, other.Code)
		}
		head := do(h, request("HEAD", target, ""))
		if head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Length") != w.Header().Get("Content-Length") {
			t.Errorf("HEAD %s = %d, %v", target, head.Code, head.Header())
		}
	}
}

func TestPreview(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	target := "/v1/voices/" + string(voice.DefaultVoice().ID) + "/preview"
	w := do(h, request("GET", target, ""))
	if w.Code != 200 || w.Body.String() != "0123456789" || w.Header().Get("Content-Type") != "audio/wav" ||
		w.Header().Get("Cache-Control") != "public, max-age=86400" || w.Header().Get("ETag") != `"tag"` {
		t.Errorf("%d %v %q", w.Code, w.Header(), w.Body)
	}
	if w := do(h, request("GET", target, "", "If-None-Match", `"tag"`)); w.Code != 304 {
		t.Errorf("If-None-Match = %d", w.Code)
	}
	w = do(h, request("GET", target, "", "Range", "bytes=2-4"))
	if w.Code != 206 || w.Body.String() != "234" || w.Header().Get("Content-Range") != "bytes 2-4/10" {
		t.Errorf("Range = %d %q %v", w.Code, w.Body, w.Header())
	}
	w = do(h, request("GET", target, "", "Range", "bytes=90-"))
	wantError(t, w, 416, "range_not_satisfiable", "")
	if w.Header().Get("Content-Range") != "bytes */10" {
		t.Errorf("Content-Range %q", w.Header().Get("Content-Range"))
	}
	wantError(t, do(h, request("GET", target, "", "If-Match", `"other"`)), 412, "precondition_failed", "")

	if w := do(newHandler(t, Config{Speech: hum(t)}), request("GET", target, "")); w.Code != 200 || w.Header().Get("Content-Type") != "audio/mpeg" {
		t.Errorf("preview of the real service = %d %.40q", w.Code, w.Body)
	}
}

// A deployment that offers some languages lists these alone.
func TestOfferedLanguages(t *testing.T) {
	t.Parallel()
	svc, err := speech.New(speech.Config{Engines: engine.Set{enginetest.Tone{}}, Ledger: account.Unmetered{}, Languages: []lang.Code{"ta", "en"}})
	if err != nil {
		t.Fatal(err)
	}
	h := newHandler(t, Config{Speech: svc})
	list := decode[struct {
		Count     int
		Languages []struct {
			LanguageID string `json:"language_id"`
		}
	}](t, do(h, request("GET", "/v1/languages", "")))
	if list.Count != 2 || list.Languages[0].LanguageID != "en" || list.Languages[1].LanguageID != "ta" {
		t.Errorf("%d languages: %v", list.Count, list.Languages)
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	list := decode[struct {
		Count     int
		Languages []map[string]any
	}](t, do(newHandler(t, Config{}), request("GET", "/v1/languages", "")))
	if list.Count != 80 || len(list.Languages) != 80 {
		t.Fatalf("count %d of %d languages, want 80", list.Count, len(list.Languages))
	}
	voices := 0.0
	for _, l := range list.Languages {
		for _, key := range []string{"language_id", "name", "native_name", "iso639_3", "bcp47", "script"} {
			if s, ok := l[key].(string); !ok || s == "" {
				t.Errorf("language %v: %s = %v", l["language_id"], key, l[key])
			}
		}
		n, _ := l["voices"].(float64)
		voices += n
		if code, ok := l["iso639_1"]; !ok || code != nil && len(code.(string)) != 2 {
			t.Errorf("language %v: iso639_1 = %v", l["language_id"], code)
		}
	}
	if int(voices) != len(voice.All()) {
		t.Errorf("the languages have %v voices, want %d", voices, len(voice.All()))
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	for _, tt := range []struct {
		name   string
		target string
		header []string
		openai bool
	}{
		{"nobody", "/v1/models", nil, false},
		{"xi-api-key", "/v1/models", []string{"xi-api-key", "x"}, false},
		{"bearer", "/v1/models", []string{"Authorization", "Bearer x"}, true},
		{"both keys", "/v1/models", []string{"Authorization", "Bearer x", "xi-api-key", "x"}, false},
		{"stainless", "/v1/models", []string{"X-Stainless-Lang", "js", "xi-api-key", "x"}, true},
		{"user agent", "/v1/models", []string{"User-Agent", "OpenAI/JS 6.49.0"}, true},
		{"asked for", "/v1/models?format=openai", nil, true},
		{"asked for the other", "/v1/models?format=elevenlabs", []string{"Authorization", "Bearer x"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := do(h, request("GET", tt.target, "", tt.header...))
			var models []map[string]any
			if tt.openai {
				list := decode[struct {
					Object string
					Data   []map[string]any
				}](t, w)
				if models = list.Data; list.Object != "list" {
					t.Errorf("object %q", list.Object)
				}
			} else {
				models = decode[[]map[string]any](t, w)
			}
			if len(models) != 1 || models[0]["id"] != "speech-tts-turbo" || models[0]["model_id"] != "speech-tts-turbo" || models[0]["can_do_text_to_speech"] != true {
				t.Errorf("models %.300v", models)
			}
			if languages, _ := models[0]["languages"].([]any); len(languages) != 80 {
				t.Errorf("%d languages", len(languages))
			}
			if vary := w.Header().Get("Vary"); !strings.Contains(vary, "Authorization, xi-api-key, X-Stainless-Lang") {
				t.Errorf("Vary %q", vary)
			}
		})
	}
	f := wantError(t, do(h, request("GET", "/v1/models?format=soap", "")), 400, "invalid_parameter", "format")
	if f.Error.Message != `format "soap" is not one of openai, elevenlabs` {
		t.Errorf("message %q", f.Error.Message)
	}
	for _, id := range []string{"speech-tts-turbo", "tts-1", "%E0%A4%A8"} {
		if m := decode[map[string]any](t, do(h, request("GET", "/v1/models/"+id, ""))); m["id"] != "speech-tts-turbo" {
			t.Errorf("GET /v1/models/%s = %.200v", id, m)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]Config{"fake": {Version: "1.2.3"}, "real": {Speech: hum(t)}} {
		got := decode[map[string]any](t, do(newHandler(t, cfg), request("GET", "/health", "")))
		defaults, _ := got["default_voices"].(map[string]any)
		if got["status"] != "healthy" || got["default_voice"] != string(voice.DefaultVoice().ID) || defaults["en"] == nil ||
			got["languages"] != 80.0 || got["voices"] != 320.0 {
			t.Errorf("%s: %.300v", name, got)
		}
		if formats, _ := got["stream_formats"].([]any); len(formats) == 0 {
			t.Errorf("%s: stream_formats %v", name, got["stream_formats"])
		}
	}
}
