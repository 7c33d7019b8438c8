package telemetry

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newTelemetry(t testing.TB, c Config) *Telemetry {
	t.Helper()
	tel, err := New(c)
	if err != nil {
		t.Fatalf("New(%+v): %v", c, err)
	}
	return tel
}

// scrape returns the figures of ours by their series, as text.
func scrape(t testing.TB, tel *Telemetry) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	tel.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("GET /metrics = %d: %s", w.Code, w.Body)
	}
	found := map[string]string{}
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		line := lines.Text()
		if i := strings.LastIndexByte(line, ' '); i > 0 && line[0] != '#' {
			found[line[:i]] = line[i+1:]
		}
	}
	return found
}

// expect compares some series with what they should be; "" is none.
func expect(t *testing.T, got, want map[string]string) {
	t.Helper()
	for series, v := range want {
		if got[series] != v {
			t.Errorf("%s = %q, want %q", series, got[series], v)
		}
	}
}

func TestHTTPFigures(t *testing.T) {
	t.Parallel()
	tel := newTelemetry(t, Config{Version: "1.2"})
	serve := func(a Answer) {
		ctx, trace := tel.Begin(t.Context(), httptest.NewRequest(http.MethodGet, "/", nil))
		if ctx != t.Context() || trace != "" {
			t.Errorf("Begin without traces = another context, trace %q", trace)
		}
		tel.End(ctx, a)
	}
	serve(Answer{Method: "POST", Route: "/v1/audio/speech", Status: 200, Took: 30 * time.Millisecond})
	serve(Answer{Method: "POST", Route: "/v1/audio/speech", Status: 200, Took: 3 * time.Second})
	serve(Answer{Method: "POST", Route: "/v1/audio/speech", Status: 429, Code: "rate_limit_exceeded"})
	serve(Answer{Method: "BREW", Status: 404, Code: "not_found"})
	tel.Begin(t.Context(), httptest.NewRequest(http.MethodGet, "/", nil))

	expect(t, scrape(t, tel), map[string]string{
		`vaak_http_requests_total{code="",method="POST",route="/v1/audio/speech",status="200"}`:                    "2",
		`vaak_http_requests_total{code="rate_limit_exceeded",method="POST",route="/v1/audio/speech",status="429"}`: "1",
		`vaak_http_requests_total{code="not_found",method="other",route="other",status="404"}`:                     "1",
		`vaak_http_request_seconds_count{route="/v1/audio/speech"}`:                                                "3",
		`vaak_http_request_seconds_bucket{route="/v1/audio/speech",le="0.05"}`:                                     "2",
		`vaak_http_requests_in_flight`:       "1",
		`vaak_build_info{version="1.2"}`:     "1",
		`vaak_source_ok{source="build"}`:     "1",
		`vaak_trace_export_failures_total`:   "",
		`vaak_http_request_seconds_count{}`:  "",
		`vaak_speech_requests_total{}`:       "",
		`vaak_source_ok{source="undefined"}`: "",
	})
}

// TestMethodsMakeNoSeries checks that words of callers add no series.
func TestMethodsMakeNoSeries(t *testing.T) {
	t.Parallel()
	tel := newTelemetry(t, Config{})
	rapid.Check(t, func(rt *rapid.T) {
		tel.End(t.Context(), Answer{Method: rapid.String().Draw(rt, "method"), Status: 404})
	})
	for _, m := range []string{"GET", "get", "GET ", "\x00"} {
		tel.End(t.Context(), Answer{Method: m, Status: 404})
	}
	if n := len(tel.http.counts); n > 10 {
		t.Errorf("%d series of requests to one route, want at most 10", n)
	}
}

