package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/riverqueue/river"
)

// Times of an engine. River has more that cannot be set. One engine is the elected leader
// and does what must be done once for all engines. A leader that was killed is replaced
// after 15 to 21 seconds. Scheduled jobs start at most 5 seconds late, and every 30 seconds
// the leader searches for jobs of killed processes.
const (
	workersDefault = 4
	postgresConns  = 4
	pingTimeout    = 2 * time.Second // for a connection that was idle; River alone would wait 10 s

	fetchCooldown = 20 * time.Millisecond // between two fetches
	pollSQLite    = time.Second           // sees the inserts of other processes, and retries
	pollPostgres  = 5 * time.Second       // sees retries, and what a notification missed

	grace      = 10 * time.Second // after a handler's timeout, until the engine abandons it
	cancelWait = 5 * time.Second  // how long Close waits for handlers whose context it cancelled

	sweepEvery = 30 * time.Second // between two looks for malformed rows

	keepDone   = 24 * time.Hour     // completed jobs
	keepFailed = 7 * 24 * time.Hour // discarded and cancelled ones
)

// Config says what an engine does.
type Config struct {
	// Queue has the jobs. Required.
	Queue *Queue
	// Handlers work them, one for each kind; at least one.
	Handlers []Handler
	// Workers is how many jobs are worked at a time; 0 is 4.
	Workers int
	// Logger gets a line for each failure, with kind, id, attempt and error and never
	// the args. Nil logs nothing.
	Logger *slog.Logger
}

// Engine works the jobs of one queue from Start to Close.
type Engine struct {
	q        *Queue
	handlers []Handler
	workers  int
	log      *slog.Logger
	grace    time.Duration
	poll     time.Duration

	client   client          // nil before Start
	postgres *postgresDriver // on PostgreSQL
	sweeper  *sweeper        // on SQLite
}

// client is River's, of either database.
type client interface {
	Start(context.Context) error
	Stop(context.Context) error
	StopAndCancel(context.Context) error
}

// New returns an engine that does not work jobs before [Engine.Start].
func New(cfg Config) (*Engine, error) {
	e := &Engine{q: cfg.Queue, workers: cfg.Workers, log: cfg.Logger, grace: grace, poll: pollPostgres}
	if e.q == nil {
		return nil, errors.New("an engine needs a queue")
	}
	if e.q.db.SQLite != nil {
		e.poll = pollSQLite
	}
	if e.workers == 0 {
		e.workers = workersDefault
	}
	if e.workers < 0 || e.workers > river.QueueNumWorkersMax {
		return nil, fmt.Errorf("%d workers are outside 1 to %d", e.workers, river.QueueNumWorkersMax)
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	var err error
	e.handlers, err = withDefaults(cfg.Handlers)
	return e, err
}

// Start begins to work jobs, until Close; ctx bounds the start alone. It is
// called once, after [Queue.Migrate]. Close must be called also when it fails.
func (e *Engine) Start(ctx context.Context) error {
	if e.client != nil {
		return errors.New("the engine of jobs was started before")
	}
	if err := e.start(ctx); err != nil {
		return fmt.Errorf("start the engine of jobs: %w", err)
	}
	return nil
}

func (e *Engine) start(ctx context.Context) error {
	if err := e.connect(ctx); err != nil {
		return err
	}
	if e.q.db.SQLite != nil {
		e.sweeper = startSweeper(e.q.db, e.log)
	}
	return e.client.Start(context.WithoutCancel(ctx))
}

// connect makes the client and checks that the database answers.
func (e *Engine) connect(ctx context.Context) (err error) {
	if db := e.q.db.SQLite; db != nil {
		if err := db.PingContext(ctx); err != nil {
			return err
		}
		c, err := river.NewClient(newSQLiteDriver(e.q.db, e.q.bell, slices.Collect(maps.Keys(e.lanes()))...), e.config())
		if err == nil {
			e.client = c
		}
		return err
	}
	if e.postgres, err = newPostgresDriver(ctx, e.q.db); err != nil {
		return err
	}
	c, err := river.NewClient(e.postgres, e.config())
	if err == nil {
		e.client = c
	}
	return err
}

// config is River's.
func (e *Engine) config() *river.Config {
	shortest := e.handlers[0].Timeout
	workers := river.NewWorkers()
	var periodic []*river.PeriodicJob
	for _, h := range e.handlers {
		shortest = min(shortest, h.Timeout)
		river.AddWorkerArgs(workers, payload{kind: h.Kind}, newWorker(h, e.grace, e.log))
		if h.Every > 0 {
			periodic = append(periodic, h.periodic())
		}
	}
	cfg := &river.Config{
		Logger:                      quiet(e.log),
		Queues:                      e.lanes(),
		Workers:                     workers,
		PeriodicJobs:                periodic,
		FetchCooldown:               fetchCooldown,
		FetchPollInterval:           e.poll,
		CompletedJobRetentionPeriod: keepDone,
		CancelledJobRetentionPeriod: keepFailed,
		DiscardedJobRetentionPeriod: keepFailed,
		// A process counts as dead when a job has run for this long and for longer
		// than its handler's timeout. The job is then given to another engine.
		JobTimeout:           shortest + e.grace,
		RescueStuckJobsAfter: shortest + e.grace,
	}
	if e.q.db.SQLite != nil {
		cfg.ReindexerIndexNames = []string{} // it would block every writer
	}
	return cfg
}

// lanes are the queues that the engine fetches from.
func (e *Engine) lanes() map[string]river.QueueConfig {
	lanes := map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: e.workers}}
	for _, h := range e.handlers {
		if h.Lane != "" {
			lanes[h.Lane] = river.QueueConfig{MaxWorkers: max(lanes[h.Lane].MaxWorkers, h.AtOnce, 1)}
		}
	}
	return lanes
}

// Close takes no more jobs and waits for those that run until ctx is done. Then it cancels
// their contexts; jobs whose handlers return are worked again later, and the attempt is not
// counted. Close returns an error when a handler does not return within another five
// seconds. Another engine takes its job when its timeout is over. Close does nothing before
// Start.
func (e *Engine) Close(ctx context.Context) error {
	if e.sweeper != nil {
		e.sweeper.stop()
	}
	if e.client != nil {
		if err := e.stop(ctx); err != nil {
			return fmt.Errorf("stop the engine of jobs: %w", err)
		}
	}
	if e.postgres != nil {
		e.postgres.close()
	}
	return nil
}

func (e *Engine) stop(ctx context.Context) error {
	err := e.client.Stop(ctx)
	if err == nil || ctx.Err() == nil {
		return err
	}
	// The caller's time is up, but handlers still need a moment after their contexts end.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelWait)
	defer cancel()
	return e.client.StopAndCancel(ctx)
}
