package speech

import (
	"context"

	"vaak/account"
)

// reservation is a hold that is asked for while the first audio of a stream is
// made: both take about as long, and nothing is sent before it is there.
type reservation struct {
	done chan struct{} // closed when the rest is there
	hold *account.Hold
	err  error
}

// reserve asks for the hold of an answer. That of a whole answer is there when
// it returns: such an answer has no hurry, and must not wait in its turn.
func (a *answer) reserve(ctx context.Context, caller account.Caller) *reservation {
	r := &reservation{done: make(chan struct{})}
	ask := func() {
		defer close(r.done)
		r.hold, r.err = a.service.ledger.Reserve(ctx, caller, a.info.Characters)
	}
	if a.req.Stream {
		go ask()
	} else {
		ask()
	}
	return r
}

// wait returns when the hold is there, or why it is refused.
func (r *reservation) wait() error {
	<-r.done
	return r.err
}

// cancel gives back what was not committed. It waits for the hold.
func (r *reservation) cancel() {
	if r.wait() == nil {
		r.hold.Cancel()
	}
}