func TestSpeechFigures(t *testing.T) {
	t.Parallel()
	tel := newTelemetry(t, Config{})
	for _, s := range []Speech{
		{Outcome: Succeeded, Format: "mp3", Language: "hi", Engine: "remote/east", Characters: 12, Streamed: true, FirstAudio: 12 * time.Millisecond, Audio: 1500 * time.Millisecond},
		{Outcome: Succeeded, Format: "mp3", Language: "hi", Engine: "remote/east", Characters: 8, Streamed: true, Cached: true, FirstAudio: time.Millisecond, Audio: time.Second},
		{Outcome: Succeeded, Format: "wav", Language: "en", Characters: 5, FirstAudio: time.Second, Audio: time.Second},
		{Outcome: "cancelled", Format: "mp3", Language: "en", Characters: 100, Streamed: true, FirstAudio: time.Minute, Audio: time.Second},
		{Outcome: "quota_exceeded"},
	} {
		tel.EndSpeech(tel.BeginSpeech(t.Context()), s)
	}
	expect(t, scrape(t, tel), map[string]string{
		`vaak_speech_requests_total{outcome="ok"}`:                          "3",
		`vaak_speech_requests_total{outcome="cancelled"}`:                   "1",
		`vaak_speech_requests_total{outcome="quota_exceeded"}`:              "1",
		`vaak_speech_characters_total{language="hi"}`:                       "20",
		`vaak_speech_characters_total{language="en"}`:                       "5",
		`vaak_speech_audio_seconds_total{language="hi"}`:                    "2.5",
		`vaak_speech_answers_total{engine="remote/east"}`:                   "1",
		`vaak_speech_answer_audio_seconds_total{engine="remote/east"}`:      "1.5",
		`vaak_speech_first_audio_seconds_count{format="mp3"}`:               "2",
		`vaak_speech_first_audio_seconds_bucket{format="mp3",le="0.015"}`:   "1",
		`vaak_speech_first_audio_seconds_count{format="wav"}`:               "",
		`vaak_speech_characters_total{language=""}`:                         "",
		`vaak_speech_first_audio_seconds_bucket{format="mp3",le="+Inf"}`:    "2",
		`vaak_speech_first_audio_seconds_bucket{format="",le="+Inf"}`:       "",
		`vaak_speech_first_audio_seconds_bucket{format="mp3",le="10"}`:      "1",
		`vaak_speech_first_audio_seconds_bucket{format="mp3",le="0.0025"}`:  "0",
		`vaak_speech_first_audio_seconds_bucket{format="mp3",le="0.00251"}`: "",
	})
}

// everything returns telemetry with every family that there is.
func everything(t testing.TB) *Telemetry {
	tel := newTelemetry(t, Config{Traces: Traces{Endpoint: "http://127.0.0.1:1"}})
	t.Cleanup(func() { _ = tel.Close(context.Background()) }) // nobody takes traces there
	tel.Readiness(Check{Name: "store", Run: func(context.Context) error { return nil }})
	tel.Watch(Sources{
		Accounts: func(context.Context) (Accounts, error) {
			return Accounts{
				HoldsOpen: 1, SlotsTaken: 5, Charged: 3, LateCharges: 8, LostCharges: 9, LostRecords: 10,
				WaitingCharges: 11, WaitingCharacters: 12, WaitingSince: time.Now().Add(-time.Hour),
				Refused: map[string]int64{"requests": 6, "streams": 7}, StoreUp: true,
			}, nil
		},
		Ledger: func(context.Context) (Ledger, error) {
			return Ledger{Lapsed: 2, Checked: time.Now().Add(-time.Hour), OK: true, WrittenOff: 4}, nil
		},
		Jobs: func(context.Context) (Jobs, error) {
			return Jobs{ByState: map[string]int{"available": 2, "running": 1}, Oldest: 90 * time.Second}, nil
		},
		Cache:  func(context.Context) (Cache, error) { return Cache{Bytes: 4096, Hits: 2, Misses: 3}, nil },
		Engine: func(context.Context) (Engine, error) { return Engine{Crashes: 2, LeftOut: 1}, nil },
		Pools: func(context.Context) ([]Pool, error) {
			return []Pool{
				{Name: "gpu", Found: true, Retries: 1, Resumed: 2, Replaced: 3, Members: []PoolMember{
					{Address: "http://10.0.0.5:8000", State: "up", Share: 1, Streams: 4, Outstanding: 1500 * time.Millisecond, P50: 80 * time.Millisecond,
						P99: 250 * time.Millisecond, Audio: time.Minute, Outcomes: map[string]int64{"ok": 20, "cancelled": 2}},
					{Address: "http://10.0.0.6:8000", State: "ejected", Ejections: 3, Outcomes: map[string]int64{"ok": 5, "late": 6}},
				}},
				{Name: "lost"},
			}, nil
		},
		Answers: func(context.Context) (Answers, error) { return Answers{Memory: 1, Disk: 2}, nil },
		Webhooks: func(context.Context) (Webhooks, error) {
			return Webhooks{Attempts: map[string]int64{"delivered": 7, "retried": 3}, Waiting: 2, Oldest: 90 * time.Second, Disabled: 1}, nil
		},
		Certificates: func(context.Context) (Certificates, error) {
			return Certificates{Ends: map[string]time.Time{"file": time.Unix(1893456000, 0)}, Failures: 2}, nil
		},
		Connections: func(context.Context) (Connections, error) {
			return Connections{Open: 3, Refused: map[string]int64{"address": 4}, FailedHandshakes: 5}, nil
		},
	})
	return tel
}

