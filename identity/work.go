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

// work bounds how many passwords are hashed at once. Strangers, who are many during an
// attack, may use only one of the two places. So a person who has signed in before waits
// only for others like them, and for one hash of a stranger. Both queues are bounded.
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
	// A stranger takes a place among strangers first. While it waits for that one, it holds
	// no place that others need.
	waiting := &w.waiting
	if stranger {
		if err := enter(ctx, &w.queue, w.strangers); err != nil {
			return err
		}
		defer func() { <-w.strangers }()
		waiting = new(atomic.Int64) // only one stranger at a time comes this far, so it needs no bound
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
	defer waiting.Add(-1) // also of one that is refused
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

// hash returns a password in the form that is stored.
func (g *guard) hash(ctx context.Context, password string) (stored string, err error) {
	err = g.work.do(ctx, false, func() { stored = hashPassword(password) })
	return stored, err
}

// matches reports whether a password is the stored one. A text that no password can be takes
// as long to check as any other.
func (g *guard) matches(ctx context.Context, stranger bool, stored, password string) (ok bool, err error) {
	password, possible := normalPassword(password)
	err = g.work.do(ctx, stranger, func() { ok = checkPassword(stored, password) && possible })
	return ok, err
}
