package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vaak/internal/fault"
	"vaak/rest/frame"
	"vaak/speech"
	"vaak/voice"
)

func TestErrorTable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err        error
		status     int
		typ, code  string
		retry, ms  string
		shouldntRe bool
	}{
		{fault.New(fault.Invalid, "c", "", "m"), 400, "invalid_request_error", "c", "", "", false},
		{fault.New(fault.Unprocessable, "c", "", "m"), 422, "invalid_request_error", "c", "", "", false},
		{fault.New(fault.NotFound, "c", "", "m"), 404, "invalid_request_error", "c", "", "", false},
		{fault.New(fault.Conflict, "c", "", "m"), 409, "invalid_request_error", "c", "", "", false},
		{fault.New(fault.QuotaExceeded, "insufficient_quota", "", "m"), 402, "insufficient_quota", "insufficient_quota", "", "", true},
		{fault.New(fault.RateLimited, "c", "", "m"), 429, "rate_limit_exceeded", "c", "1", "1000", false},
		{&fault.Error{Kind: fault.RateLimited, Code: "c", Msg: "m", RetryAfter: 1500 * time.Millisecond}, 429, "rate_limit_exceeded", "c", "2", "1500", false},
		{&fault.Error{Kind: fault.RateLimited, Code: "c", Msg: "m", RetryAfter: time.Hour}, 429, "rate_limit_exceeded", "c", "60", "60000", false},
		{&fault.Error{Kind: fault.RateLimited, Code: "c", Msg: "m", RetryAfter: time.Nanosecond}, 429, "rate_limit_exceeded", "c", "1", "1", false},
		{fault.New(fault.TooManyStreams, "c", "", "m"), 429, "rate_limit_exceeded", "c", "1", "500", false},
		{fault.Down("engine_unavailable", 0, errors.New("x"), "m"), 503, "server_error", "engine_unavailable", "1", "1000", false},
		{fmt.Errorf("deep inside: %w", fault.New(fault.Invalid, "c", "", "m")), 400, "invalid_request_error", "c", "", "", false},
		{errors.New("disk on fire"), 500, "server_error", "internal_error", "", "", false},
		{fault.New(fault.Internal, "c", "", "disk on fire"), 500, "server_error", "internal_error", "", "", false},
		{fault.New("unheard of", "c", "", "disk on fire"), 500, "server_error", "internal_error", "", "", false},
	} {
		t.Run(fmt.Sprint(tt.err, tt.status), func(t *testing.T) {
			t.Parallel()
			h := newHandler(t, Config{Speech: speaker{func(context.Context, speech.Request, io.Writer) (speech.Result, error) {
				return speech.Result{}, tt.err
			}}})
			for _, body := range []string{`{"input":"a"}`, `{"input":"a","stream":true}`, `{"input":"a","stream_format":"sse"}`} {
				w := do(h, speak(body))
				f := wantError(t, w, tt.status, tt.code, "")
				if f.Error.Type != tt.typ {
					t.Errorf("type %q, want %q", f.Error.Type, tt.typ)
				}
				if strings.Contains(w.Body.String(), "fire") || strings.Contains(w.Body.String(), "deep") {
					t.Errorf("the body tells what is inside: %s", w.Body)
				}
				hd := w.Header()
				if hd.Get("Retry-After") != tt.retry || hd.Get("Retry-After-Ms") != tt.ms || (hd.Get("X-Should-Retry") == "false") != tt.shouldntRe {
					t.Errorf("headers %v", hd)
				}
				if hd.Get("Character-Cost") != "" || hd.Get("X-Accel-Buffering") != "" {
					t.Errorf("an error with the headers of an answer: %v", hd)
				}
			}
		})
	}
}

func TestSlotRefused(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Accounts: accounts{admit: fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "", "all 2 streams are taken")}})
	wantError(t, do(h, speak(`{"input":"a"}`)), 429, "too_many_concurrent_requests", "")
	// What is refused needs no slot.
	wantError(t, do(h, speak(`{"input":5}`)), 400, "invalid_parameter", "input")
}

func TestElevenLabsErrors(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	frame.ElevenLabs.Refuse(w, request("POST", "/", ""), fault.BadParameter("text", "text is empty"))
	want := `{"detail":[{"loc":["body","text"],"msg":"text is empty","type":"value_error"}],` +
		`"error":{"message":"text is empty","type":"invalid_request_error","param":"text","code":"invalid_parameter"}}`
	if w.Code != 422 || w.Body.String() != want {
		t.Errorf("%d %s, want 422 %s", w.Code, w.Body, want)
	}
	w = httptest.NewRecorder()
	frame.ElevenLabs.Refuse(w, request("POST", "/", ""), fault.New(fault.NotFound, "voice_not_found", "voice_id", "m"))
	want = `{"detail":{"status":"voice_not_found","message":"m"},"error":{"message":"m","type":"invalid_request_error","param":"voice_id","code":"voice_not_found"}}`
	if w.Code != 404 || w.Body.String() != want {
		t.Errorf("%d %s, want 404 %s", w.Code, w.Body, want)
	}
}

