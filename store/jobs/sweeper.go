package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// sweeper puts malformed rows aside from time to time: those that wait for
// their hour, and so are not met by a fetch, stop all that do.
type sweeper struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// startSweeper sweeps now and then every sweepEvery, until stop.
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
	case ctx.Err() != nil:
	case err != nil:
		log.WarnContext(ctx, "cannot look for malformed jobs", "error", err)
	case n > 0:
		log.ErrorContext(ctx, "malformed jobs discarded", "count", n)
	}
}
