// Package checkup runs checks of an installation, one after the other, each with a time limit.
// It reports what each check found and how to fix it.
package checkup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// State is the outcome of a check.
type State string

// The states. Only Failure makes a report a bad one.
const (
	OK      State = "ok"      // as it should be
	Warning State = "warning" // it works, but should be looked at
	Failure State = "failure" // it does not work
	Skipped State = "skipped" // unknown: something else failed, or the run was interrupted
)

// Finding is the result of a check.
type Finding struct {
	State State
	// Found is one line: what was found, or what is wrong. The functions below turn longer
	// texts into one line.
	Found string
	// Remedy is one sentence that says how to fix it; "" if there is nothing to fix.
	Remedy string
	// Figures are measurements, by names that include the unit; nil if there are none.
	Figures map[string]float64
}

// Good returns a finding of state OK.
func Good(format string, args ...any) Finding {
	return Finding{State: OK, Found: line(format, args)}
}

// Warn returns a finding of state Warning.
func Warn(remedy, format string, args ...any) Finding {
	return Finding{State: Warning, Found: line(format, args), Remedy: remedy}
}

// Fail returns a finding of state Failure.
func Fail(remedy, format string, args ...any) Finding {
	return Finding{State: Failure, Found: line(format, args), Remedy: remedy}
}

// Skip returns a finding of state Skipped.
func Skip(format string, args ...any) Finding {
	return Finding{State: Skipped, Found: line(format, args)}
}

// line joins the lines of a text into one, and drops repeated lines: errors of libraries and
// the standard error of programs often have several lines, some of them twice, once behind a
// prefix.
func line(format string, args []any) string {
	var lines []string
	var b strings.Builder
	for one := range strings.Lines(fmt.Sprintf(format, args...)) {
		one = strings.TrimSpace(one)
		if one == "" || slices.ContainsFunc(lines, func(l string) bool { return l == one || strings.HasSuffix(l, ": "+one) }) {
			continue
		}
		switch {
		case lines == nil:
		case strings.HasSuffix(lines[len(lines)-1], ":"):
			b.WriteString(" ")
		default:
			b.WriteString("; ")
		}
		b.WriteString(one)
		lines = append(lines, one)
	}
	return b.String()
}

// severity orders the states, the worst last.
var severity = map[State]int{OK: 0, Skipped: 1, Warning: 2, Failure: 3}

// Worst combines findings into one. It has the worst state and the remedy of the first finding
// with that state. Its text has that of all findings, without those that are OK if some are
// not. Without findings it is the zero Finding.
func Worst(all ...Finding) Finding {
	var worst Finding
	for i, f := range all {
		if i == 0 || severity[f.State] > severity[worst.State] {
			worst = f
		}
	}
	found, any := "", false
	for _, f := range all {
		if worst.State != OK && f.State == OK {
			continue
		}
		if any {
			found += "; "
		}
		found, any = found+f.Found, true
	}
	worst.Found = found
	return worst
}

// Check is one thing to check.
type Check struct {
	Name string // a short, stable word
	// Run does the check. It should return when its context ends; the run continues without it
	// if it does not.
	Run func(context.Context) Finding
	// Limit is how long Run may take; 0 is DefaultLimit.
	Limit time.Duration
}

// DefaultLimit is the time limit of a check that sets none.
const DefaultLimit = 5 * time.Second

// Result is the result of one check.
type Result struct {
	Name    string             `json:"name"`
	State   State              `json:"state"`
	Found   string             `json:"found"`
	Remedy  string             `json:"remedy,omitempty"`
	Figures map[string]float64 `json:"figures,omitempty"`
	Took    float64            `json:"took_ms"`
}

// Report has the results of all checks, in order.
type Report struct {
	Results []Result
	Counts  map[State]int
}

// Run runs the checks in order, whatever earlier ones found. It calls tell with each result as
// soon as it is known, unless tell is nil. A check that exceeds its limit has failed, and Run
// goes on without it. When the deadline of ctx passes, all remaining checks have failed; when
// ctx is canceled, they are Skipped.
func Run(ctx context.Context, checks []Check, tell func(Result)) Report {
	r := Report{Counts: map[State]int{}}
	for _, c := range checks {
		one := c.run(ctx)
		r.Results = append(r.Results, one)
		r.Counts[one.State]++
		if tell != nil {
			tell(one)
		}
	}
	return r
}

// hangRemedy is the remedy for a check that did not end in time.
const hangRemedy = "Find out what hangs: a file system, a server on the network or an overloaded machine."

// run runs one check within its limit.
func (c Check) run(all context.Context) Result {
	began := time.Now()
	limit := cmp.Or(c.Limit, DefaultLimit)
	ctx, cancel := context.WithTimeout(all, limit)
	defer cancel()
	found := make(chan Finding, 1) // buffered, so that a late check can end too
	if ctx.Err() == nil {
		go func() { found <- c.runSafely(ctx) }()
	}
	var f Finding
	select {
	case f = <-found:
	case <-ctx.Done():
		f = Fail(hangRemedy, "no result within %v", time.Since(began).Round(time.Millisecond))
		select {
		case f = <-found: // the result came at the same moment
		default:
		}
	}
	if f.State != OK && errors.Is(all.Err(), context.Canceled) {
		f = Skip("it was interrupted") // the finding may be only a consequence of that
	}
	return Result{
		Name: c.Name, State: f.State, Found: f.Found, Remedy: f.Remedy, Figures: f.Figures,
		Took: float64(time.Since(began).Microseconds()) / 1000,
	}
}

// runSafely runs the check. If it panics, it has failed, and the other checks still run.
func (c Check) runSafely(ctx context.Context) (f Finding) {
	defer func() {
		if p := recover(); p != nil {
			f = Fail("This is a fault of the program; please report it.", "the check panicked: %v", p)
		}
	}()
	return c.Run(ctx)
}
