package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/speech"
	"vaak/voice"
)

// wantInvalid checks the answer to a bad parameter in the ElevenLabs dialect:
// where it is, and that both shapes say the same. It returns the sentence.
func wantInvalid(t *testing.T, w *httptest.ResponseRecorder, loc ...any) string {
	t.Helper()
	var got struct {
		Detail []struct {
			Loc  []any
			Msg  string
			Type string
		}
		Error struct {
			Message, Type, Code string
			Param               *string
		}
	}
	if w.Code != 422 || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("X-Request-Id") == "" {
		t.Fatalf("status %d, want 422; headers %v; body %.300s", w.Code, w.Header(), w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got.Detail) != 1 {
		t.Fatalf("%v: %.300s", err, w.Body)
	}
	d := got.Detail[0]
	if diff := cmp.Diff(loc, d.Loc); diff != "" {
		t.Errorf("loc (-want +got):\n%s%s", diff, d.Msg)
	}
	var names []string
	for _, name := range loc[1:] {
		names = append(names, fmt.Sprint(name))
	}
	param := ""
	if got.Error.Param != nil {
		param = *got.Error.Param
	}
	if d.Msg == "" || d.Msg != got.Error.Message || d.Type != "value_error" || got.Error.Code != "invalid_parameter" ||
		got.Error.Type != "invalid_request_error" || param != strings.Join(names, ".") {
		t.Errorf("body %s", w.Body)
	}
	return d.Msg
}

// TestTextToSpeechBadInput sends everything that a request can have wrong to the
// real service, on all four routes.
func TestTextToSpeechBadInput(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	with := func(more string) string { return `{"text":"hello",` + more + `}` }
	at := func(loc ...any) []any { return loc }
	const list = "pronunciation_dictionary_locators"
	for _, tt := range []struct {
		name, query, body string
		loc               []any
		says              string
	}{
		{"no text", "", `{}`, at("body", "text"), "missing"},
		{"null text", "", `{"text":null}`, at("body", "text"), "missing"},
		{"empty text", "", `{"text":""}`, at("body", "text"), "text is empty"},
		{"white space", "", `{"text":" \n "}`, at("body", "text"), "text is empty"},
		{"text is a number", "", `{"text":5}`, at("body", "text"), "text must be a string, not a number"},
		{"text is an object", "", `{"text":{}}`, at("body", "text"), "not an object"},
		{"array", "", `["a"]`, at("body"), "must be a JSON object, not an array"},
		{"null", "", `null`, at("body"), "not null"},
		{"string", "", `"a"`, at("body"), "not a string"},
		{"language unknown", "", with(`"language_code":"klingonese"`), at("body", "language_code"), `language_code "klingonese"`},
		{"language is a list", "", with(`"language_code":["hi"]`), at("body", "language_code"), "not an array"},
		{"settings are a string", "", with(`"voice_settings":"fast"`), at("body", "voice_settings"), "voice_settings must be an object, not a string"},
		{"settings are a list", "", with(`"voice_settings":[]`), at("body", "voice_settings"), "not an array"},
		{"speed too high", "", with(`"voice_settings":{"speed":1.9}`), at("body", "voice_settings", "speed"), "voice_settings.speed 1.9 is outside 0.7 to 1.5"},
		{"speed too low", "", with(`"voice_settings":{"speed":0.69}`), at("body", "voice_settings", "speed"), "0.69"},
		{"speed is zero", "", with(`"voice_settings":{"speed":0}`), at("body", "voice_settings", "speed"), "speed 0 is outside"},
		{"speed is a string", "", with(`"voice_settings":{"speed":"1"}`), at("body", "voice_settings", "speed"), "voice_settings.speed must be a number, not a string"},
		{"speed too big", "", with(`"voice_settings":{"speed":1e999}`), at("body", "voice_settings", "speed"), "1e999"},
		{"format unknown", "?output_format=ogg_44100", `{"text":"a"}`, at("query", "output_format"), "ogg_44100"},
		{"format without a rate", "?output_format=mp3", `{"text":"a"}`, at("query", "output_format"), `"mp3"`},
		{"rate unknown", "?output_format=pcm_11025", `{"text":"a"}`, at("query", "output_format"), "8000, 16000, 22050"},
		{"bit rate of pcm", "?output_format=pcm_16000_128", `{"text":"a"}`, at("query", "output_format"), "pcm has no bit rate"},
		{"format unknown, in the body", "", with(`"output_format":"ogg_44100"`), at("body", "output_format"), "ogg_44100"},
		{"format is a number", "", with(`"output_format":44100`), at("body", "output_format"), "must be a string"},
		{"locators are a string", "", with(`"` + list + `":"a"`), at("body", list), "must be a list, not a string"},
		{"locators are an object", "", with(`"` + list + `":{"a":1}`), at("body", list), "must be a list, not an object"},
		{"locator is a string", "", with(`"` + list + `":["a"]`), at("body", list, 0.0), "must be an object, not a string"},
		{"locator is null", "", with(`"` + list + `":[null]`), at("body", list, 0.0), "not null"},
		{"locator without id", "", with(`"` + list + `":[{"pronunciation_dictionary_id":"a"},{"version_id":"b"}]`), at("body", list, 1.0, "pronunciation_dictionary_id"), "no pronunciation_dictionary_id"},
		{"locator with a bad id", "", with(`"` + list + `":[{"pronunciation_dictionary_id":7}]`), at("body", list, 0.0, "pronunciation_dictionary_id"), "must be a string, not a number"},
		{"locator with a bad version", "", with(`"` + list + `":[{"pronunciation_dictionary_id":"a","version_id":7}]`), at("body", list, 0.0, "version_id"), "a string"},
		{"four locators", "", with(`"` + list + `":[` + locatorsOf("a", "b", "c", "d") + `]`), at("body", list), `has 4 entries; at most 3 are allowed`},
		{"three locators and another", "?pronunciation_dictionary_id=d", with(`"` + list + `":[` + locatorsOf("a", "b", "c") + `]`), at("body", list), `"c", which is one`},
		{"two locators and two others", "?pronunciation_dictionary_id=d", with(`"pronunciation_dictionary_id":"e","` + list + `":[` + locatorsOf("a", "b") + `]`), at("body", list), `"b", which is one`},
		{"dictionary is a number", "", with(`"pronunciation_dictionary_id":1`), at("body", "pronunciation_dictionary_id"), "a string"},
		{"previous text is a list", "", with(`"previous_text":[]`), at("body", "previous_text"), "not an array"},
		{"next text is a number", "", with(`"next_text":1`), at("body", "next_text"), "not a number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range ttsPaths {
				if msg := wantInvalid(t, do(h, tts(path+tt.query, tt.body)), tt.loc...); !strings.Contains(msg, tt.says) {
					t.Errorf("message %q does not say %q", msg, tt.says)
				}
			}
		})
	}
}

