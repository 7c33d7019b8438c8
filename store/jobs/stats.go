package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Stats counts the jobs in the database, of all engines.
type Stats struct {
	Waiting   int // due, or to be worked later for the first time
	Running   int
	Retrying  int // failed, and to be tried again
	Completed int // in the last 24 hours
	Discarded int // failed for good in the last 7 days
	// Oldest is how long the oldest due job has waited; 0 when no job is due.
	Oldest time.Duration
}

// Queries for the age of the oldest due job, in seconds by the clock of the database.
const (
	oldestSQLite   = `SELECT coalesce(unixepoch('now', 'subsec') - unixepoch(min(scheduled_at), 'subsec'), 0.0) FROM river_job WHERE state = 'available'`
	oldestPostgres = `SELECT coalesce(extract(epoch FROM clock_timestamp() - min(scheduled_at)), 0)::float8 FROM river_job WHERE state = 'available'`

	countStates = `SELECT state, count(*) FROM river_job GROUP BY state`
)

// rows are rows of either driver.
type rows interface {
	Next() bool
	Scan(...any) error
	Err() error
}

// Stats reads the counts. It fails on PostgreSQL before Start.
func (e *Engine) Stats(ctx context.Context) (s Stats, err error) {
	if s, err = e.stats(ctx); err != nil {
		return Stats{}, fmt.Errorf("count jobs: %w", err)
	}
	return s, nil
}

func (e *Engine) stats(ctx context.Context) (Stats, error) {
	if db := e.q.db.SQLite; db != nil {
		var age float64
		if err := db.QueryRowContext(ctx, oldestSQLite).Scan(&age); err != nil {
			return Stats{}, err
		}
		rows, err := db.QueryContext(ctx, countStates)
		if err != nil {
			return Stats{}, err
		}
		defer rows.Close()
		return count(rows, age)
	}
	if e.postgres == nil {
		return Stats{}, errors.New("the engine of jobs is not started")
	}
	var age float64
	if err := e.postgres.quick.QueryRow(ctx, oldestPostgres).Scan(&age); err != nil {
		return Stats{}, err
	}
	rows, err := e.postgres.quick.Query(ctx, countStates)
	if err != nil {
		return Stats{}, err
	}
	defer rows.Close()
	return count(rows, age)
}

// count adds up rows of a state and its count.
func count(rows rows, ageSeconds float64) (Stats, error) {
	// Below 0 when the clock of the database was set back since the job became due.
	s := Stats{Oldest: time.Duration(max(ageSeconds, 0) * float64(time.Second))}
	for rows.Next() {
		var state string
		var n int
		if err := rows.Scan(&state, &n); err != nil {
			return Stats{}, err
		}
		switch state {
		case "available", "pending", "scheduled":
			s.Waiting += n
		case "running":
			s.Running += n
		case "retryable":
			s.Retrying += n
		case "completed":
			s.Completed += n
		case "discarded", "cancelled":
			s.Discarded += n
		}
	}
	return s, rows.Err()
}
