package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/audio"
	"vaak/internal/fault"
	"vaak/internal/ratelimit"
	"vaak/rest/frame"
	"vaak/speech"
	"vaak/voice"
)

// ttsPaths are the four routes, behind the voice.
var ttsPaths = []string{"", "/stream", "/with-timestamps", "/stream/with-timestamps"}

// tts posts a body to a route that speaks in the ElevenLabs dialect, with a key.
// The path is what follows the default voice.
func tts(path, body string, header ...string) *http.Request {
	return request("POST", "/v1/text-to-speech/"+string(voice.DefaultVoice().ID)+path, body,
		append([]string{"xi-api-key", testKey, "Content-Type", "application/json"}, header...)...)
}

// TestTextToSpeechIsPassedOn checks what the service is asked for.
func TestTextToSpeechIsPassedOn(t *testing.T) {
	t.Parallel()
	var got speech.Request
	h := newHandler(t, Config{Speech: speaker{func(_ context.Context, req speech.Request, w io.Writer) (speech.Result, error) {
		got = req
		_, err := io.WriteString(w, "x")
		return speech.Result{Info: testInfo}, err
	}}})
	seed := int64(42)
	mp3 := audio.Format{Codec: audio.MP3, SampleRate: 44100, BitrateKbps: 128}
	pcm := audio.Format{Codec: audio.PCM, SampleRate: 16000}
	const full = `{"text":"hé","model_id":"eleven_v3","language_code":"hi","voice_settings":{"stability":0.3,"similarity_boost":1,"style":0.1,"use_speaker_boost":false,"speed":1.2},
		"pronunciation_dictionary_locators":[],"seed":42,"previous_text":"before","next_text":"after","previous_request_ids":["a"],"next_request_ids":["b"],
		"use_pvc_as_ivc":true,"apply_text_normalization":"auto","apply_language_text_normalization":true,"audio_effects":{"x":1},"surprise":[{}]}`
	for _, tt := range []struct {
		name, query, body string
		want              speech.Request
	}{
		{"least", "", `{"text":"x"}`, speech.Request{Text: "x", Format: mp3}},
		{"all", "?output_format=pcm_16000&enable_logging=false&optimize_streaming_latency=4&surprise=1", full,
			speech.Request{Text: "hé", Language: "hi", Format: pcm, Speed: 1.2, PreviousText: "before", NextText: "after", Sampling: speech.Sampling{Seed: &seed}}},
		{"nulls", "", `{"text":"x","model_id":null,"language_code":null,"voice_settings":null,"pronunciation_dictionary_locators":null,"seed":null,
			"previous_text":null,"next_text":null,"output_format":null,"pronunciation_dictionary_id":null,"apply_text_normalization":null}`, speech.Request{Text: "x", Format: mp3}},
		{"empty objects", "", `{"text":"x","voice_settings":{},"pronunciation_dictionary_locators":{},"seed":{},"audio_effects":{}}`, speech.Request{Text: "x", Format: mp3}},
		{"null settings", "", `{"text":"x","voice_settings":{"stability":null,"speed":null}}`, speech.Request{Text: "x", Format: mp3}},
		{"format in the body", "", `{"text":"x","output_format":"pcm_16000"}`, speech.Request{Text: "x", Format: pcm}},
		{"format in both", "?output_format=pcm_16000", `{"text":"x","output_format":"wav_8000"}`, speech.Request{Text: "x", Format: pcm}},
		{"format empty", "?output_format=", `{"text":"x","output_format":""}`, speech.Request{Text: "x", Format: mp3}},
		{"odd query", "?output_format=pcm_16000;x&%zz&output_format=pcm_16000", `{"text":"x"}`, speech.Request{Text: "x", Format: pcm}},
	} {
		for i, path := range ttsPaths {
			w := do(h, tts(path+tt.query, tt.body))
			if w.Code != 200 {
				t.Errorf("%s: POST ...%s = %d %s", tt.name, path, w.Code, w.Body)
				continue
			}
			want := tt.want
			want.Voice, want.Stream = string(voice.DefaultVoice().ID), i%2 == 1
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: POST ...%s (-want +got):\n%s", tt.name, path, d)
			}
		}
	}
	do(h, request("POST", "/v1/text-to-speech/a%2Fb%20c/stream", `{"text":"x"}`, "xi-api-key", testKey))
	if got.Voice != "a/b c" {
		t.Errorf("voice %q, want a/b c", got.Voice)
	}
}

