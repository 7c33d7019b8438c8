package telemetry

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// receiver takes traces as a collector does.
type receiver struct {
	*httptest.Server

	mu    sync.Mutex
	paths []string
	spans []*span
	raw   strings.Builder
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if err := r.take(req); err != nil {
			t.Errorf("traces: %v", err)
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) take(req *http.Request) error {
	body := io.Reader(req.Body)
	if req.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			return err
		}
		body = z
	}
	b, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	if ct := req.Header.Get("Content-Type"); ct != "application/x-protobuf" {
		return fmt.Errorf("content type %q", ct)
	}
	spans, err := spansOf(b)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paths = append(r.paths, req.Method+" "+req.URL.Path)
	r.raw.Write(b)
	r.spans = append(r.spans, spans...)
	return nil
}

// span returns the one span of a name.
func (r *receiver) span(t testing.TB, name string) *span {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for _, s := range r.spans {
		if s.Name == name {
			return s
		}
		names = append(names, s.Name)
	}
	t.Fatalf("no span %q among %q", name, names)
	return nil
}

const (
	callersTrace = "0af7651916cd43dd8448eb211c80319c"
	callersSpan  = "b7ad6b7169203331"
)

// speakOnce reports a request whose text was spoken, in a trace of the caller's.
func speakOnce(t testing.TB, tel *Telemetry, flags string) (traceID string) {
	t.Helper()
	r := httptest.NewRequest("POST", "/v1/audio/speech?secret-query", strings.NewReader("secret-text"))
	r.Header.Set("Authorization", "Bearer sk_live_secret")
	r.Header.Set("Traceparent", "00-"+callersTrace+"-"+callersSpan+"-"+flags)
	ctx, id := tel.Begin(t.Context(), r)
	sctx := tel.BeginSpeech(ctx)
	tel.EndSpeech(sctx, Speech{
		Began: time.Now(), Outcome: Succeeded, Format: "mp3", Language: "en", Voice: "sv_a", Characters: 11,
		Streamed: true, Queue: time.Millisecond, Text: 2 * time.Millisecond, FirstAudio: 9 * time.Millisecond, Audio: time.Second,
	})
	tel.End(ctx, Answer{Method: "POST", Route: "/v1/audio/speech", Status: 200, Took: time.Second, RequestID: "r1", OrgID: "org_1", KeyID: "key_1"})
	return id
}

func TestTraces(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	tel := newTelemetry(t, Config{Version: "1.2", Traces: Traces{Endpoint: r.URL, Ratio: 0}})
	if id := speakOnce(t, tel, "01"); id != callersTrace {
		t.Errorf("trace id = %q, want the caller's %q", id, callersTrace)
	}
	if err := tel.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"POST /v1/traces"}, r.paths); diff != "" {
		t.Errorf("requests to the collector (-want +got):\n%s", diff)
	}
	server, speak := r.span(t, "POST /v1/audio/speech"), r.span(t, "speak")
	for what, ids := range map[string][2]string{
		"trace of the request":  {fmt.Sprintf("%x", server.TraceID), callersTrace},
		"parent of the request": {fmt.Sprintf("%x", server.ParentSpanID), callersSpan},
		"trace of the speech":   {fmt.Sprintf("%x", speak.TraceID), callersTrace},
		"parent of the speech":  {string(speak.ParentSpanID), string(server.SpanID)},
	} {
		if ids[0] != ids[1] {
			t.Errorf("%s = %q, want %q", what, ids[0], ids[1])
		}
	}
	if server.Kind != kindServer {
		t.Errorf("kind of the request's span = %v", server.Kind)
	}
	want := map[string]string{
		"http.request.method": "POST", "http.route": "/v1/audio/speech", "http.response.status_code": "200",
		"vaak.request_id": "r1", "vaak.org_id": "org_1", "vaak.key_id": "key_1",
	}
	if diff := cmp.Diff(want, server.Attributes); diff != "" {
		t.Errorf("attributes of the request (-want +got):\n%s", diff)
	}
	said := speak.Attributes
	for _, name := range []string{"vaak.outcome", "vaak.format", "vaak.language", "vaak.characters", "vaak.queue_seconds"} {
		if said[name] == "" {
			t.Errorf("the span of the speech lacks %s: %v", name, said)
		}
	}
	events := map[string]bool{}
	for _, name := range speak.Events {
		events[name] = true
	}
	if diff := cmp.Diff(map[string]bool{"text read": true, "first audio": true}, events); diff != "" {
		t.Errorf("events of the speech (-want +got):\n%s", diff)
	}
	if raw := r.raw.String(); strings.Contains(raw, "secret") || !strings.Contains(raw, "1.2") {
		t.Errorf("what was sent holds a secret, or lacks the version")
	}
}

