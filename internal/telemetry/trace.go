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

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Traces says where traces are sent.
type Traces struct {
	// Endpoint takes OTLP over HTTP, such as "http://127.0.0.1:4318"; an
	// address without a path gets the usual /v1/traces. "" makes no traces.
	// [FromEnvironment] asks the variables of OpenTelemetry for the address.
	// Credentials come from OTEL_EXPORTER_OTLP_HEADERS in either case.
	Endpoint string
	// Ratio is the share of traces that are kept, 0 to 1, of those that begin
	// here. One that began at the caller is kept if the caller keeps it.
	Ratio float64
}

// FromEnvironment as an endpoint leaves it to OTEL_EXPORTER_OTLP_ENDPOINT and
// its kin, or to http://localhost:4318 when they are not set.
const FromEnvironment = "env"

// Check refuses what cannot be understood.
func (c Traces) Check() error {
	if !(c.Ratio >= 0 && c.Ratio <= 1) {
		return fmt.Errorf("share of traces %v is outside 0 to 1", c.Ratio)
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

// options returns what the exporter needs to find its collector.
func (c Traces) options() []otlptracehttp.Option {
	if c.Endpoint == FromEnvironment {
		return nil
	}
	address := strings.TrimRight(c.Endpoint, "/")
	if u, err := url.Parse(address); err == nil && u.Path == "" {
		address = u.JoinPath("v1/traces").String()
	}
	return []otlptracehttp.Option{otlptracehttp.WithEndpointURL(address)}
}

// startTraces begins to make and send spans, if there is somebody to take them.
func (t *Telemetry) startTraces(c Config) error {
	if err := c.Traces.Check(); err != nil {
		return err
	}
	if c.Traces.Endpoint == "" {
		return nil
	}
	failures := t.Counter("trace_export_failures_total", "Batches of spans that the collector of traces did not take; they are lost.")
	failures.Add(0) // so that the figure is there before the first failure
	exporter, err := otlptracehttp.New(context.Background(), c.Traces.options()...)
	if err != nil {
		return err
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(&tellingExporter{SpanExporter: exporter, log: t.log, failures: failures}),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(c.Traces.Ratio))),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "vaak"),
			attribute.String("service.version", c.Version))))
	t.tracer, t.flush = provider.Tracer("vaak"), provider.Shutdown
	return nil
}

// tellPause is how long nothing is logged about a collector that does not
// answer, after it was.
const tellPause = time.Minute

// tellingExporter logs and counts what its exporter could not send. The library
// would print it on standard error by itself.
type tellingExporter struct {
	sdktrace.SpanExporter
	log      *slog.Logger
	failures CounterVec

	mu   sync.Mutex
	told time.Time
}

// ExportSpans sends spans. Its error has been told already.
func (e *tellingExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	e.failures.Add(1)
	e.mu.Lock()
	defer e.mu.Unlock()
	if now := time.Now(); now.Sub(e.told) >= tellPause {
		e.told = now
		e.log.Warn("traces are not taken", "spans", len(spans), "error", err)
	}
	return nil
}

// beginServer begins the span of a request. Of the caller's trace it takes the ids: what
// else the caller says of it (tracestate) is text of theirs.
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

// endSpeech ends the span of a text that was spoken. What happened on the way
// is known only now, and is put where it happened.
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

// Inject makes the trace of ctx known to the server that a request is sent to.
// It does nothing without one.
func (t *Telemetry) Inject(ctx context.Context, h http.Header) {
	t.propagator.Inject(ctx, propagation.HeaderCarrier(h))
}
