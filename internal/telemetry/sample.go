package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Value is the current value of a metric.
type Value struct {
	Family string // the name of its family, without the prefix
	Value  float64
	Labels []string // values of the family's labels, in order
}

// readTimeout is how long one source may take when metrics are collected.
const readTimeout = 2 * time.Second

// source is a function that reads metrics, with the families they belong to.
type source struct {
	name  string
	read  func(context.Context) ([]Value, error)
	descs map[string]*prometheus.Desc
	kinds map[string]prometheus.ValueType
}

// sources reads metrics that are computed when somebody collects them. All sources are one
// Prometheus collector, because they share the family that tells which of them could be read.
type sources struct {
	log *slog.Logger
	ok  *prometheus.Desc

	mu  sync.Mutex
	all []*source
}

func newSources(t *Telemetry) *sources {
	f := t.declare(Family{Name: "source_ok", Kind: Gauge, Labels: []string{"source"},
		Help: "1 if the figures of this part of the server could be read just now, 0 if they are missing here."})
	s := &sources{log: t.log, ok: prometheus.NewDesc(f.Name, f.Help, f.Labels, nil)}
	t.registry.MustRegister(s)
	return s
}

// Sample declares families of counters or gauges that are read each time metrics are collected.
// read has 2 s, may be called concurrently, and must return when its context ends. If it fails,
// its families are missing from the answer and vaak_source_ok for its name is 0. Sample panics
// if the name of a family is taken.
func (t *Telemetry) Sample(name string, read func(context.Context) ([]Value, error), families ...Family) {
	s := &source{name: name, read: read, descs: map[string]*prometheus.Desc{}, kinds: map[string]prometheus.ValueType{}}
	for _, f := range families {
		s.descs[f.Name] = prometheus.NewDesc(t.declare(f).Name, f.Help, f.Labels, nil)
		s.kinds[f.Name] = prometheus.GaugeValue
		if f.Kind == Counter {
			s.kinds[f.Name] = prometheus.CounterValue
		}
	}
	t.sources.mu.Lock()
	defer t.sources.mu.Unlock()
	t.sources.all = append(t.sources.all, s)
}

// Describe implements [prometheus.Collector]. It describes nothing, because sources are added
// later; the registry then checks the collected metrics instead.
func (s *sources) Describe(chan<- *prometheus.Desc) {}

// Collect reads all sources concurrently.
func (s *sources) Collect(out chan<- prometheus.Metric) {
	s.mu.Lock()
	// Not held while sources are read, because that may take 2 s. The capacity is cut, so that a
	// later append copies the list.
	all := s.all[:len(s.all):len(s.all)]
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, src := range all {
		wg.Go(func() { s.collect(src, out) })
	}
	wg.Wait()
}

func (s *sources) collect(src *source, out chan<- prometheus.Metric) {
	// Prometheus gives a collector no context.
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	values, err := src.read(ctx)
	if err != nil {
		s.log.Warn("figures cannot be read", "source", src.name, "error", err)
		out <- prometheus.MustNewConstMetric(s.ok, prometheus.GaugeValue, 0, src.name)
		return
	}
	for _, v := range values {
		out <- src.metric(v)
	}
	out <- prometheus.MustNewConstMetric(s.ok, prometheus.GaugeValue, 1, src.name)
}

// metric converts a value for Prometheus. A value that does not fit its declaration is a bug:
// it is logged, and the other metrics are still served.
func (src *source) metric(v Value) prometheus.Metric {
	desc, ok := src.descs[v.Family]
	if !ok {
		err := fmt.Errorf("source %s declares no family %q", src.name, v.Family)
		return prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
	}
	m, err := prometheus.NewConstMetric(desc, src.kinds[v.Family], v.Value, v.Labels...)
	if err != nil {
		return prometheus.NewInvalidMetric(desc, err)
	}
	return m
}
