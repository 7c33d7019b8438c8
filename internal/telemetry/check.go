package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"vaak/internal/pause"
)

// Check is a condition that must hold for a server to get requests.
type Check struct {
	Name string // a short word, such as "store"
	// Run checks the condition, within 1 s. Its error is shown to operators only. It must return
	// when its context ends.
	Run func(context.Context) error
	// Keep is how long a success is remembered, so that frequent queries cost little; 0 is 1 s, a
	// negative value remembers nothing. A failure is remembered for at most 1 s.
	Keep time.Duration
}

// Limits of checks.
const (
	checkTimeout = time.Second
	keepChecked  = time.Second
)

// Readiness tells whether a server should get requests. It is safe for concurrent use.
type Readiness struct {
	log    *slog.Logger
	checks []*cachedCheck
}

// Finding is the result of one check.
type Finding struct {
	Name  string  `json:"name"`
	OK    bool    `json:"ok"`
	Error string  `json:"error,omitempty"`
	Took  float64 `json:"took_ms"`
}

// cachedCheck is a check with its latest result.
type cachedCheck struct {
	Check

	mu         sync.Mutex
	latest     Finding
	validUntil time.Time     // when it is no longer good
	running    chan struct{} // closed when the current run ends; nil if there is none
}

// Readiness returns a Readiness with these checks, and adds their results to the metrics. It may be
// called only once.
func (t *Telemetry) Readiness(checks ...Check) *Readiness {
	r := &Readiness{log: t.log}
	for _, c := range checks {
		if c.Keep == 0 {
			c.Keep = keepChecked
		}
		// OK to begin with, so that a first failure is logged as a change.
		r.checks = append(r.checks, &cachedCheck{Check: c, latest: Finding{Name: c.Name, OK: true}})
	}
	t.Sample("readiness", func(ctx context.Context) ([]Value, error) {
		var vs []Value
		for _, f := range r.Findings(ctx) {
			vs = append(vs, Value{Family: "check_ok", Value: boolValue(f.OK), Labels: []string{f.Name}})
		}
		return vs, nil
	}, Family{Name: "check_ok", Kind: Gauge, Labels: []string{"check"},
		Help: "1 if this check of /readyz passes, else 0. The server gets requests only while all pass."})
	return r
}

// Findings returns the result of every check, in order. Results that are too old are renewed,
// all at the same time.
func (r *Readiness) Findings(ctx context.Context) []Finding {
	found := make([]Finding, len(r.checks))
	var wg sync.WaitGroup
	for i, c := range r.checks {
		wg.Go(func() { found[i] = c.finding(ctx, r.log) })
	}
	wg.Wait()
	return found
}

// ServeHTTP answers 200 if every check passes, else 503, with the results in JSON.
func (r *Readiness) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	answer := struct {
		Ready  bool      `json:"ready"`
		Checks []Finding `json:"checks"`
	}{Ready: true, Checks: r.Findings(req.Context())}
	for _, f := range answer.Checks {
		answer.Ready = answer.Ready && f.OK
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	if !answer.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(answer) // a prober that left needs no answer
}

// finding returns the latest result if it is recent enough, or waits for a new one. Concurrent
// calls wait for the same run.
func (c *cachedCheck) finding(ctx context.Context, log *slog.Logger) Finding {
	c.mu.Lock()
	if time.Now().Before(c.validUntil) {
		defer c.mu.Unlock()
		return c.latest
	}
	if c.running == nil {
		c.running = make(chan struct{})
		// The run serves all callers, so it must not end with the first caller's request.
		go c.run(context.WithoutCancel(ctx), log, c.running)
	}
	running := c.running
	c.mu.Unlock()

	patient, cancel := pause.Within(ctx, checkTimeout)
	defer cancel()
	select {
	case <-running:
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.latest
	case <-patient.Done():
		if ctx.Err() != nil {
			return Finding{Name: c.Name, Error: ctx.Err().Error()}
		}
		return Finding{Name: c.Name, Error: errNoResult.Error(), Took: milliseconds(checkTimeout)}
	}
}

var errNoResult = fmt.Errorf("no result within %v", checkTimeout)

// run runs the check once and stores the result.
func (c *cachedCheck) run(ctx context.Context, log *slog.Logger, over chan struct{}) {
	ctx, cancel := pause.Within(ctx, checkTimeout)
	defer cancel()
	began := time.Now()
	err := c.Run(ctx)
	if err != nil && ctx.Err() != nil { // that of the context says less
		err = errNoResult
	}
	f := Finding{Name: c.Name, OK: err == nil, Took: milliseconds(time.Since(began))}
	if err != nil {
		f.Error = err.Error()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.latest.OK && !f.OK:
		log.Warn("not ready", "check", c.Name, "error", err)
	case !c.latest.OK && f.OK:
		log.Info("ready again", "check", c.Name)
	}
	keep := c.Keep
	if !f.OK {
		keep = min(keep, keepChecked)
	}
	// Before over is closed, so that those who wait read this result.
	c.latest, c.validUntil, c.running = f, time.Now().Add(keep), nil
	close(over)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
