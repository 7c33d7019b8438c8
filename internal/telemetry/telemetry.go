// Package telemetry tells operators how the server is doing, with metrics for Prometheus,
// traces for OpenTelemetry, and the readiness of the server.
//
// Metrics come in two ways. Events are counted when they happen: the middleware of package edge
// reports each request to [Telemetry.Begin] and [Telemetry.End], and calls of the speech
// service are reported to [Telemetry.BeginSpeech] and [Telemetry.EndSpeech]. The state of
// services is read when metrics are collected, from the functions given to [Telemetry.Watch],
// so the services need not know this package. Other metrics are made with [Telemetry.Counter],
// [Telemetry.Histogram] and [Telemetry.Sample].
//
// No label holds a value that callers can choose freely, such as a path, an organisation, a key
// or a text. So the number of time series is bounded.
package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Config configures a Telemetry.
type Config struct {
	Version string       // of the program, for build_info and traces; "" is "dev"
	Traces  Traces       // where to send traces; the zero value makes none
	Logger  *slog.Logger // receives failures to read metrics or to send traces; nil discards them
}

// Telemetry holds the metrics and makes the spans of a process. It is safe for concurrent use.
type Telemetry struct {
	log      *slog.Logger
	registry *prometheus.Registry
	http     httpFigures
	speech   speechFigures
	sources  *sources

	tracer     trace.Tracer // nil if traces are off
	propagator propagation.TraceContext
	flush      func(context.Context) error // sends the remaining spans; nil if traces are off

	mu       sync.Mutex
	families []Family
}

// New returns a Telemetry, and starts to send traces if the configuration has an endpoint;
// [Telemetry.Close] stops that. It returns an error if Traces is invalid. It does not wait for
// the trace collector to answer.
func New(c Config) (*Telemetry, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	t := &Telemetry{log: c.Logger, registry: prometheus.NewRegistry()}
	t.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	t.sources = newSources(t)
	t.Sample("build", func(context.Context) ([]Value, error) {
		return []Value{{Family: "build_info", Value: 1, Labels: []string{c.Version}}}, nil
	}, Family{Name: "build_info", Kind: Gauge, Labels: []string{"version"},
		Help: "Always 1; the label says which version of the program runs."})
	t.http = newHTTPFigures(t)
	t.speech = newSpeechFigures(t)
	if err := t.startTraces(c); err != nil {
		return nil, fmt.Errorf("start traces: %w", err)
	}
	return t, nil
}

// Close sends the remaining spans. It gives up when ctx ends.
func (t *Telemetry) Close(ctx context.Context) error {
	if t.flush == nil {
		return nil
	}
	if err := t.flush(ctx); err != nil {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}

// Limits of collecting metrics.
const (
	maxScrapes    = 4 // concurrent requests
	scrapeTimeout = 10 * time.Second
)

// Handler serves the metrics in the text format of Prometheus, including those of the Go
// runtime and of the process. A metric that cannot be read is left out and logged; the others
// are still served.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(t.log.Handler(), slog.LevelWarn),
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: maxScrapes,
		Timeout:             scrapeTimeout,
	})
}
