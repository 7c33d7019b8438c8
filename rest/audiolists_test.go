package rest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"vaak/rest/voices"
	"vaak/speech"
	"vaak/voice"
)

// TestVoiceByAlias asks for voices by names that other services' clients send.
func TestVoiceByAlias(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	alloy, ok := (*voice.Directory)(nil).Lookup("alloy")
	if !ok {
		t.Fatal("alloy is no voice")
	}
	for _, name := range []string{"alloy", "Alloy", "21m00Tcm4TlvDq8ikWAM", alloy.Name, strings.ToLower(alloy.Name), string(alloy.ID)} {
		var got voices.VoiceRecord
		w := do(h, request("GET", "/v1/voices/"+name, ""))
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || got.VoiceID != string(alloy.ID) || !slices.Contains(got.Aliases, "alloy") {
			t.Errorf("GET /v1/voices/%s = %d %+v, %v, want %s with its aliases", name, w.Code, got, err, alloy.ID)
		}
		for _, path := range []string{"/settings", "/preview"} {
			if w := do(h, request("GET", "/v1/voices/"+name+path, "")); w.Code != 200 {
				t.Errorf("GET /v1/voices/%s%s = %d %s", name, path, w.Code, w.Body)
			}
		}
	}
	var page voices.VoicePage
	w := do(h, request("GET", "/v2/voices?voice_ids=alloy&voice_ids=nobody", "", "xi-api-key", testKey))
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || len(page.Voices) != 1 || page.Voices[0].VoiceID != string(alloy.ID) {
		t.Errorf("/v2/voices by alias = %d %s", w.Code, w.Body)
	}
	var list voices.VoiceList
	w = do(h, request("GET", "/v1/voices", ""))
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{}
	for _, v := range list.Voices {
		for _, a := range v.Aliases {
			named[a] = v.VoiceID
		}
	}
	for _, a := range voice.BuiltInAliases() {
		if named[a.Name] != string(a.Voice) {
			t.Errorf("the list says %s of %s, want %s", named[a.Name], a.Name, a.Voice)
		}
	}
}

// TestOperatorsAliases serves voices under the operator's names alone.
func TestOperatorsAliases(t *testing.T) {
	t.Parallel()
	tamil := voice.Default("ta").ID
	voices, err := voice.NewDirectory(voice.Naming{NoBuiltIn: true, Aliases: map[string]voice.ID{"front desk": tamil}})
	if err != nil {
		t.Fatal(err)
	}
	h := newHandler(t, Config{Voices: voices})
	if w := do(h, request("GET", "/v1/voices/front%20desk", "")); w.Code != 200 || !strings.Contains(w.Body.String(), `"voice_id":"`+string(tamil)) ||
		!strings.Contains(w.Body.String(), `"aliases":["front desk"]`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	wantError(t, do(h, request("GET", "/v1/voices/alloy", "")), 404, "voice_not_found", "voice_id")
}

// TestAudioLists reads both lists as Open WebUI 0.12.4 does: voices by their id and
// name, models as a list called models, without a key; and as clients of OpenAI do.
func TestAudioLists(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	var voices struct {
		Voices []map[string]any `json:"voices"`
	}
	for _, path := range []string{"/v1/audio/voices", "/v1/v1/audio/voices"} {
		w := do(h, request("GET", path, ""))
		if err := json.Unmarshal(w.Body.Bytes(), &voices); err != nil || w.Code != 200 || len(voices.Voices) != len(voice.All()) {
			t.Fatalf("GET %s = %d, %d voices, %v", path, w.Code, len(voices.Voices), err)
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("ETag") == "" {
			t.Errorf("GET %s has headers %v", path, w.Header())
		}
	}
	for i, v := range voice.All() {
		if got := voices.Voices[i]; got["id"] != string(v.ID) || got["name"] != v.Name || got["language_code"] != string(v.Native) {
			t.Errorf("voice %d is %v, want %s %s", i, got, v.ID, v.Name)
		}
	}
	var models struct {
		Models []struct{ ID, Name string }   `json:"models"`
		Object string                        `json:"object"`
		Data   []struct{ ID, Object string } `json:"data"`
	}
	w := do(h, request("GET", "/v1/audio/models", "", "Authorization", "Bearer wrong"))
	if err := json.Unmarshal(w.Body.Bytes(), &models); err != nil || w.Code != 200 {
		t.Fatalf("GET /v1/audio/models = %d %s, %v", w.Code, w.Body, err)
	}
	if len(models.Models) != 1 || models.Models[0].ID != speech.Model || models.Models[0].Name == "" ||
		models.Object != "list" || len(models.Data) != 1 || models.Data[0].ID != speech.Model || models.Data[0].Object != "model" {
		t.Errorf("models are %+v", models)
	}
}

// TestSpeakByAlias: whatever the voice was called, what is told is its id.
func TestSpeakByAlias(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	alloy, _ := (*voice.Directory)(nil).Lookup("alloy")
	for _, name := range []string{"alloy", "ALLOY", "21m00Tcm4TlvDq8ikWAM", alloy.Name} {
		for path, body := range map[string]string{
			"/v1/audio/speech":                                       `{"input":"hello","voice":"` + name + `"}`,
			"/v1/v1/audio/speech":                                    `{"input":"hello","voice":{"id":"` + name + `"},"stream":true}`,
			"/v1/text-to-speech/" + name:                             `{"text":"hello"}`,
			"/v1/text-to-speech/" + name + "/stream":                 `{"text":"hello"}`,
			"/v1/text-to-speech/" + name + "/with-timestamps":        `{"text":"hello"}`,
			"/v1/text-to-speech/" + name + "/stream/with-timestamps": `{"text":"hello"}`,
		} {
			w := do(h, request("POST", path, body, "xi-api-key", testKey))
			if w.Code != 200 || w.Header().Get("X-Voice-Id") != string(alloy.ID) {
				t.Errorf("POST %s %s = %d with the voice %q, want %s", path, body, w.Code, w.Header().Get("X-Voice-Id"), alloy.ID)
			}
		}
	}
}
