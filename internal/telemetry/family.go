package telemetry

import (
	"cmp"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// prefix begins the name of every family of the product.
const prefix = "vaak_"

// Kind is the kind of a metric.
type Kind string

// The kinds.
const (
	Counter   Kind = "counter"   // only grows while the process runs
	Gauge     Kind = "gauge"     // goes up and down
	Histogram Kind = "histogram" // counts how many values fell into each bucket
)

// Family is a set of metrics that differ only in their labels.
type Family struct {
	Name   string   // in base units, such as "speech_audio_seconds_total", without the prefix vaak_
	Help   string   // one sentence for a person
	Kind   Kind     // what the figures are
	Labels []string // label names; their values must be few and known beforehand
}

// declare registers a family and returns it with its full name. It panics if the name is taken,
// which is a bug.
func (t *Telemetry) declare(f Family) Family {
	f.Name = prefix + f.Name
	t.mu.Lock()
	defer t.mu.Unlock()
	// The list is kept in the order of names.
	i, found := slices.BinarySearchFunc(t.families, f, func(a, b Family) int { return cmp.Compare(a.Name, b.Name) })
	if found {
		panic("telemetry: family " + f.Name + " is declared twice")
	}
	t.families = slices.Insert(t.families, i, f)
	return f
}

// CounterVec is a family of counters.
type CounterVec struct{ vec *prometheus.CounterVec }

// Counter declares a family of counters. It panics if the name is taken.
func (t *Telemetry) Counter(name, help string, labels ...string) CounterVec {
	f := t.declare(Family{Name: name, Help: help, Kind: Counter, Labels: labels})
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: f.Name, Help: help}, labels)
	t.registry.MustRegister(vec)
	return CounterVec{vec}
}

// Add adds n, which must not be negative, to the counter with the given label values. It panics
// if their number is wrong.
func (c CounterVec) Add(n float64, values ...string) { c.vec.WithLabelValues(values...).Add(n) }

// HistogramVec is a family of histograms.
type HistogramVec struct{ vec *prometheus.HistogramVec }

// Histogram declares a family of histograms with the given upper bounds of buckets, ascending.
// It panics if the name is taken.
func (t *Telemetry) Histogram(name, help string, bounds []float64, labels ...string) HistogramVec {
	f := t.declare(Family{Name: name, Help: help, Kind: Histogram, Labels: labels})
	vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: f.Name, Help: help, Buckets: bounds}, labels)
	t.registry.MustRegister(vec)
	return HistogramVec{vec}
}

// Observe adds a value to the histogram with the given label values. It panics if their number
// is wrong.
func (h HistogramVec) Observe(v float64, values ...string) {
	h.vec.WithLabelValues(values...).Observe(v)
}