// TestTextToSpeechAnswers compares the routes with POST /v1/audio/speech, in
// every codec that there is here.
func TestTextToSpeechAnswers(t *testing.T) {
	t.Parallel()
	service := hum(t)
	h := newHandler(t, Config{Speech: service})
	for _, codec := range service.Health().Formats {
		format := string(codec) + "_24000"
		if codec.Lossy() {
			format += "_96"
		}
		for i, path := range ttsPaths[:2] {
			body := map[string]any{"input": "Hello there.", "voice": voice.DefaultVoice().ID, "response_format": codec, "sample_rate": 24000, "stream": i == 1}
			if codec.Lossy() {
				body["bitrate_kbps"] = 96
			}
			native, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			want := do(h, speak(string(native)))
			got := do(h, tts(path+"?output_format="+format, `{"text":"Hello there."}`))
			if got.Code != 200 || !bytes.Equal(got.Body.Bytes(), want.Body.Bytes()) || got.Body.Len() == 0 {
				t.Errorf("%s%s: %d, %d bytes, want %d", format, path, got.Code, got.Body.Len(), want.Body.Len())
			}
			for _, name := range []string{"Content-Type", "Content-Length", "Character-Cost", "X-Voice-Id", "X-Language", "X-Accel-Buffering"} {
				if got.Header().Get(name) != want.Header().Get(name) {
					t.Errorf("%s%s: %s %q, want %q", format, path, name, got.Header().Get(name), want.Header().Get(name))
				}
			}
			if !strings.HasPrefix(got.Header().Get("Content-Type"), "audio/") || got.Header().Get("Character-Cost") != "12" {
				t.Errorf("%s%s: headers %v", format, path, got.Header())
			}
		}
	}
}

// TestTelephony: ulaw at 8,000 Hz is bare bytes, 8,000 a second; pcm is whole
// samples, and a wav stream has one header.
func TestTelephony(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	pcm := do(h, tts("/stream?output_format=pcm_8000", `{"text":"One two three. Four five six."}`)).Body.Bytes()
	ulaw := do(h, tts("/stream?output_format=ulaw_8000", `{"text":"One two three. Four five six."}`)).Body.Bytes()
	wav := do(h, tts("/stream?output_format=wav_8000", `{"text":"One two three. Four five six."}`)).Body.Bytes()
	if len(pcm) == 0 || len(pcm)%2 != 0 || len(ulaw) != len(pcm)/2 || bytes.HasPrefix(ulaw, []byte("RIFF")) {
		t.Errorf("%d bytes of pcm and %d of ulaw", len(pcm), len(ulaw))
	}
	if !bytes.HasPrefix(wav, []byte("RIFF")) || bytes.Count(wav, []byte("RIFF")) != 1 || !bytes.HasSuffix(wav, pcm) {
		t.Errorf("the wav stream of %d bytes is not one header and the samples", len(wav))
	}
}

func TestTextToSpeechKeys(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	for _, path := range ttsPaths {
		for _, tt := range []struct {
			header []string
			code   string
		}{
			{[]string{"xi-api-key", testKey}, ""},
			{[]string{"Authorization", "Bearer " + testKey}, ""},
			{[]string{"Authorization", "Bearer " + testKey, "xi-api-key", testKey}, ""},
			{nil, "missing_api_key"},
			{[]string{"xi-api-key", "wrong"}, "invalid_api_key"},
			{[]string{"Authorization", "Bearer " + testKey, "xi-api-key", "wrong"}, "invalid_api_key"},
		} {
			w := do(h, request("POST", "/v1/text-to-speech/sv_a"+path, `{"text":"x"}`, tt.header...))
			if tt.code == "" {
				if w.Code != 200 {
					t.Errorf("%s with %v: %d %s", path, tt.header, w.Code, w.Body)
				}
				continue
			}
			wantError(t, w, 401, tt.code, "")
			if w.Header().Get("WWW-Authenticate") != "Bearer" || w.Header().Get("X-Trace-Id") == "" {
				t.Errorf("%s with %v: headers %v", path, tt.header, w.Header())
			}
		}
	}
}

