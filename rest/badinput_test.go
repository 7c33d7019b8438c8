package rest

import (
	"net/http"
	"strings"
	"testing"

	"vaak/speech"
)

// TestBadInput sends everything that a body can have wrong to the real service.
func TestBadInput(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	with := func(more string) string { return `{"input":"hello",` + more + `}` }
	const (
		parameter = "invalid_parameter"
		unread    = "invalid_body"
	)
	for _, tt := range []struct {
		name, body  string
		status      int
		code, param string
		says        string // in the message
	}{
		// What cannot be read.
		{"empty", ``, 400, unread, "", "empty"},
		{"not json", `{"input":`, 400, unread, "", "byte 9"},
		{"invalid UTF-8", "{\"input\":\"\xff\"}", 400, unread, "", "UTF-8"},
		{"lone surrogate", `{"input":"\ud800"}`, 400, unread, "", "surrogate"},
		{"NUL", `{"input":"a\u0000b"}`, 400, unread, "", "NUL"},
		{"duplicate key", `{"input":"a","input":"b"}`, 400, unread, "", `"input" twice`},
		{"deep", with(`"x":` + strings.Repeat("[", 40) + strings.Repeat("]", 40)), 400, unread, "", "32 levels"},
		{"trailing bytes", `{"input":"a"} {}`, 400, unread, "", "goes on"},
		{"array", `["a"]`, 400, unread, "", "must be a JSON object, not an array"},
		{"string", `"a"`, 400, unread, "", "not a string"},
		{"null", `null`, 400, unread, "", "not null"},

		// What has the wrong type.
		{"input is a number", `{"input":5}`, 400, parameter, "input", "input must be a string, not a number"},
		{"input is an object", `{"input":{}}`, 400, parameter, "input", "not an object"},
		{"speed is a string", with(`"speed":"fast"`), 400, parameter, "speed", "speed must be a number, not a string"},
		{"speed is a boolean", with(`"speed":true`), 400, parameter, "speed", "not a boolean"},
		{"sample_rate is a string", with(`"sample_rate":"24000"`), 400, parameter, "sample_rate", "must be a whole number, not a string"},
		{"sample_rate is broken", with(`"sample_rate":24000.5`), 400, parameter, "sample_rate", "whole number, not 24000.5"},
		{"bitrate is an array", with(`"response_format":"mp3","bitrate_kbps":[128]`), 400, parameter, "bitrate_kbps", "not an array"},
		{"stream is a string", with(`"stream":"yes"`), 400, parameter, "stream", "stream must be true or false, not a string"},
		{"stream is a number", with(`"stream":1`), 400, parameter, "stream", "not a number"},
		{"voice is a number", with(`"voice":7`), 400, parameter, "voice", "not a number"},
		{"voice without id", with(`"voice":{}`), 400, parameter, "voice", "string id"},
		{"voice with a bad id", with(`"voice":{"id":7}`), 400, parameter, "voice", "string id"},
		{"response_format is a boolean", with(`"response_format":false`), 400, parameter, "response_format", "not a boolean"},
		{"lang is an array", with(`"lang":["en"]`), 400, parameter, "lang", "not an array"},
		{"number too big", with(`"speed":1e400`), 400, parameter, "speed", "1e400"},
		{"sample_rate too big", with(`"sample_rate":1e300`), 400, parameter, "sample_rate", "1e300"},
		{"seed is a string", with(`"seed":"7"`), 400, parameter, "seed", "seed must be a whole number, not a string"},
		{"seed is broken", with(`"seed":1.5`), 400, parameter, "seed", "seed 1.5 is not a whole number from 0 to 4294967295"},
		{"seed too big", with(`"seed":4294967296`), 400, parameter, "seed", "seed 4294967296 is not a whole number from 0 to 4294967295"},
		{"seed far too big", with(`"seed":1e400`), 400, parameter, "seed", "not a whole number from 0 to 4294967295"},
		{"seed below zero", with(`"seed":-1`), 400, parameter, "seed", "seed -1 is not a whole number"},
		{"dictionary is a number", with(`"pronunciation_dictionary_id":1`), 400, parameter, "pronunciation_dictionary_id", "a string"},

		// What is missing or out of range.
		{"no input", `{}`, 400, parameter, "input", "missing"},
		{"input in another case", `{"Input":"a"}`, 400, parameter, "input", "missing"},
		{"input is null", `{"input":null}`, 400, parameter, "input", "missing"},
		{"input is empty", `{"input":""}`, 400, parameter, "input", "empty"},
		{"input is white space", `{"input":" \n\t "}`, 400, parameter, "input", "empty"},
		{"input is too long", `{"input":"` + strings.Repeat("é", speech.MaxCharacters+1) + `"}`, 400, "max_character_limit_exceeded", "input", "5001"},
		{"speed too high", with(`"speed":1.9`), 400, parameter, "speed", "speed 1.9 is outside 0.7 to 1.5"},
		{"speed too low", with(`"speed":0.69`), 400, parameter, "speed", "0.69"},
		{"speed is zero", with(`"speed":0`), 400, parameter, "speed", "speed 0 is outside 0.7 to 1.5"},
		{"speed is negative", with(`"speed":-1`), 400, parameter, "speed", "-1"},
		{"sample_rate unknown", with(`"sample_rate":11025`), 400, parameter, "sample_rate", "11025"},
		{"sample_rate is zero", with(`"sample_rate":0`), 400, parameter, "sample_rate", "sample_rate 0 is not one of 8000, 16000, 22050, "},
		{"sample_rate is negative", with(`"sample_rate":-24000`), 400, parameter, "sample_rate", "-24000"},
		{"format unknown", with(`"response_format":"ogg"`), 400, parameter, "response_format", "ogg"},
		{"format empty", with(`"response_format":""`), 400, parameter, "response_format", `"" is not one of mp3, opus, aac, `},
		{"bitrate of a lossless format", with(`"response_format":"wav","bitrate_kbps":128`), 400, parameter, "bitrate_kbps", "wav"},
		{"bitrate of no encoder", with(`"response_format":"aac","bitrate_kbps":100000`), 400, parameter, "bitrate_kbps", "outside 8 to 320, which is what aac can be asked for; at 24000 Hz it has 72 to 144"},
		{"bitrate is negative", with(`"response_format":"mp3","bitrate_kbps":-1`), 400, parameter, "bitrate_kbps", "bitrate_kbps -1 is outside 8 to 320"},
		{"bitrate is zero", with(`"bitrate_kbps":0`), 400, parameter, "bitrate_kbps", "0"},
		{"stream_format unknown", with(`"stream_format":"ndjson"`), 400, parameter, "stream_format", "audio, sse"},
		{"lang unknown", with(`"lang":"klingonese"`), 400, parameter, "lang", "klingonese"},
		{"temperature", with(`"temperature":2.1`), 400, parameter, "temperature", "2.1"},
		{"top_p", with(`"top_p":-0.1`), 400, parameter, "top_p", "-0.1"},
		{"top_k", with(`"top_k":1000.5`), 400, parameter, "top_k", "1000.5"},
		{"min_p", with(`"min_p":2`), 400, parameter, "min_p", "2"},
		{"repetition_penalty", with(`"repetition_penalty":0.4`), 400, parameter, "repetition_penalty", "0.4"},
		{"presence_penalty", with(`"presence_penalty":3`), 400, parameter, "presence_penalty", "3"},

		// What is not there.
		{"voice of another service", with(`"voice":"en-US-JennyNeural"`), 404, "voice_not_found", "voice", "en-US-JennyNeural"},
		{"voice that looks right", with(`"voice":"sv_zzzzzzzzzzzzzzzz"`), 404, "voice_not_found", "voice", "sv_zzzz"},
		{"voice object", with(`"voice":{"id":"aloy"}`), 404, "voice_not_found", "voice", "near it are alloy"},
		{"dictionary", with(`"pronunciation_dictionary_id":"abc"`), 404, "pronunciation_dictionary_not_found", "pronunciation_dictionary_id", "abc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			requests := []*http.Request{speak(tt.body), previewText(tt.body)}
			if !strings.Contains(tt.body, `"stream`) && strings.HasPrefix(tt.body, `{"input":"hello",`) {
				requests = append(requests, speak(strings.Replace(tt.body, `{`, `{"stream":true,`, 1)))
			}
			for _, r := range requests {
				f := wantError(t, do(h, r), tt.status, tt.code, tt.param)
				if !strings.Contains(f.Error.Message, tt.says) {
					t.Errorf("message %q does not say %q", f.Error.Message, tt.says)
				}
				if f.Error.Type != "invalid_request_error" {
					t.Errorf("type %q", f.Error.Type)
				}
			}
		})
	}
}