func TestPanic(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: speaker{func(context.Context, speech.Request, io.Writer) (speech.Result, error) { panic("ouch") }}})
	w := do(h, speak(`{"input":"a"}`))
	wantError(t, w, 500, "internal_error", "")
	if strings.Contains(w.Body.String(), "ouch") {
		t.Errorf("the body tells the panic: %s", w.Body)
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	for _, path := range []string{
		"/nowhere", "/v1", "/v1/", "/v1/voices/", "//v1/voices", "/v1//voices", "/v1/./voices", "/v1/../v1/voices",
		"/v1/voices/..", "/../etc/passwd", "/v1/v1/v1/voices", "/v1/v1", "/v1/voices/a/b", "/V1/voices", "/openapi.json/", "/docs", "/openapi.yaml", "/schemas/x",
	} {
		for _, method := range []string{"GET", "POST", "OPTIONS", "CONNECT"} {
			r := request(method, "/", "")
			r.URL.Path, r.RequestURI = path, path
			wantError(t, do(h, r), 404, "not_found", "")
		}
	}
	for _, tt := range []struct{ method, path, allow string }{
		{"GET", "/v1/audio/speech", "POST"},
		{"HEAD", "/v1/audio/speech", "POST"},
		{"PUT", "/v1/audio/speech", "POST"},
		{"TRACE", "/v1/audio/speech", "POST"},
		{"BREW", "/v1/audio/speech", "POST"},
		{"CONNECT", "/v1/audio/speech", "POST"},
		{"POST", "/v1/voices", "GET, HEAD"},
		{"DELETE", "/v1/voices/sv_x", "GET, HEAD"},
		{"POST", "/v1/v1/voices", "GET, HEAD"},
		{"POST", "/openapi.json", "GET, HEAD"},
		{"POST", "/asyncapi.json", "GET, HEAD"},
		{"POST", "/health", "GET, HEAD"},
	} {
		w := do(h, request(tt.method, tt.path, ""))
		f := wantError(t, w, 405, "method_not_allowed", "")
		if got := w.Header().Get("Allow"); got != tt.allow || !strings.Contains(f.Error.Message, tt.allow) {
			t.Errorf("%s %s: Allow %q, message %q", tt.method, tt.path, got, f.Error.Message)
		}
	}
}

func TestAliases(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	for _, path := range []string{"/v1/voices", "/v1/models", "/v1/voices/" + string(voice.DefaultVoice().ID)} {
		plain, alias := do(h, request("GET", path, "")), do(h, request("GET", "/v1"+path, ""))
		if plain.Code != 200 || alias.Code != 200 || plain.Body.String() != alias.Body.String() {
			t.Errorf("GET /v1%s = %d, GET %s = %d", path, alias.Code, path, plain.Code)
		}
	}
	r := speak(`{"input":"a"}`)
	r.URL.Path = "/v1/v1/audio/speech"
	if w := do(h, r); w.Code != 200 {
		t.Errorf("POST %s = %d %s", r.URL.Path, w.Code, w.Body)
	}
}

func TestCORS(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	for _, path := range []string{"/v1/voices", "/v1/voices/nobody", "/v1/languages", "/v1/models", "/health", "/openapi.json", "/asyncapi.json", "/v1/voices/settings/default"} {
		w := do(h, request("GET", path, "", "Origin", "https://example.org"))
		if w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("GET %s is not open to other origins: %v", path, w.Header())
		}
		exposed := w.Header().Get("Access-Control-Expose-Headers")
		for _, name := range []string{"x-request-id", "retry-after", "character-cost", "x-ratelimit-limit-requests", "server-timing"} {
			if !strings.Contains(exposed, name) {
				t.Errorf("GET %s does not expose %s", path, name)
			}
		}
		w = do(h, request("OPTIONS", path, "", "Origin", "https://example.org", "Access-Control-Request-Method", "GET"))
		if w.Code != 204 || w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Access-Control-Allow-Methods") != "GET, HEAD" {
			t.Errorf("preflight of %s: %d %v", path, w.Code, w.Header())
		}
	}
	w := do(h, request("OPTIONS", "/v1/audio/speech", "", "Origin", "https://example.org", "Access-Control-Request-Method", "POST"))
	if w.Code != 204 || w.Header().Get("Access-Control-Allow-Origin") != "" || w.Header().Get("Allow") != "POST, OPTIONS" {
		t.Errorf("preflight of a keyed route: %d %v", w.Code, w.Header())
	}
	if w := do(h, speak(`{"input":"a"}`, "Origin", "https://example.org")); w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Error("a keyed route is open to other origins")
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	for _, r := range []*http.Request{
		speak(`{"input":"a"}`), speak(`{"input":"a","stream":true}`), speak(`{`), request("POST", "/v1/audio/speech", ""),
		request("GET", "/nowhere", ""), request("TRACE", "/v1/voices", ""), request("OPTIONS", "/v1/voices", ""),
		request("GET", "/v1/voices", ""), request("HEAD", "/v1/voices", ""), request("GET", "/health", ""), request("GET", "//", ""),
	} {
		w := do(h, r)
		if len(w.Header().Get("X-Request-Id")) != 26 {
			t.Errorf("%s %s: x-request-id %q", r.Method, r.URL, w.Header().Get("X-Request-Id"))
		}
		if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s %s: headers %v", r.Method, r.URL, w.Header())
		}
		r.Header.Set("X-Request-Id", "mine-1")
		if got := do(h, r).Header().Get("X-Request-Id"); got != "mine-1" {
			t.Errorf("%s %s: x-request-id mine-1 is answered with %q", r.Method, r.URL, got)
		}
	}
}
