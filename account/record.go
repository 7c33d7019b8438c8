package account

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"vaak/internal/pause"
)

// recorder writes request records in batches. An answer never waits for them: when the store
// is away or too slow, the oldest are dropped.
type recorder struct {
	store UsageStore
	log   *slog.Logger
	wake  chan struct{}
	stop  chan struct{}
	done  chan struct{}
	lost  atomic.Int64

	mu      sync.Mutex
	waiting []RequestRecord
	closed  bool
}

const (
	gather      = 250 * time.Millisecond // how long a record waits for more to share its write
	maxRecords  = 20_000                 // that wait
	recordBatch = 1_000                  // that go into one write
)

func startRecorder(store UsageStore, log *slog.Logger) *recorder {
	r := &recorder{store: store, log: log, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go r.run()
	return r
}

// Record stores what became of a request, soon. It never blocks.
func (s *Service) Record(rec RequestRecord) {
	rec.KeyID = shownKey(rec.KeyID)
	r := s.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		r.lost.Add(1)
		return
	}
	if len(r.waiting) >= maxRecords {
		r.waiting = r.waiting[1:]
		r.lost.Add(1)
	}
	r.waiting = append(r.waiting, rec)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *recorder) run() {
	defer close(r.done)
	for {
		select {
		case <-r.wake:
		case <-r.stop:
			r.write()
			return
		}
		select {
		case <-time.After(gather):
		case <-r.stop: // the next turn of the loop ends it, after this write
		}
		r.write()
	}
}

// write writes all records that wait. Those that cannot be written are lost.
func (r *recorder) write() {
	r.mu.Lock()
	all := r.waiting
	r.waiting = nil
	r.mu.Unlock()
	for len(all) > 0 {
		n := min(len(all), recordBatch)
		ctx, cancel := pause.Within(context.Background(), WriteTimeout)
		err := r.store.AddRequests(ctx, all[:n])
		cancel()
		if err != nil {
			r.lost.Add(int64(len(all)))
			r.log.Warn("request records were not written", "records", len(all), "error", err)
			return
		}
		all = all[n:]
	}
}

func (r *recorder) close(ctx context.Context) error {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.stop)
	}
	r.mu.Unlock()
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("write the request records that wait: %w", ctx.Err())
	}
}
