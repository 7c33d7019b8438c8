package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"vaak/app"
	"vaak/app/doctor"
	"vaak/internal/checkup"
)

// doctorName is the name of the command. The configuration file is read before the command
// is known, so its faults are collected whenever this name is among the arguments.
const doctorName = "doctor"

// doctorCommand checks what serve would need. It has all of its flags, so that the same
// line, environment and file say which deployment is meant.
type doctorCommand struct {
	serveCommand
	JSON bool `help:"Print one report in JSON."`
}

// doctorLimit bounds the whole of it; each check has a bound of its own.
const doctorLimit = 2 * time.Minute

// diagnosis is the report in JSON.
type diagnosis struct {
	Version  string                `json:"version"`
	Platform string                `json:"platform"`
	OK       bool                  `json:"ok"`
	Counts   map[checkup.State]int `json:"counts"`
	Took     float64               `json:"took_ms"`
	Checks   []checkup.Result      `json:"checks"`
}

// Run runs all checks and tells what they found; the error says which failed,
// or that somebody interrupted.
func (c doctorCommand) Run(ctx context.Context, s streams, file *configFile) error {
	limited, cancel := context.WithTimeout(ctx, doctorLimit)
	defer cancel()
	p := doctor.New(c.config(file))
	defer p.Close()
	began := time.Now()
	var failed error // to write
	// Each result is printed as it comes, since some checks take a minute. After a failed
	// write nothing more is.
	tell := func(r checkup.Result) {
		if failed == nil && !c.JSON {
			failed = s.tell(r)
		}
	}
	report := checkup.Run(limited, p.Checks(), tell)
	took := time.Since(began)
	verdict := failures(report)
	if ctx.Err() != nil {
		// ctx and not limited: it is no interruption when the limit of all checks has
		// passed.
		verdict = errors.New("interrupted")
	}
	if c.JSON {
		failed = s.inertJSON(diagnosis{
			Version: version, Platform: app.Platform(), OK: verdict == nil, Counts: counted(report),
			Took: float64(took.Microseconds()) / 1000, Checks: report.Results,
		})
	} else if failed == nil {
		_, failed = fmt.Fprintf(s.out, "\n%s in %.1f s\n", summed(report), took.Seconds())
	}
	return errors.Join(failed, verdict)
}

// config returns the deployment that the flags and the file name, with all that is wrong
// with them.
func (c doctorCommand) config(file *configFile) doctor.Config {
	// The error is one of the faults that file.check returns.
	cfg, _ := c.serveCommand.config(file, slog.New(slog.DiscardHandler))
	faults := append(slices.Clone(file.faults), c.check(), c.mailFlags.check(file))
	added, _ := cfg.Engine.Added() // the check of the pools says what is wrong
	return doctor.Config{Config: cfg, File: file.path, Settings: len(file.values), Faults: append(faults, file.check(added)...)}
}

// tell prints a result, and below it how to mend what is wrong.
func (s streams) tell(r checkup.Result) error {
	text := fmt.Sprintf("%-7s  %-9s  %s\n", r.State, r.Name, inert(r.Found))
	if r.Remedy != "" {
		text += fmt.Sprintf("%-7s  %-9s  -> %s\n", "", "", inert(r.Remedy))
	}
	_, err := s.out.Write([]byte(text))
	return err
}

// states are all states, in the order in which they are summed up.
var states = []checkup.State{checkup.OK, checkup.Warning, checkup.Failure, checkup.Skipped}

// counted has a number for each state, also where it is 0.
func counted(r checkup.Report) map[checkup.State]int {
	n := map[checkup.State]int{}
	for _, s := range states {
		n[s] = r.Counts[s]
	}
	return n
}

// summed is the last line of a report.
func summed(r checkup.Report) string {
	var parts []string
	for _, s := range states {
		if n := r.Counts[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return fmt.Sprintf("%d checks: %s", len(r.Results), strings.Join(parts, ", "))
}

// failures is the error of a report that is bad.
func failures(r checkup.Report) error {
	var names []string
	for _, one := range r.Results {
		if one.State == checkup.Failure {
			names = append(names, one.Name)
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("%d of %d checks failed: %s", len(names), len(r.Results), strings.Join(names, ", "))
}
