package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/riverqueue/river"
)

// errSpent ends a job whose processes were killed so often that no attempt is left.
var errSpent = errors.New("its attempts are used up")

// worker does the jobs of one handler for River.
type worker struct {
	river.WorkerDefaults[payload]

	h     Handler
	grace time.Duration
	log   *slog.Logger
}

func newWorker(h Handler, grace time.Duration, log *slog.Logger) *worker {
	return &worker{h: h, grace: grace, log: log}
}

// Timeout implements river.Worker. It is the time after which River abandons a job. The
// handler's context ends earlier, by the grace. So a handler that returns when its context
// ends has returned before another engine gets the job.
func (w *worker) Timeout(*river.Job[payload]) time.Duration { return w.h.Timeout + w.grace }

// NextRetry implements river.Worker.
func (w *worker) NextRetry(job *river.Job[payload]) time.Time {
	// A millisecond at least: a handler may return 0, and River takes a time in the past for
	// a mistake.
	return time.Now().Add(max(w.h.Backoff(max(job.Attempt, 1)), 0) + time.Millisecond)
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, job *river.Job[payload]) error {
	// River decides from this, when Work returns, whether there is another
	// attempt; what was inserted is only the most that a handler may have.
	job.JobRow.MaxAttempts = w.h.Attempts
	if job.Attempt > w.h.Attempts {
		w.logFailure(ctx, job, errSpent)
		return errSpent
	}
	err := w.attempt(ctx, job.Args.Args)
	if err != nil {
		w.logFailure(ctx, job, err)
	}
	return err
}

// attempt calls the handler. It returns a panic as an error.
func (w *worker) attempt(ctx context.Context, args []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, w.h.Timeout)
	defer cancel()
	return w.h.Work(ctx, args)
}

func (w *worker) logFailure(ctx context.Context, job *river.Job[payload], err error) {
	level, msg := slog.LevelWarn, "job failed; it is tried again"
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		level, msg = slog.LevelInfo, "job interrupted; it is worked again"
	case job.Attempt >= w.h.Attempts:
		level, msg = slog.LevelError, "job failed for good"
	}
	w.log.Log(ctx, level, msg, "kind", job.Kind, "id", job.ID, "attempt", job.Attempt, "error", err)
}
