package accounttest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"vaak/internal/fault"
)

// Op is a kind of access that can be made to fail.
type Op string

// The kinds of access.
const (
	Opens   Op = "open"    // Post before its turn runs, and other writes without a kind of their own
	Commits Op = "commit"  // Post after its turn has run: nothing is written
	Answers Op = "answer"  // Post after the commit: all is written, and only the answer is lost
	Pings   Op = "ping"    // Ping
	Records Op = "record"  // AddRequests
	Reads   Op = "read"    // every call that only reads
	Leases  Op = "lease"   // TouchKeys
	Limited Op = "limited" // every call of [Limits]
)

// faults are the failures that are switched on, and counts of accesses. A [Store] has some,
// and [Limits] has others.
type faults struct {
	mu     sync.Mutex
	active map[Op]func(context.Context) error
	calls  map[Op]int
}

// Fail makes accesses of some kinds fail with err, until it is called with nil.
func (f *faults) Fail(err error, ops ...Op) {
	if err == nil {
		f.set(nil, ops)
		return
	}
	f.set(func(context.Context) error { return err }, ops)
}

// Hang makes accesses of some kinds hang until their context ends or release is called.
// After release they succeed.
func (f *faults) Hang(ops ...Op) (release func()) {
	gate := make(chan struct{})
	f.set(func(ctx context.Context) error {
		select {
		case <-gate:
			return nil
		case <-ctx.Done():
			return Away(ctx.Err())
		}
	}, ops)
	return f.opener(gate, ops)
}

// Slow delays accesses of some kinds by d, until it is called with 0.
func (f *faults) Slow(d time.Duration, ops ...Op) {
	if d == 0 {
		f.set(nil, ops)
		return
	}
	f.set(func(ctx context.Context) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return Away(ctx.Err())
		}
	}, ops)
}

// HangDeaf is [Store.Hang], but the accesses hang even when their context ends.
func (f *faults) HangDeaf(ops ...Op) (release func()) {
	gate := make(chan struct{})
	f.set(func(context.Context) error {
		<-gate
		return nil
	}, ops)
	return f.opener(gate, ops)
}

func (f *faults) opener(gate chan struct{}, ops []Op) func() {
	var done atomic.Bool
	return func() {
		if done.CompareAndSwap(false, true) {
			f.set(nil, ops)
			close(gate)
		}
	}
}

func (f *faults) set(do func(context.Context) error, ops []Op) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active == nil {
		f.active = map[Op]func(context.Context) error{}
	}
	for _, op := range ops {
		if do == nil {
			delete(f.active, op)
		} else {
			f.active[op] = do
		}
	}
}

// Calls returns how often there was an access of a kind.
func (f *faults) Calls(op Op) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[op]
}

// meet counts an access. It returns the failure that is switched on for its kind, or the
// error of a context that has ended.
func (f *faults) meet(ctx context.Context, op Op) error {
	f.mu.Lock()
	if f.calls == nil {
		f.calls = map[Op]int{}
	}
	f.calls[op]++
	do := f.active[op]
	f.mu.Unlock()
	if do != nil {
		if err := do(ctx); err != nil {
			return err
		}
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fault.New(fault.Cancelled, "cancelled", "", "the caller went away")
	case ctx.Err() != nil:
		return Away(ctx.Err())
	}
	return nil
}

// Away returns the error of a store that is away.
func Away(cause error) error {
	return fault.Down(fault.CodeStoreUnavailable, time.Second, cause, "the store is not available now; try again")
}