func TestTextToSpeechPaths(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	for _, path := range ttsPaths {
		r := tts(path, `{"text":"x"}`)
		r.URL.Path = "/v1" + r.URL.Path
		if w := do(h, r); w.Code != 200 {
			t.Errorf("POST %s = %d %s", r.URL.Path, w.Code, w.Body)
		}
		w := do(h, request("GET", "/v1/text-to-speech/sv_a"+path, "", "xi-api-key", testKey))
		wantError(t, w, 405, "method_not_allowed", "")
		if w.Header().Get("Allow") != "POST" {
			t.Errorf("GET ...%s: Allow %q", path, w.Header().Get("Allow"))
		}
	}
	for _, path := range []string{"/v1/text-to-speech", "/v1/text-to-speech/", "/v1/text-to-speech/sv_a/", "/v1/text-to-speech/sv_a/other", "/v1/text-to-speech//stream", "/v1/text-to-speech/sv_a/stream-input"} {
		wantError(t, do(h, request("POST", path, `{"text":"x"}`, "xi-api-key", testKey)), 404, "not_found", "")
	}
}

// TestDialectHeaders: what the dialect has names of its own for.
func TestDialectHeaders(t *testing.T) {
	t.Parallel()
	limited := accounts{
		allowance: &account.Allowance{Requests: ratelimit.Decision{Allowed: true, Limit: 60, Remaining: 7}, Streams: 5, Running: 2},
		slot:      &account.Slot{Allowance: account.Allowance{Streams: 5, Running: 3}},
	}
	full := limited
	full.admit = fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "", "all 5 streams are taken")
	spent := speaker{func(context.Context, speech.Request, io.Writer) (speech.Result, error) {
		return speech.Result{}, fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "", "spent")
	}}
	for _, tt := range []struct {
		name     string
		config   Config
		body     string
		status   int
		now, max string
	}{
		{"answered", Config{Accounts: limited}, `{"text":"x"}`, 200, "3", "5"},
		{"unlimited", Config{}, `{"text":"x"}`, 200, "", ""},
		{"bad parameter", Config{Accounts: limited}, `{"text":5}`, 422, "2", "5"},
		{"not JSON", Config{Accounts: limited}, `{`, 400, "2", "5"},
		{"streams taken", Config{Accounts: full}, `{"text":"x"}`, 429, "5", "5"},
		{"quota", Config{Accounts: limited, Speech: spent}, `{"text":"x"}`, 402, "2", "5"},
	} {
		h := newHandler(t, tt.config)
		for _, path := range ttsPaths {
			w := do(h, tts(path, tt.body, "X-Request-Id", "mine-1"))
			hd := w.Header()
			if w.Code != tt.status || hd.Get("X-Request-Id") != "mine-1" || hd.Get("Request-Id") != "mine-1" {
				t.Errorf("%s%s: %d %v", tt.name, path, w.Code, hd)
			}
			if hd.Get("Current-Concurrent-Requests") != tt.now || hd.Get("Maximum-Concurrent-Requests") != tt.max {
				t.Errorf("%s%s: %s of %s streams, want %s of %s", tt.name, path, hd.Get("Current-Concurrent-Requests"), hd.Get("Maximum-Concurrent-Requests"), tt.now, tt.max)
			}
			if failed := tt.status != 200; failed != (hd.Get("X-Trace-Id") == "mine-1") || failed == (hd.Get("Character-Cost") == "5") {
				t.Errorf("%s%s: trace %q, cost %q", tt.name, path, hd.Get("X-Trace-Id"), hd.Get("Character-Cost"))
			}
			if (tt.status == 402) != (hd.Get("X-Should-Retry") == "false") || (tt.status == 429) != (hd.Get("Retry-After") == "1") {
				t.Errorf("%s%s: headers %v", tt.name, path, hd)
			}
		}
	}
	for _, path := range []string{"/v1/user", "/v2/voices", "/v1/voices", "/v1/voices/nobody"} {
		if w := do(newHandler(t, Config{}), request("GET", path, "", "xi-api-key", testKey)); w.Header().Get("Request-Id") == "" || w.Header().Get("Request-Id") != w.Header().Get("X-Request-Id") {
			t.Errorf("GET %s: request-id %q", path, w.Header().Get("Request-Id"))
		}
	}
}

// TestTextToSpeechIsRecorded: what was asked of the routes is kept, by the route
// as it is described.
func TestTextToSpeechIsRecorded(t *testing.T) {
	t.Parallel()
	for _, path := range ttsPaths {
		var kept records
		h := newHandler(t, Config{Accounts: accounts{recorded: kept.add}})
		do(h, tts(path, `{"text":"x"}`))
		do(h, tts(path, `{"text":""`))
		do(h, tts(path, `{"text":5}`))
		got := kept.take()
		if len(got) != 3 || got[0].Status != 200 || got[1].Status != 400 || got[2].Status != 422 {
			t.Fatalf("%s: records %+v", path, got)
		}
		if want := "/v1/text-to-speech/{voice_id}" + path; got[0].Route != want || got[0].Voice != "sv_test" {
			t.Errorf("record %+v, want of route %s", got[0], want)
		}
	}
}

// TestLive: the paths of live speech are for callers with a key, and refuse in
// their dialect.
func TestLive(t *testing.T) {
	t.Parallel()
	var kept records
	live := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.PathValue("voice_id")) })
	h := newHandler(t, Config{Accounts: accounts{recorded: kept.add}, Live: map[string]http.Handler{
		"/v1/audio/speech/stream-input": live, "/v1/text-to-speech/{voice_id}/stream-input": live,
	}})
	for path, dialect := range map[string]bool{"/v1/audio/speech/stream-input": false, "/v1/text-to-speech/sv_a/stream-input": true, "/v1/v1/text-to-speech/sv_a/stream-input": true} {
		w := do(h, request("GET", path, ""))
		wantError(t, w, 401, "missing_api_key", "")
		if w.Header().Get("X-Trace-Id") == "" {
			t.Errorf("GET %s: headers %v", path, w.Header())
		}
		if w = do(h, request("GET", path, "", "xi-api-key", testKey)); w.Code != 200 || dialect != (w.Body.String() == "sv_a") {
			t.Errorf("GET %s = %d %q", path, w.Code, w.Body)
		}
		if got := kept.take(); len(got) != 1 || got[0].Status != 200 {
			t.Errorf("GET %s: records %+v", path, got)
		}
	}
	for _, refuse := range []func(http.ResponseWriter, *http.Request, error){frame.Refuse, frame.RefuseElevenLabs} {
		w := httptest.NewRecorder()
		w.Header().Set("X-Request-Id", "x")
		refuse(w, request("GET", "/", ""), fault.New(fault.NotFound, fault.CodeVoiceNotFound, "voice_id", "m"))
		wantError(t, w, 404, "voice_not_found", "voice_id")
	}
}

// TestHandshakeLocation refuses a handshake for a parameter, which can only be one of the
// query.
func TestHandshakeLocation(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	frame.RefuseElevenLabs(w, request("GET", "/", ""), fault.BadParameter("output_format", "output_format \"x\" cannot be had"))
	if w.Code != 422 || !strings.Contains(w.Body.String(), `"loc":["query","output_format"]`) {
		t.Errorf("answer = %d %s, want 422 with the location in the query", w.Code, w.Body)
	}
}
