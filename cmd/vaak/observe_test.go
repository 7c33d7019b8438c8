package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// get returns the status and body of an address of the admin listener.
func (s *server) get(path string) (int, string) {
	s.t.Helper()
	resp, err := http.Get(s.admin + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	s := start(t, "--cache-bytes", "1000000")
	for range 2 {
		s.mustSpeak(map[string]any{"input": "Hello.", "lang": "en", "stream": true, "response_format": "pcm"})
	}
	s.mustSpeak(map[string]any{"input": "नमस्ते", "lang": "hi"})
	_, _ = s.speak(map[string]any{"input": "Hello.", "speed": 9})
	_, _ = s.speak(map[string]any{"input": "Hello.", "voice": "sv_none"})
	resp, err := http.Get(s.public + "/v1/some/path?q=1")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()

	wanted := []string{
		`vaak_http_requests_total{code="",method="POST",route="/v1/audio/speech",status="200"} 3`,
		`vaak_http_requests_total{code="invalid_parameter",method="POST",route="/v1/audio/speech",status="400"} 1`,
		`vaak_http_requests_total{code="not_found",method="GET",route="other",status="404"} 1`,
		`vaak_http_requests_in_flight 0`,
		`vaak_speech_requests_total{outcome="ok"} 3`,
		`vaak_speech_requests_total{outcome="not_found"} 1`,
		`vaak_speech_characters_total{language="en"} 12`,
		`vaak_speech_characters_total{language="hi"} 6`,
		`vaak_speech_first_audio_seconds_count{format="pcm"} 1`, // the second one was kept
		`vaak_cache_hits_total 1`,
		`vaak_engine_left_out_total 0`,
		`vaak_check_ok{check="engine"} 1`,
		`vaak_build_info{version="dev"} 1`,
		`go_goroutines `,
		`process_resident_memory_bytes `,
	}
	var body string
	lacks := func(series string) bool { return !strings.Contains(body, "\n"+series) }
	eventually(func() bool { // a client may have its answer before the server is done with it
		_, body = s.get("/metrics")
		return !slices.ContainsFunc(wanted, lacks)
	})
	for _, series := range wanted {
		if lacks(series) {
			t.Errorf("GET /metrics lacks %s", series)
		}
	}
	if strings.Contains(body, "/v1/some") {
		t.Error("a caller's path is a label")
	}
	s.stop()
}

func TestReadyzSaysWhy(t *testing.T) {
	t.Parallel()
	s := start(t)
	resp, err := http.DefaultClient.Do(s.request(t.Context(), long(story)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	expectReady(t, s, http.StatusOK, "")
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool { return strings.Contains(s.log.String(), "draining") }) {
		t.Fatal("the server does not drain")
	}
	expectReady(t, s, http.StatusServiceUnavailable, "accepting")
	if status, body := s.get("/livez"); status != http.StatusOK || body != "ok\n" {
		t.Errorf("GET /livez while draining = %d %q, want 200 ok", status, body)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Errorf("the running stream: %v", err)
	}
	<-s.done
}

// expectReady checks the answer of /readyz, whose one failing check is wrong.
func expectReady(t *testing.T, s *server, want int, wrong string) {
	t.Helper()
	status, body := s.get("/readyz")
	var answer struct {
		Checks []struct {
			Name string
			OK   bool
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatalf("GET /readyz = %s: %v", body, err)
	}
	if status != want || len(answer.Checks) != 4 {
		t.Errorf("GET /readyz = %d %s, want %d with 4 checks", status, body, want)
	}
	guide, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range answer.Checks {
		if !strings.Contains(string(guide), "\n| `"+c.Name+"` | ") {
			t.Errorf("docs/metrics.md does not say when the check %s fails", c.Name)
		}
		if c.OK == (c.Name == wrong) {
			t.Errorf("GET /readyz: check %s = %v, want only %q to fail", c.Name, c.OK, wrong)
		}
	}
}

// tracesTaken starts a collector of traces and returns its address and what it
// took, uncompressed.
func tracesTaken(t *testing.T) (url string, taken *lockedBuffer) {
	taken = &lockedBuffer{}
	c := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(body)
			if err != nil {
				t.Errorf("traces: %v", err)
				return
			}
			body = z
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(body); err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("traces at %s: %v", r.URL.Path, err)
		}
		_, _ = taken.Write(b.Bytes())
	}))
	t.Cleanup(c.Close)
	return c.URL, taken
}

