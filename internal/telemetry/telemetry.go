// Package telemetry tells those who run the server how it does: figures for
// Prometheus, traces for OpenTelemetry, and whether the server is ready.
//
// Figures come in by two ways. What happens is counted when it happens: the
// middleware of package edge reports each request to [Telemetry.Begin] and
// [Telemetry.End], the speech service is wrapped in [Telemetry.BeginSpeech] and
// [Telemetry.EndSpeech]. What is a state of a service is read when somebody asks,
// from the functions handed to [Telemetry.Watch], so that the services know
// nothing of this package. Figures that are no family of the product's own are
// made with [Telemetry.Counter], [Telemetry.Histogram] and [Telemetry.Sample].
//
// No label ever holds what a caller can choose freely: not a path, an
// organisation, a key or a text. So the number of series has a bound.
package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Config says what is told to whom.
type Config struct {
	Version string       // of the program, as build_info and traces tell it; "" is "dev"
	Traces  Traces       // the zero value makes none
	Logger  *slog.Logger // takes failures to read a figure or to send traces; nil discards them
}

// Telemetry holds the figures and makes the spans of one process. It is safe for
// concurrent use.
type Telemetry struct {
	log      *slog.Logger
	registry *prometheus.Registry
	http     httpFigures
	speech   speechFigures
	sources  *sources

	tracer     trace.Tracer // nil when traces are off
	propagator propagation.TraceContext
	flush      func(context.Context) error // sends the last spans; nil when traces are off

	mu       sync.Mutex
	families []Family
}

// New returns what collects the figures, and starts to send traces if the
// configuration says where to; [Telemetry.Close] stops that. It fails when
// Traces cannot be understood, and does not wait for the collector of traces to
// answer.
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

// Close sends the spans that wait, until ctx ends.
func (t *Telemetry) Close(ctx context.Context) error {
	if t.flush == nil {
		return nil
	}
	if err := t.flush(ctx); err != nil {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}

// Limits of one answer to whoever collects the figures.
const (
	maxScrapes    = 4 // at a time
	scrapeTimeout = 10 * time.Second
)

// Handler serves the figures in the text format of Prometheus, those of the Go
// runtime and of the process among them. A figure that cannot be read is left
// out of the answer and logged; the others are served.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(t.log.Handler(), slog.LevelWarn),
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: maxScrapes,
		Timeout:             scrapeTimeout,
	})
}

// Families returns every family of figures that was declared, by name. The
// names are whole, as Prometheus sees them.
func (t *Telemetry) Families() []Family {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.families)
}
