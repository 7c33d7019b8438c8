package mcp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"vaak/account"
	"vaak/audio"
	"vaak/edge"
	"vaak/internal/fault"
	"vaak/mcp"
	"vaak/speech"
	"vaak/voice"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// drone speaks every character as 60 ms of silence, in wav or raw samples.
type drone struct {
	// before runs at the start of each call; its error ends the call.
	before func(ctx context.Context, caller account.Caller, req speech.Request) error
}

const droneVoice = "sv_aaaaaaaaaaaaaaaa"

// Read reads a text as it is written.
func (drone) Read(_ context.Context, req speech.Request) (speech.Reading, error) {
	return speech.Reading{Language: "en", Runs: []speech.ReadRun{{Written: req.Text, Spoken: req.Text, Language: "en"}}, Characters: utf8.RuneCountInString(req.Text)}, nil
}

func (d drone) Speak(ctx context.Context, caller account.Caller, req speech.Request, w io.Writer) (speech.Result, error) {
	if d.before != nil {
		if err := d.before(ctx, caller, req); err != nil {
			return speech.Result{}, err
		}
	}
	if strings.TrimSpace(req.Text) == "" {
		return speech.Result{}, fault.BadParameter("input", "input is empty")
	}
	id := voice.ID(req.Voice)
	if id == "" {
		id = droneVoice
	} else if id != droneVoice {
		return speech.Result{}, fault.New(fault.NotFound, fault.CodeVoiceNotFound, "voice", "voice %q does not exist", req.Voice)
	}
	if req.Language == "xx" {
		return speech.Result{}, fault.BadParameter("lang", "language %q is not known", req.Language)
	}
	n := utf8.RuneCountInString(req.Text)
	length := time.Duration(n) * 60 * time.Millisecond
	pcm := make([]byte, 2*int(length*time.Duration(req.Format.SampleRate)/time.Second))
	if req.Format.Codec == audio.WAV {
		pcm = append(wavHeader(req.Format.SampleRate, len(pcm)), pcm...)
	}
	info := speech.Info{Voice: id, Language: "en", Format: req.Format, Characters: n}
	if s, ok := w.(speech.Starter); ok {
		s.Start(info)
	}
	if _, err := w.Write(pcm); err != nil {
		return speech.Result{}, err
	}
	if f, ok := w.(speech.Finisher); ok {
		if err := f.Finish(); err != nil {
			return speech.Result{}, err
		}
	}
	return speech.Result{
		Info: info, Charged: n,
		Duration: length, Bytes: int64(len(pcm)),
	}, nil
}

func wavHeader(rate, size int) []byte {
	b := []byte("RIFF")
	b = binary.LittleEndian.AppendUint32(b, uint32(36+size))
	b = append(b, "WAVEfmt "...)
	for _, v := range []uint32{16, 1 | 1<<16, uint32(rate), uint32(2 * rate), 2 | 16<<16} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	b = append(b, "data"...)
	return binary.LittleEndian.AppendUint32(b, uint32(size))
}

// newServer fills in what a test leaves out.
func newServer(t testing.TB, cfg mcp.Config) *mcp.Server {
	t.Helper()
	if cfg.Speech == nil {
		cfg.Speech = drone{}
	}
	if cfg.Accounts == nil {
		cfg.Accounts = &ledger{}
	}
	if cfg.Formats == nil {
		cfg.Formats = []audio.Codec{audio.WAV, audio.PCM}
	}
	if cfg.Version == "" {
		cfg.Version = "test"
	}
	s, err := mcp.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// keys knows the keys "alpha" and "beta".
type keys struct{}

func (keys) Authenticate(_ context.Context, secret string) (account.Caller, error) {
	if secret != "alpha" && secret != "beta" {
		return account.Caller{}, fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "", "the API key is not valid")
	}
	return account.Caller{OrgID: "org_" + secret, KeyID: "key_" + secret, Plan: "unlimited"}, nil
}

// mount puts a server behind the middleware that the product has.
func mount(s *mcp.Server) http.Handler {
	refuse := func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusUnauthorized)
	}
	return edge.Chain(s.Handler(mcp.Speech), edge.Identify, edge.Authenticate(keys{}, refuse))
}

func serve(t testing.TB, s *mcp.Server) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(mount(s))
	t.Cleanup(srv.Close)
	return srv
}

// post sends a message with a key and returns the answer.
func post(t testing.TB, url, body string, headers http.Header) (*http.Response, []byte) {
	t.Helper()
	resp, b, err := tryPost(t.Context(), url, body, headers)
	if err != nil {
		t.Fatal(err)
	}
	return resp, b
}

func tryPost(ctx context.Context, url, body string, headers http.Header) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Authorization", "Bearer alpha")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range headers {
		req.Header[k] = v
	}
	if host := headers.Get("Host"); host != "" {
		req.Host = host
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, b, err
}

// toolResult is a result as it is on the wire.
type toolResult struct {
	Content []struct {
		Type, Text, Data, MIMEType, URI, Name string
		Size                                  int64
	}
	StructuredContent json.RawMessage
	IsError           bool
}

// text is the first content of a result, which is always text.
func (r toolResult) text() string {
	if len(r.Content) == 0 || r.Content[0].Type != "text" {
		return ""
	}
	return r.Content[0].Text
}

// request is a call of a tool as a legacy client sends it.
func request(id int, tool string, args any) string {
	b, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": args},
	})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// callHTTP calls a tool and returns its result.
func callHTTP(t testing.TB, url, tool string, args any) toolResult {
	t.Helper()
	_, body := post(t, url, request(1, tool, args), nil)
	return decodeResult(t, body)
}

func decodeResult(t testing.TB, message []byte) toolResult {
	t.Helper()
	var m struct {
		Result *toolResult
		Error  json.RawMessage
	}
	if err := json.Unmarshal(message, &m); err != nil || m.Result == nil {
		t.Fatalf("no result in %s (%v)", message, err)
	}
	if m.Result.IsError {
		agentWords(t, m.Result.text())
	}
	return *m.Result
}

// quoted is what a message repeats of what a caller sent.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// agentWords checks that a message speaks of arguments and tools as an agent knows
// them, and not of the parameters and requests of other transports.
func agentWords(t testing.TB, message string) {
	t.Helper()
	own := quoted.ReplaceAllString(message, `"…"`)
	for _, word := range []string{"input ", "lang ", "response_format", "GET /"} {
		if strings.Contains(own, word) {
			t.Errorf("message = %q, which says %q", message, word)
		}
	}
}

// golden compares with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update to make it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update when the change is meant:\n%s", path, diff)
	}
}

// sink is a log that can be read while it is written.
type sink struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

func (s *sink) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(s, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
