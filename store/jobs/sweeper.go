package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// sweeper discards malformed rows from time to time. Rows that are scheduled for later are
// not fetched, so [guarded.JobGetAvailable] does not find them, but they stop River from
// scheduling any other row.
type sweeper struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// startSweeper sweeps at once and then every sweepEvery, until stop is called.
func startSweeper(db Database, log *slog.Logger) *sweeper {
	ctx, cancel := context.WithCancel(context.Background())
	s := &sweeper{cancel: cancel}
	s.done.Go(func() {
		t := time.NewTicker(sweepEvery)
		defer t.Stop()
		for {
			sweep(ctx, db, log)
			select {
			case <-ctx.Done():
				return
			case <-t.C:
			}
		}
	})
	return s
}

func (s *sweeper) stop() {
	s.cancel()
	s.done.Wait()
}

func sweep(ctx context.Context, db Database, log *slog.Logger) {
	switch n, err := quarantine(ctx, db.SQLite, waiting{busy: db.Busy}); {
	case ctx.Err() != nil: // the engine is closing
	case err != nil:
		log.WarnContext(ctx, "cannot look for malformed jobs", "error", err)
	case n > 0:
		log.ErrorContext(ctx, "malformed jobs discarded", "count", n)
	}
}
