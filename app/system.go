package app

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"vaak/app/door"
	"vaak/console/system"
	"vaak/internal/flight"
	"vaak/internal/telemetry"
)

// state reports the state of the server to the console. It probes the engine on request, as
// /readyz does, and keeps a success for keepSpoken.
type state struct {
	app     *application
	here    *door.Presence
	started time.Time

	probing flight.Group[string, probe] // under ""

	mu   sync.Mutex
	last probe
}

// probe is the outcome of one attempt to make the engine speak.
type probe struct {
	at     time.Time
	took   time.Duration
	silent error // why it does not speak; nil if it does
}

// system returns the state of the server.
func (s *state) system(ctx context.Context) system.State {
	a := s.app
	out := system.State{Versions: s.versions(ctx), Figures: s.figures(ctx)}
	if a.engines != nil {
		out.Engine, out.Neural, out.Pools = s.engine(ctx), s.neural(), s.pools()
	}
	if n, err := a.jobs.Stats(ctx); err != nil {
		out.Jobs.Error = "the database does not tell"
	} else {
		out.Jobs = system.JobState{
			Waiting: n.Waiting, Running: n.Running, Retrying: n.Retrying, Completed: n.Completed, Discarded: n.Discarded, Oldest: n.Oldest,
		}
	}
	serving, err := a.store.Serving(ctx)
	if err != nil {
		out.ReplicasError = "the database does not tell"
	}
	for _, r := range serving {
		one := system.Replica{Address: r.Address, Program: r.Program, Self: r.ID == s.here.ID()}
		if one.Self {
			one.Started = s.started
		}
		out.Replicas = append(out.Replicas, one)
	}
	if last := a.audits.Last(); last != nil {
		out.Ledger = system.LedgerState{At: last.At, Audit: last.Found}
	}
	return out
}

// engine returns the state of the engine with the outcome of a probe.
func (s *state) engine(ctx context.Context) *system.EngineState {
	crashes, leftOut := s.app.engines.Embedded.Crashes()
	out := &system.EngineState{Name: s.app.engines.Embedded.Name(), Crashes: crashes, LeftOut: leftOut}
	p := s.probe(ctx)
	if out.Probed = p.took; p.silent != nil {
		out.Error = "it does not speak; the log says why"
	}
	return out
}

// neural returns the state of the engine of added voices; nil if there is none.
func (s *state) neural() *system.NeuralState {
	e := s.app.engines.Neural
	if e == nil {
		return nil
	}
	f := e.Figures()
	out := &system.NeuralState{
		Runtime: e.Version(), Voices: f.Voices, Restarts: f.Restarts, Audio: f.Audio, Replaced: f.Replaced, Dropped: f.Dropped,
	}
	if f.Audio > 0 {
		out.Factor = f.Busy.Seconds() / f.Audio.Seconds()
	}
	models, _ := e.Collection().List() // the log says which cannot be read
	out.Models = len(models)
	return out
}

// probeTimeout is how long the engine may take to say one letter.
const probeTimeout = 5 * time.Second

// probe returns the last probe while it is fresh and good, and makes a new one otherwise.
// Callers at the same time share one probe, so it goes on when one of them leaves.
func (s *state) probe(ctx context.Context) probe {
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
	// A failure is never kept: the person who looks has perhaps just mended it. The zero
	// probe is too old to be taken.
	if last.silent == nil && time.Since(last.at) <= keepSpoken {
		return last
	}
	p, _ := s.probing.Do("", func() (probe, error) { // the error is in the probe
		// The context is that of the caller who happened to come first. The others must not
		// lose the probe when that caller leaves.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
		defer cancel()
		began := time.Now()
		p := probe{silent: s.app.speaks(ctx)}
		p.at, p.took = time.Now(), time.Since(began)
		if p.silent != nil {
			s.app.log.Error("the engine does not speak", "error", p.silent)
		}
		s.mu.Lock()
		s.last = p
		s.mu.Unlock()
		return p, nil
	})
	return p
}

// versions returns the versions of the program, its platform, the engine and the database
// schema.
func (s *state) versions(ctx context.Context) []system.Fact {
	out := []system.Fact{{Name: "Vaak", Value: s.app.cfg.Version}, {Name: "Go", Value: runtime.Version()}, {Name: "Platform", Value: Platform()}}
	if s.app.engines != nil {
		out = append(out, system.Fact{Name: "Engine", Value: s.app.engines.Embedded.Name() + " " + s.app.engines.Embedded.Version()})
	}
	if v, err := s.app.store.Version(ctx); err == nil { // left out while the database is away
		out = append(out, system.Fact{Name: "Schema of the database", Value: fmt.Sprint(v)})
	}
	return out
}

// figures returns the start time, the state of the disk and the use of the answer cache.
func (s *state) figures(ctx context.Context) []system.Fact {
	out := []system.Fact{{Name: "Started", Value: s.started.UTC().Format("2 January 2006, 15:04 UTC")}}
	space := "enough"
	if err := telemetry.Space(s.app.cfg.Place.DataDir, FreeSpace)(ctx); err != nil {
		space = err.Error()
	}
	out = append(out, system.Fact{Name: "Disk of the data directory", Value: space})
	if kept := s.app.kept.Answers; kept != nil {
		now := kept.Stats()
		out = append(out, system.Fact{Name: "Kept answers", Value: fmt.Sprintf("%d MiB, %d hits, %d misses", now.Bytes>>20, now.Hits, now.Misses)})
	}
	return out
}

// Platform returns the operating system and the architecture, such as linux/amd64.
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH }
