package telemetry

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
)

// Answer describes an HTTP request that was answered.
type Answer struct {
	Method    string
	Route     string // the pattern that matched; "" if none did
	Status    int
	Code      string // stable code of the error; "" is success
	Took      time.Duration
	RequestID string
	OrgID     string // "" if no key was checked
	KeyID     string
}

// Other replaces unknown values of a label, also in the log.
const Other = "other"

// httpFigures are the metrics of requests. They are cached under a key made of a request's
// values rather than looked up by label names, so that counting allocates nothing.
type httpFigures struct {
	inFlight prometheus.Gauge
	requests CounterVec
	seconds  HistogramVec

	mu     *sync.RWMutex
	counts map[httpKey]prometheus.Counter
	times  map[string]prometheus.Observer // by route
}

// httpKey distinguishes requests that are counted separately.
type httpKey struct {
	route, method string
	status        int
	code          string
}

func newHTTPFigures(t *Telemetry) httpFigures {
	f := t.declare(Family{Name: "http_requests_in_flight", Kind: Gauge, Help: "Requests that are being answered now."})
	inFlight := prometheus.NewGauge(prometheus.GaugeOpts{Name: f.Name, Help: f.Help})
	t.registry.MustRegister(inFlight)
	return httpFigures{
		inFlight: inFlight,
		requests: t.Counter("http_requests_total",
			"Requests that were answered, by route, method, status and code of the error (empty on success).",
			"route", "method", "status", "code"),
		seconds: t.Histogram("http_request_seconds",
			"Time from a request's headers to the last byte of its answer, streams included.",
			[]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}, "route"),
		mu:     new(sync.RWMutex),
		counts: map[httpKey]prometheus.Counter{},
		times:  map[string]prometheus.Observer{},
	}
}

// Begin records that a request arrived; it must be called before anything else handles it. If
// traces are on it begins a span, as part of the caller's trace if the request names one, and
// returns the context with the span and the trace id. Otherwise it returns ctx and "".
// [Telemetry.End] must be called with the returned context.
func (t *Telemetry) Begin(ctx context.Context, r *http.Request) (_ context.Context, traceID string) {
	t.http.inFlight.Inc()
	if t.tracer == nil {
		return ctx, ""
	}
	return t.beginServer(ctx, r)
}

// End records how a request was answered; ctx must come from Begin.
func (t *Telemetry) End(ctx context.Context, a Answer) {
	t.http.inFlight.Dec()
	a.Method = KnownMethod(a.Method)
	if t.tracer != nil {
		endServer(ctx, a)
	}
	count, took := t.http.figures(a)
	count.Inc()
	took.Observe(a.Took.Seconds())
}

// figures returns the metrics in which an answer is counted.
func (h *httpFigures) figures(a Answer) (prometheus.Counter, prometheus.Observer) {
	key := httpKey{a.Route, a.Method, a.Status, a.Code}
	// Every value of the key is one of few, so that the maps stay small: patterns of routes, known
	// methods, and codes and statuses of the program.
	if key.route == "" {
		key.route = Other
	}
	h.mu.RLock()
	count, took := h.counts[key], h.times[key.route]
	h.mu.RUnlock()
	if count != nil {
		return count, took
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	// Another goroutine may have done this meanwhile. The library then returns the same counter.
	count = h.requests.vec.WithLabelValues(key.route, key.method, strconv.Itoa(key.status), key.code)
	took = h.seconds.vec.WithLabelValues(key.route)
	h.counts[key], h.times[key.route] = count, took
	return count, took
}

// KnownMethod returns a method of HTTP unchanged, and "other" for any other word: a caller may send
// anything.
func KnownMethod(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return m
	}
	return Other
}

// attributes returns the attributes of an answer's span.
func (a Answer) attributes() []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		attribute.Int("http.response.status_code", a.Status),
		attribute.String("vaak.request_id", a.RequestID),
	}
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, attribute.String(key, value))
		}
	}
	add("http.route", a.Route)
	add("vaak.org_id", a.OrgID)
	add("vaak.key_id", a.KeyID)
	add("error.type", a.Code)
	return attrs
}