// TestTextToSpeechRefused: what is refused otherwise than as a bad parameter.
func TestTextToSpeechRefused(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	with := func(more string) string { return `{"text":"hello",` + more + `}` }
	const unread = "invalid_body"
	for _, tt := range []struct {
		name, query, body string
		header            []string
		status            int
		code, param, says string
	}{
		{"empty", "", ``, nil, 400, unread, "", "empty"},
		{"not json", "", `{"text":`, nil, 400, unread, "", "byte 8"},
		{"invalid UTF-8", "", "{\"text\":\"\xff\"}", nil, 400, unread, "", "UTF-8"},
		{"lone surrogate", "", `{"text":"\ud800"}`, nil, 400, unread, "", "surrogate"},
		{"NUL", "", `{"text":"a\u0000b"}`, nil, 400, unread, "", "NUL"},
		{"duplicate key", "", `{"text":"a","text":"b"}`, nil, 400, unread, "", `"text" twice`},
		{"deep", "", with(`"x":` + strings.Repeat("[", 40) + strings.Repeat("]", 40)), nil, 400, unread, "", "32 levels"},
		{"trailing bytes", "", `{"text":"a"} {}`, nil, 400, unread, "", "goes on"},
		{"media", "", `{"text":"a"}`, []string{"Content-Type", "text/plain"}, 415, "unsupported_media_type", "", "text/plain"},
		{"too large", "", `{"text":"` + strings.Repeat("x", 1<<20) + `"}`, nil, 413, "body_too_large", "", "1048576"},
		{"too long", "", `{"text":"` + strings.Repeat("é", speech.MaxCharacters+1) + `"}`, nil, 400, "max_character_limit_exceeded", "text", "text has 5001 characters"},
		{"dictionary", "", with(`"pronunciation_dictionary_id":"abc"`), nil, 404, "pronunciation_dictionary_not_found", "pronunciation_dictionary_id", "abc"},
		{"dictionary in the query", "?pronunciation_dictionary_id=abc", `{"text":"a"}`, nil, 404, "pronunciation_dictionary_not_found", "pronunciation_dictionary_id", "abc"},
		{"locator", "", with(`"pronunciation_dictionary_locators":[{"pronunciation_dictionary_id":"abc","version_id":"def"}]`), nil, 404, "pronunciation_dictionary_not_found", "pronunciation_dictionary_locators.0.pronunciation_dictionary_id", "abc"},
		{"locator with an empty id", "", with(`"pronunciation_dictionary_locators":[{"pronunciation_dictionary_id":"","version_id":null}]`), nil, 404, "pronunciation_dictionary_not_found", "pronunciation_dictionary_locators.0.pronunciation_dictionary_id", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range ttsPaths {
				f := wantError(t, do(h, tts(path+tt.query, tt.body, tt.header...)), tt.status, tt.code, tt.param)
				if !strings.Contains(f.Error.Message, tt.says) {
					t.Errorf("message %q does not say %q", f.Error.Message, tt.says)
				}
			}
		})
	}
	for _, id := range []string{"nobody", "sv_zzzzzzzzzzzzzzzz", "21m00Tcm4TlvDq8ikWXX"} {
		for _, path := range ttsPaths {
			f := wantError(t, do(h, request("POST", "/v1/text-to-speech/"+id+path, `{"text":"a"}`, "xi-api-key", testKey)), 404, "voice_not_found", "voice_id")
			if !strings.Contains(f.Error.Message, id) {
				t.Errorf("message %q does not name %s", f.Error.Message, id)
			}
		}
	}
}