func TestSampling(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		flags string // of the caller's trace; "" is no trace
		ratio float64
		want  bool
	}{
		{"the caller keeps it", "01", 0, true},
		{"the caller drops it", "00", 1, false},
		{"ours, all kept", "", 1, true},
		{"ours, none kept", "", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t)
			tel := newTelemetry(t, Config{Traces: Traces{Endpoint: r.URL + "/v1/traces", Ratio: tt.ratio}})
			id := speakOnce(t, tel, tt.flags)
			if err := tel.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := len(r.spans) == 2; got != tt.want || len(id) != 32 {
				t.Errorf("%d spans were sent, trace id %q; want kept = %v", len(r.spans), id, tt.want)
			}
		})
	}
}

func TestFailedAnswers(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	tel := newTelemetry(t, Config{Traces: Traces{Endpoint: r.URL, Ratio: 1}})
	ctx, _ := tel.Begin(t.Context(), httptest.NewRequest("BREW", "/pot", nil))
	sctx := tel.BeginSpeech(ctx)
	tel.EndSpeech(sctx, Speech{Outcome: "unavailable", Failed: true})
	tel.End(ctx, Answer{Method: "BREW", Status: 503, Code: "engine_unavailable"})
	if err := tel.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"other": "engine_unavailable", "speak": "unavailable"} {
		s := r.span(t, name)
		if (s.Status != status{Code: statusError, Message: want}) {
			t.Errorf("status of span %s = %+v, want the error %q", name, s.Status, want)
		}
	}
}

// TestCollectorDown checks that a collector that refuses costs a figure and one
// line of the log, and no request.
func TestCollectorDown(t *testing.T) {
	t.Parallel()
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer down.Close()
	var log strings.Builder
	tel := newTelemetry(t, Config{Logger: slog.New(slog.NewTextHandler(&log, nil)), Traces: Traces{Endpoint: down.URL, Ratio: 1}})
	speakOnce(t, tel, "01")
	if err := tel.Close(t.Context()); err != nil {
		t.Errorf("Close: %v", err)
	}
	expect(t, scrape(t, tel), map[string]string{"vaak_trace_export_failures_total": "1"})
	if n := strings.Count(log.String(), "traces are not taken"); n != 1 {
		t.Errorf("%d lines about it, want 1: %s", n, &log)
	}
}

func TestFromEnvironment(t *testing.T) {
	r := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL)
	tel := newTelemetry(t, Config{Traces: Traces{Endpoint: FromEnvironment}})
	speakOnce(t, tel, "01")
	if err := tel.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"POST /v1/traces"}, r.paths); diff != "" {
		t.Errorf("requests to the collector (-want +got):\n%s", diff)
	}
}

func TestCheckTraces(t *testing.T) {
	t.Parallel()
	tests := map[Traces]bool{
		{}: true, {Endpoint: FromEnvironment, Ratio: 1}: true, {Endpoint: "https://c.example:4318/x", Ratio: .5}: true,
		{Ratio: 1.1}: false, {Ratio: -.1}: false,
		{Endpoint: "localhost:4318"}: false, {Endpoint: "grpc://c:4317"}: false, {Endpoint: "http://"}: false, {Endpoint: "http://a b"}: false,
	}
	for c := range maps.Keys(tests) {
		if err := c.Check(); (err == nil) != tests[c] {
			t.Errorf("(%+v).Check() = %v, want valid = %v", c, err, tests[c])
		}
	}
}

func TestTraceHeaders(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]map[string]string{
		"":                                nil,
		"authorization=Bearer%20abc":      {"authorization": "Bearer abc"},
		"a=1, b = two,c=x=y":              {"a": "1", "b": "two", "c": "x=y"},
		"hunter2":                         nil,
		"=hunter2":                        nil,
		"a=hunter%2":                      nil,
		"a=hunter%0D%0AX-Other:%20hunter": nil,
		"a=1,":                            nil,
	} {
		got, err := headers(list)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (list == "" || want != nil) {
			t.Errorf("headers(%q) = %v, %v; want %v", list, got, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter") {
			t.Errorf("the error has a part of the list: %v", err)
		}
	}
}
