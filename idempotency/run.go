package idempotency

import (
	"context"
	"sync"
	"time"
)

// Run is a request that runs. One of Keep and Drop ends it; later calls do nothing. Only one
// goroutine at a time may call its methods.
type Run struct {
	// Operation names the charge of the request. It is the same when a repeat runs the request
	// again because the process of this run has died.
	Operation string

	service *Service
	key     flightKey
	flight  *flight
	entry   Entry
	stop    func() // ends the renewal of the lease, and waits for it
	ended   bool
}

// run returns the run of an entry, and begins to renew its lease.
func (s *Service) run(k flightKey, f *flight, e Entry) *Run {
	r := &Run{Operation: e.Operation, service: s, key: k, flight: f, entry: e}
	ctx, cancel := context.WithCancel(context.Background())
	var renewal sync.WaitGroup
	renewal.Go(func() { r.renew(ctx) })
	r.stop = func() { cancel(); renewal.Wait() }
	return r
}

// renew renews the lease until ctx ends.
func (r *Run) renew(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		ask, cancel := context.WithTimeout(ctx, askTime)
		held, err := r.service.store.Renew(ask, r.entry.ID, r.entry.Holder, lease)
		cancel()
		if ctx.Err() == nil && (err != nil || !held) {
			// The request goes on: its charge is booked once, whoever else runs it.
			r.service.log.Warn("the lease of a request with an idempotency key is not renewed", "held", held, "error", err)
		}
	}
}

// Context returns a context with the values of ctx that does not end with it: the request
// runs to its end although its client has left, since the client will ask for the answer. It
// ends when the service closes. Stop must be called after the run.
func (r *Run) Context(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	release := context.AfterFunc(r.service.life, cancel)
	return ctx, func() { release(); cancel() }
}

// Fits reports whether a body of so many bytes can be kept now.
func (r *Run) Fits(bytes int64) bool {
	ctx, cancel := context.WithTimeout(r.service.life, askTime)
	defer cancel()
	room, err := r.service.room(ctx, r.entry.Org)
	return err == nil && bytes <= MaxBody && room.Bodies+bytes <= MaxBodies && room.Everyone+bytes <= MaxAllBodies
}

// Keep keeps the answer for repeats. Those that wait in this process get it even if it cannot
// be stored; later ones then run the request again.
func (r *Run) Keep(a Answer) {
	r.finish(&a, func(ctx context.Context) error {
		held, err := r.service.store.Finish(ctx, r.entry.ID, r.entry.Holder, a)
		if err == nil && held {
			r.service.add(r.entry.Org, 0, int64(len(a.Body)))
		}
		return err
	})
}

// Drop ends the run without an answer, so that a repeat runs the request. Forget also forgets
// what the request was: it was refused, and nothing came of it.
func (r *Run) Drop(forget bool) {
	r.finish(nil, func(ctx context.Context) error {
		if forget {
			r.service.add(r.entry.Org, -1, 0)
		}
		return r.service.store.Drop(ctx, r.entry.ID, r.entry.Holder, forget)
	})
}

// finish ends the run. The store gets its outcome before those who wait, so that they find it
// there.
func (r *Run) finish(answer *Answer, write func(context.Context) error) {
	if r.ended {
		return
	}
	r.ended = true
	defer r.service.runs.Done()
	r.stop()
	// Not the context of the request, which may have ended.
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	if err := write(ctx); err != nil {
		r.service.log.Warn("the outcome of a request with an idempotency key is not kept", "error", err)
	}
	r.service.land(r.key, r.flight, answer)
}