// TestImpossibleBitrate: a bit rate that the codec does not have is a fault of
// output_format, which is where it was sent.
func TestImpossibleBitrate(t *testing.T) {
	t.Parallel()
	service := hum(t)
	h := newHandler(t, Config{Speech: service})
	for _, codec := range service.Health().Formats {
		if !codec.Lossy() {
			continue
		}
		format := string(codec) + "_24000_9999"
		for _, path := range ttsPaths {
			msg := wantInvalid(t, do(h, tts(path+"?output_format="+format, `{"text":"a"}`)), "query", "output_format")
			if !strings.Contains(msg, format+" cannot be had: bit rate 9999 is outside") || strings.Contains(msg, "bitrate_kbps") {
				t.Errorf("message %q", msg)
			}
			wantInvalid(t, do(h, tts(path, `{"text":"a","output_format":"`+format+`"}`)), "body", "output_format")
		}
	}
}

// TestNearestBitrate: a bit rate that the codec has at other sample rates becomes the
// nearest that it has, on every route, and x-notice says so.
func TestNearestBitrate(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	for _, tt := range []struct {
		codec            string
		rate, kbps, want int
	}{
		{"aac", 24000, 64, 72}, {"aac", 44100, 64, 96}, {"mp3", 22050, 192, 160}, {"mp3", 24000, 320, 160}, {"mp3", 24000, 100, 96},
		{"mp3", 44100, 192, 192}, {"aac", 24000, 96, 96},
	} {
		want := []string{fmt.Sprintf("%s has no bit rate of %d kbps at %d Hz: the nearest that it has, %d kbps, is used.", tt.codec, tt.kbps, tt.rate, tt.want)}
		if tt.kbps == tt.want {
			want = nil
		}
		body := func(kbps int) string {
			return fmt.Sprintf(`{"input":"Hello there, all of you.","response_format":%q,"sample_rate":%d,"bitrate_kbps":%d}`, tt.codec, tt.rate, kbps)
		}
		native, same := do(h, speak(body(tt.kbps))), do(h, speak(body(tt.want)))
		if diff := cmp.Diff(want, native.Header()["X-Notice"]); diff != "" || native.Code != 200 {
			t.Errorf("%+v: status %d, notices:\n%s", tt, native.Code, diff)
		}
		if !bytes.Equal(native.Body.Bytes(), same.Body.Bytes()) || native.Body.Len() == 0 {
			t.Errorf("%+v: %d bytes, want the %d of %d kbps", tt, native.Body.Len(), same.Body.Len(), tt.want)
		}
		for _, path := range ttsPaths {
			w := do(h, tts(fmt.Sprintf("%s?output_format=%s_%d_%d", path, tt.codec, tt.rate, tt.kbps), `{"text":"Hello there."}`))
			if diff := cmp.Diff(want, w.Header()["X-Notice"]); diff != "" || w.Code != 200 {
				t.Errorf("%s, %+v: status %d, notices:\n%s", path, tt, w.Code, diff)
			}
		}
	}
}

// TestTextToSpeechAccepted sends what clients send, which is no reason to refuse
// them.
func TestTextToSpeechAccepted(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	for _, tt := range []struct{ name, query, body string }{
		{"least", "", `{"text":"hello"}`},
		{"a client's", "?output_format=pcm_16000&enable_logging=true&optimize_streaming_latency=3", `{"text":"hello","model_id":"eleven_multilingual_v2","voice_settings":null,"seed":7}`},
		{"types of what is ignored", "", `{"text":"hello","model_id":5,"seed":"x","audio_effects":[],"use_pvc_as_ivc":"yes","voice_settings":{"stability":"high","use_speaker_boost":1}}`},
		{"any case of a language", "", `{"text":"hello","language_code":"EN_us"}`},
		{"no language", "", `{"text":"hello","language_code":""}`},
		{"context", "", `{"text":"hello","previous_text":"Well,","next_text":"he said."}`},
		{"nothing speakable", "", `{"text":"..."}`},
		{"speed at its ends", "", `{"text":"hello","voice_settings":{"speed":0.7}}`},
		{"escaped key", "", `{"t\u0065xt":"hello"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for i, path := range ttsPaths {
				query := tt.query
				if query == "" {
					query = "?output_format=wav_24000"
				}
				w := do(h, tts(path+query, tt.body, "Accept", "audio/mpeg", "X-Fern-Language", "JavaScript"))
				want := "audio/"
				if i > 1 {
					want = "application/json"
				}
				if w.Code != 200 || w.Body.Len() < 100 || !strings.HasPrefix(w.Header().Get("Content-Type"), want) || w.Header().Get("X-Voice-Id") != string(voice.DefaultVoice().ID) {
					t.Errorf("%s: %d %v %.200q", path, w.Code, w.Header(), w.Body)
				}
			}
		})
	}
}

// FuzzTextToSpeech posts any body and query to the routes: whatever they are,
// the server is not at fault, and what it refuses it refuses in a known shape.
func FuzzTextToSpeech(f *testing.F) {
	for _, seed := range []string{
		`{"text":"hello"}`, `{"text":"hello","voice_settings":{"speed":1.2}}`, `{"text":null}`, `[]`, ``, `{`,
		`{"text":"a","pronunciation_dictionary_locators":[{"pronunciation_dictionary_id":"x"}]}`, `{"text":"a","pronunciation_dictionary_locators":[ null , 1]}`,
		`{"text":"a","output_format":"pcm_8000","voice_settings":{ }}`, `{"text":"\ud83d\ude00","voice_settings":{"speed":{"x":1}}}`,
	} {
		f.Add("mp3_44100_128", []byte(seed))
		f.Add("", []byte(seed))
	}
	f.Add("aac_8000_0", []byte(`{"text":"a"}`))
	h := newHandler(f, Config{})
	f.Fuzz(func(t *testing.T, format string, body []byte) {
		r := tts("/stream/with-timestamps", string(body))
		q := r.URL.Query()
		q.Set("output_format", format)
		r.URL.RawQuery = q.Encode()
		w := do(h, r)
		if w.Code == 200 {
			return
		}
		var e struct {
			Detail json.RawMessage
			Error  struct{ Code string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code < 400 || w.Code > 499 || e.Error.Code == "" || (e.Detail[0] == '[') != (w.Code == 422) {
			t.Errorf("%q with %q is answered with %d %s", body, format, w.Code, w.Body)
		}
	})
}
