package identity

import (
	"context"
	"sync/atomic"
	"time"

	"vaak/internal/fault"
)

// Bounds of the work of hashing.
const (
	maxHashing = 2  // at once, each with the memory of [cost]
	maxQueue   = 64 // that wait: of strangers, and of others
)

// work bounds how many passwords are hashed at once. Of the two places one is kept free
// of strangers, who are many when somebody attacks: whoever has signed in before waits
// for those like them alone, and one hash. Both queues are bounded.
type work struct {
	places    chan struct{}
	strangers chan struct{}
	queue     atomic.Int64 // strangers that wait
	waiting   atomic.Int64 // others that wait
}

func newWork() *work {
	return &work{places: make(chan struct{}, maxHashing), strangers: make(chan struct{}, maxHashing-1)}
}

// do runs f when there is a place, or returns why it did not: the caller went away, or
// too many wait.
func (w *work) do(ctx context.Context, stranger bool, f func()) error {
	waiting := &w.waiting
	if stranger {
		if err := enter(ctx, &w.queue, w.strangers); err != nil {
			return err
		}
		defer func() { <-w.strangers }()
		waiting = new(atomic.Int64) // one of them at a time comes this far
	}
	if err := enter(ctx, waiting, w.places); err != nil {
		return err
	}
	defer func() { <-w.places }()
	f()
	return nil
}

// enter takes a place, unless too many wait for one.
func enter(ctx context.Context, waiting *atomic.Int64, places chan<- struct{}) error {
	defer waiting.Add(-1)
	if waiting.Add(1) > maxQueue {
		return errLimited(time.Second)
	}
	if ctx.Err() == nil {
		select {
		case places <- struct{}{}:
			return nil
		case <-ctx.Done():
		}
	}
	return fault.New(fault.Cancelled, "cancelled", "", "the caller went away before the password was checked")
}

// hash returns a password as it is kept.
func (s *Service) hash(ctx context.Context, password string) (kept string, err error) {
	err = s.work.do(ctx, false, func() { kept = hashPassword(password) })
	return kept, err
}

// matches reports whether a password is the one that was kept. One that cannot be a
// password takes as long as any other.
func (s *Service) matches(ctx context.Context, stranger bool, kept, password string) (ok bool, err error) {
	password, possible := normalPassword(password)
	err = s.work.do(ctx, stranger, func() { ok = checkPassword(kept, password) && possible })
	return ok, err
}