func TestBadMedia(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	body := `{"input":"hello"}`
	wantError(t, do(h, speak(body, "Content-Type", "text/plain")), 415, "unsupported_media_type", "")
	wantError(t, do(h, speak(body, "Content-Encoding", "gzip")), 415, "unsupported_media_type", "")
	wantError(t, do(h, speak(`{"input":"`+strings.Repeat("x", 1<<20)+`"}`)), 413, "body_too_large", "")
	// The key is looked at before the body.
	wantError(t, do(h, request("POST", "/v1/audio/speech", "x", "Content-Type", "text/plain")), 401, "missing_api_key", "")
}

// TestAccepted sends what clients add to requests, which is no reason to refuse
// them.
func TestAccepted(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	for _, tt := range []struct{ name, body string }{
		{"least", `{"input":"hello"}`},
		{"model and instructions", `{"model":"tts-1-hd","input":"hello","instructions":"be kind"}`},
		{"model of any type", `{"model":5,"input":"hello","instructions":[]}`},
		{"nulls", `{"input":"hello","voice":null,"response_format":null,"speed":null,"sample_rate":null,"bitrate_kbps":null,"stream":null,"stream_format":null,"lang":null,"temperature":null,"pronunciation_dictionary_id":null,"model":null}`},
		{"unknown fields", `{"input":"hello","seed":1,"enable_logging":true,"voice_settings":{},"Speed":9,"x":{"y":[1,"]}\"",{}]}}`},
		{"empty strings", `{"input":"hello","lang":"","voice":"","pronunciation_dictionary_id":""}`},
		{"escaped key", `{"\u0069nput":"hello"}`},
		{"escaped text", `{"input":"he\u006c\u006co \ud83d\ude00 \"quoted\""}`},
		{"whole number written as a fraction", `{"input":"hello","sample_rate":2.4e4,"top_k":40.0}`},
		{"white space", " {\n\t\"input\" : \"hello\" ,\r\n \"speed\" : 1.25 } "},
		{"nothing speakable", `{"input":"..."}`},
		{"the longest", `{"input":"` + strings.Repeat("é", 100) + `"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := do(h, speak(tt.body, "Accept", "application/octet-stream", "X-Stainless-Lang", "js"))
			if w.Code != 200 || w.Body.Len() <= 44 || w.Header().Get("Content-Type") != "audio/wav" {
				t.Errorf("%d %v %.200q", w.Code, w.Header(), w.Body)
			}
		})
	}
}
