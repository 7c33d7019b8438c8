package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/internal/telemetry"
)

type watchKey struct{}

// watcher is an observer that remembers.
type watcher struct {
	trace   string
	answers []telemetry.Answer
	same    bool // End got the context that Begin returned
}

func (o *watcher) Begin(ctx context.Context, _ *http.Request) (context.Context, string) {
	if o.trace == "" {
		return ctx, ""
	}
	return context.WithValue(ctx, watchKey{}, o), o.trace
}

func (o *watcher) End(ctx context.Context, a telemetry.Answer) {
	o.same = o.trace == "" || ctx.Value(watchKey{}) == o
	o.answers = append(o.answers, a)
}

func TestObserve(t *testing.T) {
	caller := account.Caller{OrgID: "org_1", KeyID: "key_1"}
	for _, tt := range []struct {
		name string
		h    func(http.ResponseWriter, *http.Request)
		want telemetry.Answer
	}{
		{"success", func(_ http.ResponseWriter, r *http.Request) {
			x := From(r.Context())
			x.Route, x.Caller = "/v1/thing/{id}", caller
		}, telemetry.Answer{Method: "PUT", Route: "/v1/thing/{id}", Status: 200, RequestID: "r1", OrgID: "org_1", KeyID: "key_1"}},
		{"refusal", func(w http.ResponseWriter, r *http.Request) {
			plainly(w, r, fault.New(fault.NotFound, fault.CodeNotFound, "", "nothing there"))
		}, telemetry.Answer{Method: "PUT", Status: 418, Code: "not_found", RequestID: "r1"}},
		{"panic", func(http.ResponseWriter, *http.Request) { panic("oh") },
			telemetry.Answer{Method: "PUT", Status: 418, Code: "internal_error", RequestID: "r1"}},
		{"broken off", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "half")
			panic("oh")
		}, telemetry.Answer{Method: "PUT", Status: 200, Code: "internal_error", RequestID: "r1"}},
	} {
		for _, trace := range []string{"", "0af7651916cd43dd8448eb211c80319c"} {
			t.Run(tt.name+" trace "+trace, func(t *testing.T) {
				t.Parallel()
				o := &watcher{trace: trace}
				var log bytes.Buffer
				var inside bool
				h := Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					inside = r.Context().Value(watchKey{}) == o
					tt.h(w, r)
				}), Identify, Access(slog.New(slog.NewJSONHandler(&log, nil)), 0), Observe(o), Recover(plainly))
				r := httptest.NewRequest("PUT", "/v1/thing/7?key=sk_live_x", nil)
				r.Header.Set("X-Request-Id", "r1")
				func() {
					defer func() { _ = recover() }() // a connection that is broken off
					h.ServeHTTP(httptest.NewRecorder(), r)
				}()
				if diff := cmp.Diff([]telemetry.Answer{tt.want}, o.answers, cmpopts.IgnoreFields(telemetry.Answer{}, "Took")); diff != "" {
					t.Errorf("the observer was told (-want +got):\n%s", diff)
				}
				if !o.same || inside != (trace != "") {
					t.Errorf("context of Begin: inside %v, at the end %v", inside, o.same)
				}
				var line struct {
					TraceID string `json:"trace_id"`
				}
				if err := json.Unmarshal(log.Bytes(), &line); err != nil || line.TraceID != trace {
					t.Errorf("log line has trace_id %q, %v; want %q", line.TraceID, err, trace)
				}
			})
		}
	}
}

// BenchmarkObserve measures what an observer adds to a request.
func BenchmarkObserve(b *testing.B) {
	tel, err := telemetry.New(telemetry.Config{})
	if err != nil {
		b.Fatal(err)
	}
	for _, bb := range []struct {
		name string
		o    Observer
	}{{"none", nil}, {"figures", tel}} {
		b.Run(bb.name, func(b *testing.B) {
			h := Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				From(r.Context()).Route = "/v1/thing"
				w.WriteHeader(http.StatusNoContent)
			}), Identify, Access(slog.New(slog.DiscardHandler), 0), Observe(bb.o))
			r := httptest.NewRequest("GET", "/v1/thing", nil)
			w := httptest.NewRecorder()
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(w, r)
			}
		})
	}
}
