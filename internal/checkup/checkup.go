// Package checkup runs checks of an installation, one after the other, each with a
// deadline, and says what each found and how to mend it.
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

// State says how a check came out.
type State string

// The states. Only Failure makes a report a bad one.
const (
	OK      State = "ok"      // as it should be
	Warning State = "warning" // it works, and somebody should look at it
	Failure State = "failure" // it does not work
	Skipped State = "skipped" // it was not found out: something else failed, or somebody interrupted
)

// Finding is what a check found.
type Finding struct {
	State State
	// Found is one line: what there is, or what is wrong. The functions below make one
	// of texts that have more.
	Found string
	// Remedy is one sentence that says how to mend it; "" where there is nothing to
	// mend.
	Remedy string
	// Figures are what was measured, each by a name with its unit; nil is none.
	Figures map[string]float64
}

// Good is a finding of state OK.
func Good(format string, args ...any) Finding {
	return Finding{State: OK, Found: line(format, args)}
}

// Warn is a finding of state Warning.
func Warn(remedy, format string, args ...any) Finding {
	return Finding{State: Warning, Found: line(format, args), Remedy: remedy}
}

// Fail is a finding of state Failure.
func Fail(remedy, format string, args ...any) Finding {
	return Finding{State: Failure, Found: line(format, args), Remedy: remedy}
}

// Skip is a finding of state Skipped.
func Skip(format string, args ...any) Finding {
	return Finding{State: Skipped, Found: line(format, args)}
}

// line makes one line of a text: errors of libraries and the standard error of programs
// have several, and some of them more than once, be it
// behind a prefix.
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

// Worst joins findings into one: the state is the worst, the first of that state
// gives the remedy, and what was found is said of it and of all others that are worth
// a look. Of none it is the zero Finding.
func Worst(all ...Finding) Finding {
	var worst Finding
	for i, f := range all {
		if i == 0 || severity[f.State] > severity[worst.State] {
			worst = f
		}
	}
	said := false
	found := ""
	for _, f := range all {
		if worst.State != OK && f.State == OK {
			continue
		}
		if said {
			found += "; "
		}
		found, said = found+f.Found, true
	}
	worst.Found = found
	return worst
}

// Check is one thing to find out.
type Check struct {
	Name string // a short word, stable, for programs too
	// Run finds out. It should return when its context ends, but nobody waits longer
	// for it.
	Run func(context.Context) Finding
	// Limit is how long it may take; 0 is DefaultLimit.
	Limit time.Duration
}

// DefaultLimit is how long a check may take that does not say.
const DefaultLimit = 5 * time.Second

// Result is what became of a check.
type Result struct {
	Name    string             `json:"name"`
	State   State              `json:"state"`
	Found   string             `json:"found"`
	Remedy  string             `json:"remedy,omitempty"`
	Figures map[string]float64 `json:"figures,omitempty"`
	Took    float64            `json:"took_ms"`
}

// Report is the result of all checks, in their order.
type Report struct {
	Results []Result
	Counts  map[State]int
}

// OK reports whether nothing failed.
func (r Report) OK() bool { return r.Counts[Failure] == 0 }

// Run runs the checks in their order, whatever the earlier ones found, and tells each
// result as it is there; tell may be nil. A check that takes too long has failed, and
// is left behind; so have all that follow the deadline of ctx. What is not known when ctx
// is canceled is Skipped.
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

// tooSlow is the remedy of a check that did not end.
const tooSlow = "Find out what hangs: a file system, a server on the network or an overloaded machine."

// run runs one check.
func (c Check) run(all context.Context) Result {
	began := time.Now()
	limit := cmp.Or(c.Limit, DefaultLimit)
	ctx, cancel := context.WithTimeout(all, limit)
	defer cancel()
	found := make(chan Finding, 1) // so that one that comes late ends, too
	if ctx.Err() == nil {
		go func() { found <- c.guarded(ctx) }()
	}
	var f Finding
	select {
	case f = <-found:
	case <-ctx.Done():
		f = Fail(tooSlow, "no result within %v", time.Since(began).Round(time.Millisecond))
		select {
		case f = <-found: // both were there
		default:
		}
	}
	if f.State != OK && errors.Is(all.Err(), context.Canceled) {
		f = Skip("it was interrupted") // and what it found may be only that
	}
	return Result{
		Name: c.Name, State: f.State, Found: f.Found, Remedy: f.Remedy, Figures: f.Figures,
		Took: float64(time.Since(began).Microseconds()) / 1000,
	}
}

// guarded runs the check; one that panics has failed, and the rest still run.
func (c Check) guarded(ctx context.Context) (f Finding) {
	defer func() {
		if p := recover(); p != nil {
			f = Fail("This is a fault of the program; please report it.", "the check panicked: %v", p)
		}
	}()
	return c.Run(ctx)
}