func TestSources(t *testing.T) {
	t.Parallel()
	got := scrape(t, everything(t))
	expect(t, got, map[string]string{
		`vaak_holds_open`: "1", `vaak_holds_lapsed`: "2", `vaak_characters_charged_total`: "3",
		`vaak_written_off_characters_total`: "4", `vaak_ledger_invariant_ok`: "1", `vaak_slots_taken`: "5",
		`vaak_rate_limited_total{reason="requests"}`: "6", `vaak_rate_limited_total{reason="streams"}`: "7",
		`vaak_charges_late_total`: "8", `vaak_charges_lost_total`: "9", `vaak_request_records_lost_total`: "10",
		`vaak_charges_waiting`: "11", `vaak_charges_waiting_characters`: "12",
		`vaak_store_up`: "1", `vaak_limits_local`: "0",
		`vaak_jobs{state="available"}`: "2", `vaak_jobs{state="running"}`: "1", `vaak_job_oldest_age_seconds`: "90",
		`vaak_cache_bytes`: "4096", `vaak_cache_hits_total`: "2", `vaak_cache_misses_total`: "3",
		`vaak_engine_crashes_total`: "2", `vaak_engine_left_out_total`: "1",
		`vaak_check_ok{check="store"}`: "1", `vaak_source_ok{source="account"}`: "1",
		`vaak_pool_members{pool="gpu",state="up"}`: "1", `vaak_pool_members{pool="gpu",state="ejected"}`: "1",
		`vaak_pool_members{pool="gpu",state="trial"}`: "0", `vaak_pool_members{pool="lost",state="up"}`: "0",
		`vaak_pool_found{pool="gpu"}`: "1", `vaak_pool_found{pool="lost"}`: "0",
		`vaak_pool_share{member="http://10.0.0.5:8000",pool="gpu"}`: "1", `vaak_pool_streams{member="http://10.0.0.5:8000",pool="gpu"}`: "4",
		`vaak_pool_outstanding_seconds{member="http://10.0.0.5:8000",pool="gpu"}`:                "1.5",
		`vaak_pool_first_audio_seconds{member="http://10.0.0.5:8000",pool="gpu",quantile="0.5"}`: "0.08",
		`vaak_pool_first_audio_seconds{member="http://10.0.0.6:8000",pool="gpu",quantile="0.5"}`: "",
		`vaak_pool_requests_total{member="http://10.0.0.6:8000",outcome="late",pool="gpu"}`:      "6",
		`vaak_pool_ejections_total{member="http://10.0.0.6:8000",pool="gpu"}`:                    "3",
		`vaak_pool_audio_seconds_total{member="http://10.0.0.5:8000",pool="gpu"}`:                "60",
		`vaak_pool_retries_total{pool="gpu"}`:                                                    "1", `vaak_pool_resumed_total{pool="gpu"}`: "2", `vaak_pool_replaced_total{pool="gpu"}`: "3",
	})
	if age, err := strconv.ParseFloat(got["vaak_ledger_check_age_seconds"], 64); err != nil || age < 3600 || age > 3700 {
		t.Errorf("vaak_ledger_check_age_seconds = %q, want an hour", got["vaak_ledger_check_age_seconds"])
	}
}

func TestFailingSourceLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	tel := newTelemetry(t, Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	tel.Watch(Sources{
		Accounts: func(context.Context) (Accounts, error) { return Accounts{}, errors.New("the store is down") },
		Cache:    func(context.Context) (Cache, error) { return Cache{Hits: 1}, nil },
	})
	tel.Sample("odd", func(context.Context) ([]Value, error) {
		return []Value{{Family: "even"}, {Family: "odd", Labels: []string{"too many"}}}, nil
	}, Family{Name: "odd", Kind: Gauge, Help: "Odd."})
	expect(t, scrape(t, tel), map[string]string{
		`vaak_source_ok{source="account"}`: "0",
		`vaak_source_ok{source="cache"}`:   "1",
		`vaak_cache_hits_total`:            "1",
		`vaak_holds_open`:                  "",
		`vaak_odd`:                         "",
	})
	for _, want := range []string{"the store is down", `declares no family \"even\"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q: %s", want, &log)
		}
	}
}

func TestBooksThatWereNeverChecked(t *testing.T) {
	t.Parallel()
	tel := newTelemetry(t, Config{})
	tel.Watch(Sources{Ledger: func(context.Context) (Ledger, error) { return Ledger{}, nil }})
	expect(t, scrape(t, tel), map[string]string{
		"vaak_holds_lapsed": "", "vaak_ledger_invariant_ok": "", "vaak_ledger_check_age_seconds": "", "vaak_written_off_characters_total": "",
	})
}

func TestFamilyTwice(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("declaring a family twice does not panic")
		}
	}()
	newTelemetry(t, Config{}).Counter("http_requests_total", "Again.")
}

var (
	familyName = regexp.MustCompile(`^vaak_[a-z]+(_[a-z]+)*$`)
	tableRow   = regexp.MustCompile("(?m)^\\| `(vaak_[a-z_]+)` \\| (\\w+) \\| ([^|]*) \\|")
)

// TestNames holds families to the habits of Prometheus.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, f := range everything(t).Families() {
		if !familyName.MatchString(f.Name) {
			t.Errorf("family %q is not named in lower case with prefix vaak_", f.Name)
		}
		if total := strings.HasSuffix(f.Name, "_total"); total != (f.Kind == Counter) {
			t.Errorf("family %s is a %s: exactly counters end in _total", f.Name, f.Kind)
		}
		if !strings.HasSuffix(f.Help, ".") {
			t.Errorf("help of %s is no sentence: %q", f.Name, f.Help)
		}
	}
}

// TestDocument checks that docs/metrics.md lists exactly what there is.
func TestDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, m := range tableRow.FindAllStringSubmatch(string(text), -1) {
		if listed[m[1]] != "" {
			t.Errorf("docs/metrics.md lists %s twice", m[1])
		}
		listed[m[1]] = m[2] + " " + m[3]
	}
	there := map[string]string{}
	for _, f := range everything(t).Families() {
		labels := make([]string, len(f.Labels))
		for i, l := range f.Labels {
			labels[i] = "`" + l + "`"
		}
		there[f.Name] = string(f.Kind) + " " + strings.Join(labels, ", ")
	}
	if diff := cmp.Diff(there, listed); diff != "" {
		t.Errorf("docs/metrics.md differs from the families (- there, + listed):\n%s", diff)
	}
}

// BenchmarkHTTP measures what counting one request costs.
func BenchmarkHTTP(b *testing.B) {
	tel := newTelemetry(b, Config{})
	r := httptest.NewRequest("POST", "/v1/audio/speech", nil)
	a := Answer{Method: "POST", Route: "/v1/audio/speech", Status: 200, Took: time.Millisecond}
	b.ReportAllocs()
	for b.Loop() {
		ctx, _ := tel.Begin(b.Context(), r)
		tel.End(ctx, a)
	}
}

func TestCountingAllocatesNothing(t *testing.T) {
	tel := newTelemetry(t, Config{})
	r := httptest.NewRequest("POST", "/v1/audio/speech", nil)
	ctx := t.Context()
	n := testing.AllocsPerRun(100, func() {
		ctx, _ := tel.Begin(ctx, r)
		tel.End(ctx, Answer{Method: "POST", Route: "/v1/audio/speech", Status: 200})
	})
	if n != 0 {
		t.Errorf("Begin and End allocate %v times, want 0", n)
	}
}

func TestCountingSpeechAllocatesNothing(t *testing.T) {
	tel := newTelemetry(t, Config{})
	s := Speech{Outcome: Succeeded, Format: "mp3", Language: "hi", Characters: 12, Streamed: true, FirstAudio: time.Millisecond, Audio: time.Second}
	ctx := t.Context()
	n := testing.AllocsPerRun(100, func() { tel.EndSpeech(tel.BeginSpeech(ctx), s) })
	if n != 0 {
		t.Errorf("BeginSpeech and EndSpeech allocate %v times, want 0", n)
	}
}
