package mcp_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/mcp"
	"vaak/speech"
)

// TestBadArguments wants errors that a model can act on: which argument, what
// is allowed, what was sent, what to do next.
func TestBadArguments(t *testing.T) {
	t.Parallel()
	url := serve(t, newServer(t, mcp.Config{})).URL
	text := func(more ...any) map[string]any {
		m := map[string]any{"text": "Good morning."}
		for i := 0; i < len(more); i += 2 {
			m[more[i].(string)] = more[i+1]
		}
		return m
	}
	for _, tt := range []struct {
		name, tool string
		args       any
		want       []string // parts of the message, the first its beginning
	}{
		{"no arguments", "synthesize_speech", nil, []string{"invalid_parameter (text): text is required."}},
		{"arguments no object", "synthesize_speech", []any{1}, []string{"invalid_parameter (arguments): ", "text, voice_id"}},
		{"empty text", "synthesize_speech", text("text", ""), []string{"invalid_parameter (text): text is empty"}},
		{"blank text", "synthesize_speech", text("text", " "), []string{"invalid_parameter (text): "}},
		{"text no string", "synthesize_speech", text("text", 5), []string{"invalid_parameter (text): text must be a string, got 5."}},
		{"null text", "synthesize_speech", text("text", nil), []string{"invalid_parameter (text): text is required."}},
		{"long text", "synthesize_speech", text("text", strings.Repeat("न", 5001)), []string{"max_character_limit_exceeded (text): text has 5001 characters, at most 5000", "Split the text"}},
		{"unknown argument", "synthesize_speech", text("speaker", "sv_x"), []string{`invalid_parameter (speaker): unknown argument "speaker"`, "voice_id"}},
		{"wrong case", "synthesize_speech", text("Speed", 1), []string{`invalid_parameter (Speed): unknown argument "Speed"`}},
		{"speed", "synthesize_speech", text("speed", 1.9), []string{"invalid_parameter (speed): speed 1.9 is outside 0.7 to 1.5."}},
		{"speed no number", "synthesize_speech", text("speed", "fast"), []string{`invalid_parameter (speed): speed must be a number, got "fast".`}},
		{"sample rate", "synthesize_speech", text("sample_rate", 11025), []string{"invalid_parameter (sample_rate): sample_rate 11025 is not one of 8000, 16000"}},
		{"sample rate no integer", "synthesize_speech", text("sample_rate", 8000.5), []string{"invalid_parameter (sample_rate): sample_rate must be an integer, got 8000.5."}},
		{"format", "synthesize_speech", text("format", "ogg"), []string{`invalid_parameter (format): format "ogg" is not one of wav, pcm.`}},
		{"a file over HTTP", "synthesize_speech", text("delivery", "file"), []string{`invalid_parameter (delivery): delivery "file" is not allowed here; only inline is.`}},
		{"a file name over HTTP", "synthesize_speech", text("file_name", "x"), []string{`invalid_parameter (file_name): unknown argument`}},
		{"voice", "synthesize_speech", text("voice_id", "nobody"), []string{"voice_not_found (voice_id): ", `"nobody"`, "Call search_voices"}},
		{"language", "synthesize_speech", text("language", "xx"), []string{"invalid_parameter (language): ", `"xx"`, "Call list_languages"}},
		{"limit", "search_voices", map[string]any{"limit": 51}, []string{"invalid_parameter (limit): limit 51 is outside 1 to 50."}},
		{"cursor", "search_voices", map[string]any{"cursor": "MjAuMA"}, []string{"invalid_parameter (cursor): ", "first page"}},
		{"search language", "search_voices", map[string]any{"language": "Klingon"}, []string{"invalid_parameter (language): ", "Call list_languages"}},
		{"query", "list_languages", map[string]any{"query": strings.Repeat("x", 101)}, []string{"max_character_limit_exceeded (query): "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := callHTTP(t, url, tt.tool, tt.args)
			if !r.IsError || !strings.HasPrefix(r.text(), tt.want[0]) {
				t.Errorf("result = %+v, want an error %q", r, tt.want[0])
			}
			for _, part := range tt.want {
				if !strings.Contains(r.text(), part) {
					t.Errorf("message = %q, want %q in it", r.text(), part)
				}
			}
			if len(r.StructuredContent) > 0 {
				t.Errorf("an error carries structured content: %s", r.StructuredContent)
			}
		})
	}
}

func TestServiceErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"quota", fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "", "this needs 41 characters and 28 remain; GET /v1/usage tells when more come"),
			"insufficient_quota: this needs 41 characters and 28 remain. Do not send this text again: tell the person. If some characters remain, a text of at most that many can still be spoken. get_usage says how many there are and when more come."},
		{"language", fault.BadParameter("lang", `lang "klingon" is not a supported language; did you mean Koreguaje (kor)?`),
			`invalid_parameter (language): language "klingon" is not a supported language; did you mean Koreguaje (kor)? Call list_languages for the codes, or leave language out to have it detected.`},
		{"text", fault.BadParameter("input", "input is not valid UTF-8"), "invalid_parameter (text): text is not valid UTF-8."},
		{"voice", fault.New(fault.NotFound, fault.CodeVoiceNotFound, "voice", `voice "; GET /v1/x" does not exist; GET /v1/voices lists the ids`),
			`voice_not_found (voice_id): voice_id "; GET /v1/x" does not exist. Call search_voices to find a voice_id, or leave voice_id out to get the default voice of the language.`},
		{"what a caller sent", fault.New(fault.NotFound, fault.CodeVoiceNotFound, "voice", `voice "; GET /v1/x" does not exist`),
			`voice_not_found (voice_id): voice_id "; GET /v1/x" does not exist. Call search_voices to find a voice_id, or leave voice_id out to get the default voice of the language.`},
		{"rate", &fault.Error{Kind: fault.RateLimited, Code: fault.CodeRateLimited, Msg: "60 requests a minute are allowed", RetryAfter: 1500 * time.Millisecond},
			"rate_limit_exceeded: 60 requests a minute are allowed. Try again in 2 s."},
		{"streams", fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "", "5 streams are open"),
			"too_many_concurrent_requests: 5 streams are open. Try again in a few seconds."},
		{"engine down, wrapped", fmt.Errorf("speak: %w", fault.Down(fault.CodeEngineUnavailable, 2*time.Second, errors.New("secret socket"), "the engine is down")),
			"engine_unavailable: the engine is down. Try again in 2 s."},
		{"internal", errors.New("secret path"),
			"internal_error: internal error. Try once more; if it fails again, tell the person."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, mcp.Config{Speech: drone{before: func(context.Context, account.Caller, speech.Request) error { return tt.err }}})
			r := callHTTP(t, serve(t, s).URL, "synthesize_speech", map[string]any{"text": "x"})
			if !r.IsError || r.text() != tt.want {
				t.Errorf("result = %+v, want the error %q", r, tt.want)
			}
		})
	}
}

func TestInlineCap(t *testing.T) {
	t.Parallel()
	s := newServer(t, mcp.Config{OutputDir: t.TempDir()})
	url := serve(t, s).URL
	const fits = 91 // at 60 ms each, 24000 Hz and 2 bytes a sample
	r := callHTTP(t, url, "synthesize_speech", map[string]any{"text": strings.Repeat("x", fits)})
	if r.IsError || len(r.Content) != 2 || r.Content[1].Type != "audio" || r.Content[1].MIMEType != "audio/wav" {
		t.Fatalf("result of %d characters has %d contents and is error %t: %s", fits, len(r.Content), r.IsError, r.text())
	}
	wav, err := base64.StdEncoding.DecodeString(r.Content[1].Data)
	if err != nil || !strings.HasPrefix(string(wav), "RIFF") || len(wav) != 44+fits*2880 {
		t.Errorf("audio is %d bytes beginning with %.4q (%v)", len(wav), wav, err)
	}

	r = callHTTP(t, url, "synthesize_speech", map[string]any{"text": strings.Repeat("x", fits+1)})
	if !r.IsError || len(r.Content) != 1 {
		t.Fatalf("result of %d characters is no error: %s", fits+1, r.text())
	}
	for _, part := range []string{"audio_too_large: ", "262144 bytes", "5.5 s of wav at 24000 Hz", "at most about 65 characters", "sample_rate to 8000 (16 s fit)"} {
		if !strings.Contains(r.text(), part) {
			t.Errorf("message = %q, want %q in it", r.text(), part)
		}
	}
	if strings.Contains(r.text(), "delivery") {
		t.Errorf("message over HTTP offers a file: %q", r.text())
	}
	local := decodeResult(t, talk(t, s, request(1, "synthesize_speech", map[string]any{"text": strings.Repeat("x", fits+1), "delivery": "inline"}))[0])
	if !local.IsError || !strings.Contains(local.text(), "set delivery to file") {
		t.Errorf("message on stdio = %q, want the offer of a file", local.text())
	}
}

// TestTextStaysOutOfTheLog speaks, fails and panics with a text that must not
// be seen again.
func TestTextStaysOutOfTheLog(t *testing.T) {
	t.Parallel()
	const text = "kumquat-confidential"
	var log sink
	s := newServer(t, mcp.Config{Log: log.logger(), OutputDir: t.TempDir(), Speech: drone{
		before: func(_ context.Context, _ account.Caller, req speech.Request) error {
			switch req.Speed {
			case 0.7:
				panic("cannot say " + req.Text)
			case 0.8:
				return errors.New("engine broke")
			}
			return nil
		}}})
	url := serve(t, s).URL
	for _, args := range []map[string]any{
		{"text": text}, {"text": text, "speed": 0.7}, {"text": text, "speed": 0.8}, {"text": text, "voice_id": text},
		{"text": text, text: 1}, {"text": 1, "format": text}, {"text": text, "delivery": text},
	} {
		callHTTP(t, url, "synthesize_speech", args)
		talk(t, s, request(1, "synthesize_speech", args))
	}
	post(t, url, `{"jsonrpc":"2.0","id":1,"method":"`+text+`"}`, nil)
	post(t, url, `{"`+text, nil)
	got := log.String()
	if strings.Contains(got, "kumquat") {
		t.Errorf("the log holds the text:\n%s", got)
	}
	for _, part := range []string{"outcome=ok", "outcome=voice_not_found", "msg=panic", `error="engine broke"`, "key=key_alpha"} {
		if !strings.Contains(got, part) {
			t.Errorf("the log lacks %s:\n%s", part, got)
		}
	}
}
