package croissant

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"vaak/internal/fault"
)

// maxWaiting is how many checks may wait for their turn. Each waits with its
// document, of at most [MaxDocument] bytes, and the last of them some seconds when
// all are as hostile as they can be.
const maxWaiting = 64

// turns lets few at once do what takes a processor, and few wait for it.
type turns struct {
	running chan struct{}
	waiting atomic.Int64
}

// newTurns gives half of the processors a turn: the others speak meanwhile.
func newTurns() *turns { return &turns{running: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))} }

// enter waits for a turn, which leave gives back. It is refused when too many wait,
// with a *fault.Error of kind Unavailable, and when ctx ends, of kind Cancelled.
func (t *turns) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-t.running }
	select {
	case t.running <- struct{}{}:
		return leave, nil
	default:
	}
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

// Validate is the function [Validate] for callers that nobody knows: few of their
// documents are checked at once, so that they leave room for others. The error is a
// *fault.Error of kind Unavailable when too many wait, of kind Cancelled when ctx
// ends first.
func (s *Service) Validate(ctx context.Context, document []byte) (Report, error) {
	leave, err := s.checks.enter(ctx)
	if err != nil {
		return Report{}, err
	}
	defer leave()
	return Validate(document), nil
}
