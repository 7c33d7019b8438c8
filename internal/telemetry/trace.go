package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Traces tells where to send traces.
type Traces struct {
	// Endpoint accepts OTLP over HTTP, such as "http://127.0.0.1:4318"; without a path it gets
	// the usual /v1/traces. "" makes no traces. [FromEnvironment] takes the address from the
	// environment variables of OpenTelemetry.
	Endpoint string
	// Headers are sent with the traces: name=value pairs with commas between them, percent-encoded
	// as in OTEL_EXPORTER_OTLP_HEADERS, whose headers are sent where this is "".
	Headers string
	// Ratio is the share of traces to keep, 0 to 1, among those that begin here. A trace that
	// began at the caller is kept if the caller keeps it.
	Ratio float64
}

// FromEnvironment, as an endpoint, takes the address from OTEL_EXPORTER_OTLP_ENDPOINT and
// related variables, or uses http://localhost:4318 if none is set.
const FromEnvironment = "env"

// Check returns an error if the configuration is invalid.
func (c Traces) Check() error {
	// In this form NaN is refused too.
	if !(c.Ratio >= 0 && c.Ratio <= 1) {
		return fmt.Errorf("share of traces %v is outside 0 to 1", c.Ratio)
	}
	if _, err := headers(c.Headers); err != nil {
		return err
	}
	if c.Endpoint == "" || c.Endpoint == FromEnvironment {
		return nil
	}
	u, err := url.Parse(c.Endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		// The address is not quoted: it may hold a password.
		return fmt.Errorf("address of the traces is no http or https URL, such as http://127.0.0.1:4318")
	}
	return nil
}

// options returns the options with which the exporter finds its collector.
func (c Traces) options() []otlptracehttp.Option {
	var all []otlptracehttp.Option
	if sent, err := headers(c.Headers); err == nil && len(sent) > 0 {
		all = append(all, otlptracehttp.WithHeaders(sent))
	}
	if c.Endpoint == FromEnvironment {
		return all
	}
	address := strings.TrimRight(c.Endpoint, "/")
	if u, err := url.Parse(address); err == nil && u.Path == "" {
		address = u.JoinPath("v1/traces").String()
	}
	return append(all, otlptracehttp.WithEndpointURL(address))
}

// headers reads a list of headers. Its errors have no part of it, which may be a secret.
func headers(list string) (map[string]string, error) {
	if list == "" {
		return nil, nil
	}
	all := map[string]string{}
	for i, one := range strings.Split(list, ",") {
		name, value, ok := strings.Cut(one, "=")
		name = strings.TrimSpace(name)
		text, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || name == "" || err != nil || strings.ContainsFunc(name+text, unicode.IsControl) {
			return nil, fmt.Errorf("header %d of the traces is not of the form name=value", i+1)
		}
		all[name] = text
	}
	return all, nil
}

// startTraces starts to make and send spans, if there is an endpoint.
func (t *Telemetry) startTraces(c Config) error {
	if err := c.Traces.Check(); err != nil {
		return err
	}
	if c.Traces.Endpoint == "" {
		return nil
	}
	failures := t.Counter("trace_export_failures_total", "Batches of spans that the collector of traces did not take; they are lost.")
	failures.Add(0) // so that the metric exists before the first failure
	exporter, err := otlptracehttp.New(context.Background(), c.Traces.options()...)
	if err != nil {
		return err
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(&loggingExporter{SpanExporter: exporter, log: t.log, failures: failures}),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(c.Traces.Ratio))),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "vaak"),
			attribute.String("service.version", c.Version))))
	t.tracer, t.flush = provider.Tracer("vaak"), provider.Shutdown
	return nil
}

// logPause is how long nothing more is logged about a collector that does not answer.
const logPause = time.Minute

// loggingExporter logs and counts failures of its exporter. The library would print them on
// standard error.
type loggingExporter struct {
	sdktrace.SpanExporter
	log      *slog.Logger
	failures CounterVec

	mu         sync.Mutex
	lastLogged time.Time
}

// ExportSpans sends spans. It returns nil even for a failure, because it has logged that.
func (e *loggingExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	e.failures.Add(1)
	e.mu.Lock()
	defer e.mu.Unlock()
	if now := time.Now(); now.Sub(e.lastLogged) >= logPause {
		e.lastLogged = now
		e.log.Warn("traces are not taken", "spans", len(spans), "error", err)
	}
	return nil
}

// beginServer begins the span of a request. Of the caller's trace it keeps only the ids:
// tracestate is text that the caller chooses.
func (t *Telemetry) beginServer(ctx context.Context, r *http.Request) (context.Context, string) {
	ctx = t.propagator.Extract(ctx, propagation.HeaderCarrier(r.Header))
	if of := trace.SpanContextFromContext(ctx); of.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, of.WithTraceState(trace.TraceState{}))
	}
	method := KnownMethod(r.Method)
	ctx, span := t.tracer.Start(ctx, method,
		trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("http.request.method", method)))
	return ctx, span.SpanContext().TraceID().String()
}

func endServer(ctx context.Context, a Answer) {
	span := trace.SpanFromContext(ctx)
	if span.IsRecording() {
		if a.Route != "" {
			span.SetName(a.Method + " " + a.Route)
		}
		span.SetAttributes(a.attributes()...)
		if a.Status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, a.Code)
		}
	}
	span.End()
}

// endSpeech ends the span of a call. Events on the way are known only now, so they are added
// with their own times.
func endSpeech(ctx context.Context, s Speech) {
	span := trace.SpanFromContext(ctx)
	if span.IsRecording() {
		span.SetAttributes(s.attributes()...)
		if s.Text > 0 {
			span.AddEvent("text read", trace.WithTimestamp(s.Began.Add(s.Text)))
		}
		if s.FirstAudio > 0 {
			span.AddEvent("first audio", trace.WithTimestamp(s.Began.Add(s.FirstAudio)))
		}
		if s.Failed {
			span.SetStatus(codes.Error, s.Outcome)
		}
	}
	span.End()
}