// TestNothingTellsSecrets has a server that tells all it can: its log, its
// figures and its traces hold neither keys nor texts nor queries.
func TestNothingTellsSecrets(t *testing.T) {
	t.Parallel()
	collector, taken := tracesTaken(t)
	s := start(t, "--otlp-endpoint", collector, "--trace-sample", "1")
	const secret = "xylophone-quartz"
	s.mustSpeak(map[string]any{"input": secret})
	s.mustSpeak(map[string]any{"input": secret, "stream": true, "response_format": "pcm"})
	_, _ = s.speak(map[string]any{"input": secret, "speed": 9})
	_, _ = s.speak(map[string]any{"input": secret, "voice": secret, "lang": secret})
	_, _ = s.speak(map[string]any{"input": secret + strings.Repeat(" a.b.c.d.", 60)})
	s.tool(map[string]any{"name": "synthesize_speech", "arguments": map[string]any{"text": secret}})
	for _, path := range []string{"/v1/voices?q=" + secret, "/v1/voices?key=" + s.key, "/nothing/" + s.key} {
		resp, err := http.Get(s.public + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	_, figures := s.get("/metrics")
	s.stop()
	log, traces := s.log.String(), taken.String()

	for where, what := range map[string]string{"log": log, "figures": figures, "traces": traces} {
		if !strings.Contains(what, "/v1/audio/speech") {
			t.Errorf("the %s do not know the route: %.300s", where, what)
		}
		for _, never := range []string{secret, s.key, s.key[len(s.key)-12:]} {
			if strings.Contains(what, never) {
				t.Errorf("the %s hold %q", where, never)
			}
		}
	}
	if !strings.Contains(traces, "speak") || !strings.Contains(traces, "first audio") {
		t.Error("the traces lack the speech")
	}
	expectLines(t, log, traces)
}

// tool calls a tool over MCP.
func (s *server) tool(params map[string]any) {
	s.t.Helper()
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.public+"/v1/mcp", bytes.NewReader(b))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK || !bytes.Contains(b, []byte("audio/")) {
		s.t.Errorf("tools/call = %d %.300s", resp.StatusCode, b)
	}
}

// expectLines checks that each line of the access log names its trace, and that
// those of callers say who they are as the traces do.
func expectLines(t *testing.T, log, traces string) {
	t.Helper()
	called := 0
	for line := range strings.Lines(log) {
		var l struct {
			Msg, Route, Org, Key string
			RequestID            string `json:"request_id"`
			TraceID              string `json:"trace_id"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Errorf("log line %q: %v", line, err)
		}
		if l.Msg != "request" {
			continue
		}
		if len(l.TraceID) != 32 || !strings.Contains(traces, l.RequestID) {
			t.Errorf("no trace of log line %s", line)
		}
		if l.Route != "/v1/audio/speech" && l.Route != "/v1/mcp" {
			continue
		}
		called++
		if l.Org == "" || l.Key == "" || !strings.Contains(traces, l.Key) {
			t.Errorf("log line does not say who called, or the traces do not: %s", line)
		}
	}
	if called != 6 {
		t.Errorf("%d log lines of callers, want 6", called)
	}
}

// TestLogUnits reads the lines of a request, of a tool and of the end of a server. Times
// that something took are numbers under keys that say their unit.
func TestLogUnits(t *testing.T) {
	t.Parallel()
	s := start(t, "--services", "catalogue")
	if a := s.fetch(http.MethodGet, s.public+"/api/catalogue/datasets"); a.status != http.StatusOK {
		t.Fatalf("datasets = %d %s", a.status, a.body)
	}
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for line := range strings.Lines(s.log.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for _, key := range []string{"took_ms", "timeout_ms"} {
			if _, ok := entry[key].(float64); ok {
				found[key] = true
			}
		}
		if entry["took"] != nil || entry["timeout"] != nil {
			t.Errorf("without a unit: %s", line)
		}
	}
	if !found["took_ms"] || !found["timeout_ms"] {
		t.Errorf("found %v in %s", found, s.log)
	}
}

// TestDurationKeys writes a duration as any package would.
func TestDurationKeys(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	logger(streams{err: &out}, slog.LevelInfo).Info("m", "wait", 1500*time.Microsecond, slog.Group("queue", "lag", 2*time.Second))
	if text := out.String(); !strings.Contains(text, `"wait_ms":1.5`) || !strings.Contains(text, `"lag_ms":2000`) {
		t.Errorf("log line %s", text)
	}
}
