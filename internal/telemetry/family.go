package telemetry

import (
	"cmp"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// prefix begins the name of every family of ours.
const prefix = "vaak_"

// Kind says what sort of figure a family holds.
type Kind string

// The kinds.
const (
	Counter   Kind = "counter"   // only grows, until the process ends
	Gauge     Kind = "gauge"     // goes up and down
	Histogram Kind = "histogram" // how often values fell into each bucket
)

// Family is a set of figures that differ in their labels only.
type Family struct {
	Name   string   // in base units, such as "speech_audio_seconds_total"; the prefix vaak_ is added
	Help   string   // one sentence for a person
	Kind   Kind     // what the figures are
	Labels []string // names of the labels; their values must be few and known beforehand
}

// declare notes a family and returns it under its whole name. Two families of
// one name are a defect of the program: it panics.
func (t *Telemetry) declare(f Family) Family {
	f.Name = prefix + f.Name
	t.mu.Lock()
	defer t.mu.Unlock()
	i, found := slices.BinarySearchFunc(t.families, f, func(a, b Family) int { return cmp.Compare(a.Name, b.Name) })
	if found {
		panic("telemetry: family " + f.Name + " is declared twice")
	}
	t.families = slices.Insert(t.families, i, f)
	return f
}

// CounterVec is a family of counters.
type CounterVec struct{ vec *prometheus.CounterVec }

// Counter declares a family of counters. It panics when the name is taken.
func (t *Telemetry) Counter(name, help string, labels ...string) CounterVec {
	f := t.declare(Family{Name: name, Help: help, Kind: Counter, Labels: labels})
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: f.Name, Help: help}, labels)
	t.registry.MustRegister(vec)
	return CounterVec{vec}
}

// Add adds n, which must not be negative, to the counter with these values of
// the labels. It panics when their number is not that of the labels.
func (c CounterVec) Add(n float64, values ...string) { c.vec.WithLabelValues(values...).Add(n) }

// HistogramVec is a family of histograms.
type HistogramVec struct{ vec *prometheus.HistogramVec }

// Histogram declares a family of histograms with these upper bounds of buckets,
// in ascending order. It panics when the name is taken.
func (t *Telemetry) Histogram(name, help string, bounds []float64, labels ...string) HistogramVec {
	f := t.declare(Family{Name: name, Help: help, Kind: Histogram, Labels: labels})
	vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: f.Name, Help: help, Buckets: bounds}, labels)
	t.registry.MustRegister(vec)
	return HistogramVec{vec}
}

// Observe counts a value in the histogram with these values of the labels. It
// panics when their number is not that of the labels.
func (h HistogramVec) Observe(v float64, values ...string) {
	h.vec.WithLabelValues(values...).Observe(v)
}
