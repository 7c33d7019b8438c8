package speech

import "context"

// Turns lets the sessions of one connection speak one at a time, in the order in which
// they ask. It is made by [NewTurns].
type Turns struct{ token chan struct{} }

// NewTurns returns Turns for the sessions of one connection.
func NewTurns() *Turns { return &Turns{token: make(chan struct{}, 1)} }

// acquire waits for a turn, which ends with release. The runtime serves goroutines that
// wait on a channel in the order in which they came. A nil Turns never waits.
func (t *Turns) acquire(ctx context.Context) error {
	if t == nil {
		// nil as long as ctx lives.
		return context.Cause(ctx)
	}
	select {
	case t.token <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *Turns) release() {
	if t != nil {
		<-t.token
	}
}
