package jobs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Defaults and limits of handlers.
const (
	timeoutDefault  = time.Minute
	timeoutMax      = 12 * time.Hour // far within the retention of finished jobs
	attemptsDefault = 10
	everyMin        = time.Second
	everyMax        = keepDone // completed jobs are kept for that long; they show that their period had its job

	backoffFirst = 5 * time.Second
	backoffMax   = time.Hour
)

// Handler works the jobs of one kind.
type Handler struct {
	// Kind is as [Job.Kind] says.
	Kind string
	// Work does one job. The args are the JSON of [Job.Args], nil when there were none.
	// It may be called again for a job that was done, so it must be idempotent. It must
	// return when ctx ends. After an error or a panic the job is tried again. The error
	// is logged and stored in the database, so it must not contain secrets.
	Work func(ctx context.Context, args []byte) error
	// Timeout is how long one attempt may take, up to 12 h; 0 is a minute. A job
	// whose process was killed is worked again when it is over, plus up to a
	// minute.
	Timeout time.Duration
	// Attempts is how often a job is tried before it is discarded, 1 to 100.
	// 0 is 10, or 1 when Every is set: the next period is another try.
	Attempts int
	// Backoff is how long to wait after the attempt with this number, from 1,
	// has failed. Nil doubles from 5 s up to an hour, give or take a tenth.
	Backoff func(attempt int) time.Duration
	// Every, unless 0, makes a job without args in each period of this length,
	// 1 s to 24 h, once for all engines: at the start when the period has none
	// yet, then at each interval from it. Periods are counted from the year 1.
	Every time.Duration
	// Lane is where its jobs are, as [Job.Lane] says; jobs of other lanes are left to
	// other engines. Handlers with Every have none.
	Lane string
	// AtOnce is how many jobs of the lane this engine works at a time, the most of
	// its handlers; 0 is 1. Without a lane Config.Workers says it.
	AtOnce int
}

// withDefaults checks handlers and returns a copy with its zero values filled.
func withDefaults(handlers []Handler) ([]Handler, error) {
	if len(handlers) == 0 {
		return nil, fmt.Errorf("an engine needs a handler")
	}
	out := slices.Clone(handlers)
	seen := map[string]bool{}
	for i := range out {
		h := &out[i]
		if seen[h.Kind] {
			return nil, fmt.Errorf("two handlers are of kind %q", h.Kind)
		}
		seen[h.Kind] = true
		h.fill()
		if err := h.check(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (h *Handler) fill() {
	if h.Timeout == 0 {
		h.Timeout = timeoutDefault
	}
	if h.Attempts == 0 {
		h.Attempts = attemptsDefault
		if h.Every > 0 {
			h.Attempts = 1
		}
	}
	if h.Backoff == nil {
		h.Backoff = backoff
	}
}

func (h *Handler) check() error {
	switch {
	case !kindForm.MatchString(h.Kind):
		return fmt.Errorf("handler kind %q does not match %s", h.Kind, kindForm)
	case h.Work == nil:
		return fmt.Errorf("handler %s does no work", h.Kind)
	case h.Timeout < 0 || h.Timeout > timeoutMax:
		return fmt.Errorf("handler %s: timeout %s is outside 0 to %s", h.Kind, h.Timeout, timeoutMax)
	case h.Attempts < 0 || h.Attempts > attemptsInserted:
		return fmt.Errorf("handler %s: %d attempts are outside 0 to %d", h.Kind, h.Attempts, attemptsInserted)
	case !laneForm.MatchString(h.Lane):
		return fmt.Errorf("handler %s: lane %q does not match %s", h.Kind, h.Lane, laneForm)
	case h.Lane != "" && h.Every != 0:
		return fmt.Errorf("handler %s has a period and a lane", h.Kind)
	case h.AtOnce < 0 || h.AtOnce > river.QueueNumWorkersMax:
		return fmt.Errorf("handler %s: %d at once are outside 0 to %d", h.Kind, h.AtOnce, river.QueueNumWorkersMax)
	case h.Every != 0 && (h.Every < everyMin || h.Every > everyMax):
		return fmt.Errorf("handler %s: period %s is outside %s to %s", h.Kind, h.Every, everyMin, everyMax)
	}
	return nil
}

// backoff is the default of Handler.Backoff: 5 s, doubled with each attempt, up to an hour.
func backoff(attempt int) time.Duration {
	d := backoffMax
	if n := attempt - 1; n < 10 { // 5 s << 10 is more than an hour
		d = min(d, backoffFirst<<max(n, 0))
	}
	// Give or take a tenth, so that jobs which failed together are not tried together again.
	return d + time.Duration((rand.Float64()-0.5)/5*float64(d))
}

// periodic returns the constructor of the jobs of Every. Completed jobs count as jobs of
// their period, so that a new leader does not repeat what ran under the last one.
func (h *Handler) periodic() *river.PeriodicJob {
	opts := &river.InsertOpts{
		MaxAttempts: attemptsInserted,
		UniqueOpts: river.UniqueOpts{
			ByPeriod: h.Every,
			ByState:  append(unfinished(), rivertype.JobStateCompleted, rivertype.JobStateDiscarded),
		},
	}
	args := payload{kind: h.Kind}
	return river.NewPeriodicJob(river.PeriodicInterval(h.Every),
		func() (river.JobArgs, *river.InsertOpts) { return args, opts },
		&river.PeriodicJobOpts{RunOnStart: true})
}
