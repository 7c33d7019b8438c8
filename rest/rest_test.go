package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/audio"
	"vaak/catalogue/export"
	"vaak/croissant/publish"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

// speaker is a service that speaks as a test wants it to.
type speaker struct {
	speak func(ctx context.Context, req speech.Request, w io.Writer) (speech.Result, error)
}

var testInfo = speech.Info{
	Voice:      "sv_test",
	Language:   "en",
	Format:     audio.Format{Codec: audio.PCM, SampleRate: 24000},
	Characters: 5,
	TextTime:   1500 * time.Microsecond,
	FirstAudio: 2 * time.Millisecond,
}

func (s speaker) Speak(ctx context.Context, _ account.Caller, req speech.Request, w io.Writer) (speech.Result, error) {
	if s.speak != nil {
		return s.speak(ctx, req, w)
	}
	if starter, ok := w.(speech.Starter); ok {
		starter.Start(testInfo)
	}
	n, err := io.WriteString(w, "0123456789")
	return speech.Result{Info: testInfo, Bytes: int64(n), Total: 3 * time.Millisecond}, err
}

func (speaker) Read(_ context.Context, req speech.Request) (speech.Reading, error) {
	if req.Text == "bad" {
		return speech.Reading{}, fault.BadParameter("lang", "no such language")
	}
	n := len([]rune(req.Text))
	return speech.Reading{
		Language: "hi", Characters: n, Estimated: 1260 * time.Millisecond, Notices: []string{"a notice"},
		Runs: []speech.ReadRun{{Language: "hi", End: n, Written: req.Text, Spoken: "पाँच <सौ>"}},
	}, nil
}

func (speaker) Preview(context.Context, voice.ID) (speech.Preview, error) {
	return speech.Preview{Data: []byte("0123456789"), ContentType: "audio/wav", ETag: `"tag"`, Modified: time.Unix(1e9, 0)}, nil
}

func (speaker) Health() speech.Health {
	v := voice.DefaultVoice().ID
	return speech.Health{
		Engine: "fake", Formats: []audio.Codec{audio.WAV, audio.PCM}, DefaultVoice: v,
		DefaultVoices: map[lang.Code]voice.ID{"en": v}, Languages: 80, Voices: 320,
	}
}

// hum is the real service with an engine that needs nothing installed.
func hum(t testing.TB) *speech.Service {
	t.Helper()
	s, err := speech.New(speech.Config{
		Engines: engine.Set{enginetest.Tone{}}, Ledger: account.Unmetered{},
		PreviewDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newHandler(t testing.TB, cfg Config) http.Handler {
	t.Helper()
	if cfg.Accounts == nil {
		cfg.Accounts = accounts{}
	}
	if cfg.Speech == nil {
		cfg.Speech = speaker{}
	}
	if cfg.Catalogue != nil {
		cfg.Croissant = publish.New(cfg.Catalogue, "https://x.test")
		cfg.Exports = export.New(cfg.Catalogue, "https://x.test")
	}
	h, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// request makes a request; header holds pairs of names and values.
func request(method, target, body string, header ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body == "" {
		r = httptest.NewRequest(method, target, nil)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// speak posts a body to the speech route, with a key.
func speak(body string, header ...string) *http.Request {
	return request("POST", "/v1/audio/speech", body,
		append([]string{"Authorization", "Bearer " + testKey, "Content-Type", "application/json"}, header...)...)
}

func do(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// failure is an error body as a client reads it.
type failure struct {
	Detail struct{ Status, Message string }
	Error  struct {
		Message, Type, Code string
		Param               *string
	}
}

// wantError checks status and both shapes of an error body, and returns it.
func wantError(t *testing.T, w *httptest.ResponseRecorder, status int, code, param string) failure {
	t.Helper()
	var f failure
	if w.Code != status {
		t.Errorf("status %d, want %d; body %.300s", w.Code, status, w.Body)
	}
	if ct := w.Header().Get("Content-Type"); ct != "application/json" {
		t.Errorf("content type %q of an error, want application/json", ct)
	}
	if w.Header().Get("X-Request-Id") == "" {
		t.Error("no x-request-id")
	}
	if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil {
		t.Fatalf("error body %.300q: %v", w.Body, err)
	}
	got := ""
	if f.Error.Param != nil {
		got = *f.Error.Param
	}
	if f.Detail.Status != code || f.Error.Code != code || got != param {
		t.Errorf("codes %q and %q, param %q, want %q and %q: %s", f.Detail.Status, f.Error.Code, got, code, param, f.Error.Message)
	}
	if f.Detail.Message == "" || f.Detail.Message != f.Error.Message || f.Error.Type == "" {
		t.Errorf("messages %q and %q, type %q", f.Detail.Message, f.Error.Message, f.Error.Type)
	}
	return f
}

func TestNewNeedsServices(t *testing.T) {
	t.Parallel()
	if _, err := New(Config{}); err == nil {
		t.Error("New without services succeeds")
	}
}

type pages struct{ http.Handler }

func (pages) Counted(string) bool { return false }

func (pages) Patterns() []string { return []string{"GET /{$}", "GET /docs", "/llms.txt"} }

func TestMounts(t *testing.T) {
	t.Parallel()
	say := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s) }
	}
	h := newHandler(t, Config{SpeechMCP: agents{say("mcp")}, Pages: pages{say("page")}})
	for _, target := range []string{"/", "/docs", "/llms.txt"} {
		if w := do(h, request("GET", target, "")); w.Code != 200 || w.Body.String() != "page" {
			t.Errorf("GET %s = %d %q", target, w.Code, w.Body)
		}
	}
	wantError(t, do(h, request("POST", "/v1/mcp", "{}")), 401, "missing_api_key", "")
	if w := do(h, request("POST", "/v1/mcp", "{}", "xi-api-key", testKey)); w.Body.String() != "mcp" {
		t.Errorf("POST /v1/mcp = %d %q", w.Code, w.Body)
	}
	wantError(t, do(h, request("GET", "/v1/mcp", "")), 405, "method_not_allowed", "")

	bare := newHandler(t, Config{})
	wantError(t, do(bare, request("GET", "/", "")), 404, "not_found", "")
	wantError(t, do(bare, request("POST", "/v1/mcp", "{}")), 404, "not_found", "")
}

func TestKeys(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	body := `{"input":"hello"}`
	for _, tt := range []struct {
		name   string
		header []string
		status int
		code   string
	}{
		{"bearer", []string{"Authorization", "bearer " + testKey}, 200, ""},
		{"xi-api-key", []string{"xi-api-key", testKey}, 200, ""},
		{"both", []string{"Authorization", "Bearer " + testKey, "xi-api-key", testKey}, 200, ""},
		{"none", nil, 401, "missing_api_key"},
		{"wrong", []string{"xi-api-key", "sk_live_other"}, 401, "invalid_api_key"},
		{"different", []string{"Authorization", "Bearer " + testKey, "xi-api-key", "x"}, 401, "invalid_api_key"},
		{"store down", []string{"xi-api-key", "down"}, 503, "store_unavailable"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := do(h, request("POST", "/v1/audio/speech", body, tt.header...))
			if tt.code == "" {
				if w.Code != 200 {
					t.Errorf("status %d: %s", w.Code, w.Body)
				}
				return
			}
			f := wantError(t, w, tt.status, tt.code, "")
			if tt.status == 401 && (w.Header().Get("WWW-Authenticate") != "Bearer" || f.Error.Type != "authentication_error") {
				t.Errorf("header %v, type %q", w.Header(), f.Error.Type)
			}
			if tt.status == 503 && w.Header().Get("Retry-After") != "3" {
				t.Errorf("Retry-After %q, want 3", w.Header().Get("Retry-After"))
			}
		})
	}
	// A key on a public route is not looked at.
	if w := do(h, request("GET", "/v1/voices", "", "xi-api-key", "wrong")); w.Code != 200 {
		t.Errorf("public route with a wrong key: %d", w.Code)
	}
}

// TestLog runs good and bad requests and looks for what must never be logged.
func TestLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := newHandler(t, Config{Speech: hum(t), Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	const text = "Confidential-words"
	for _, r := range []*http.Request{
		speak(`{"input":"` + text + `"}`),
		speak(`{"input":"` + text + `","stream":true,"response_format":"pcm"}`),
		speak(`{"input":"` + text + `","stream_format":"sse"}`),
		speak(`{"input":"` + text + `","speed":9}`),
		speak(`{"input":"` + text + `","lang":"` + text + `"}`),
		speak(`{"input":"` + text + `","voice":"` + text + `"}`),
		speak(`{"input":"` + text + `",`),
		speak(`{"` + text + `":1,"` + text + `":1}`),
		speak(`{"input":"` + text + strings.Repeat("x", 5000) + `"}`),
		request("POST", "/v1/audio/speech?key="+testKey, `{"input":"`+text+`"}`, "xi-api-key", testKey+"wrong"),
		request("GET", "/v1/voices?secretquery=1", ""),
		request("GET", "/nowhere/"+testKey+"?secretquery=1", ""),
	} {
		do(h, r)
	}
	for _, never := range []string{text, testKey, "secretquery"} {
		if strings.Contains(log.String(), never) {
			t.Errorf("the log holds %q:\n%s", never, &log)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 12 {
		t.Errorf("%d log lines, want 12", n)
	}
	if !strings.Contains(log.String(), `"route":"/v1/audio/speech"`) || !strings.Contains(log.String(), `"org":"local"`) {
		t.Errorf("the log does not name route and organisation:\n%s", &log)
	}
}
