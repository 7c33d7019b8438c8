package publish

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"vaak/croissant/check"
	"vaak/internal/fault"
)

// maxWaiting is how many checks may wait for a processor. Each holds its document, of at
// most [check.MaxDocument] bytes, so 64 MiB in all. If all of them are as slow as a
// hostile document can be, the last waits some seconds.
const maxWaiting = 64

// turns bounds how many checks run at once and how many wait.
type turns struct {
	running chan struct{} // holds a value for each check that runs
	waiting atomic.Int64
}

// newTurns lets checks use half of the processors. The others are left for speech.
func newTurns() *turns { return &turns{running: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))} }

// enter waits until a check may run; the caller must call leave afterwards. The error is a
// *fault.Error: of kind Unavailable when too many wait, of kind Cancelled when ctx ends
// first.
func (t *turns) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-t.running }
	select {
	case t.running <- struct{}{}:
		return leave, nil
	default:
	}
	// Count first and look afterwards: of two callers for the last place, only one gets it.
	if t.waiting.Add(1) > maxWaiting {
		t.waiting.Add(-1)
		return nil, fault.Down(fault.CodeOverloaded, time.Second, nil, "the server is checking %d documents and %d wait; try again in 1 s", cap(t.running), maxWaiting)
	}
	defer t.waiting.Add(-1)
	select {
	case t.running <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, &fault.Error{Kind: fault.Cancelled, Code: "cancelled", Msg: "the caller went away before its document was checked", Err: ctx.Err()}
	}
}

// Validate calls [check.Validate] for callers without a key. It runs few checks at once,
// so that they leave the processors to other requests. The error is a *fault.Error: of
// kind Unavailable when too many checks wait, of kind Cancelled when ctx ends first.
func (s *Service) Validate(ctx context.Context, document []byte) (check.Report, error) {
	leave, err := s.checks.enter(ctx)
	if err != nil {
		return check.Report{}, err
	}
	defer leave()
	return check.Validate(document), nil
}
