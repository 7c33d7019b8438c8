package speech

import "context"

// Turns lets the sessions of one connection speak one at a time, first come,
// first served. It is made by [NewTurns].
type Turns struct{ token chan struct{} }

// NewTurns returns Turns for the sessions of one connection.
func NewTurns() *Turns { return &Turns{token: make(chan struct{}, 1)} }

// take waits for a turn, which ends with give. Channels serve those who wait in
// the order in which they came. A nil Turns gives everybody one.
func (t *Turns) take(ctx context.Context) error {
	if t == nil {
		return context.Cause(ctx)
	}
	select {
	case t.token <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *Turns) give() {
	if t != nil {
		<-t.token
	}
}
