package pause

import (
	"context"
	"errors"
	"time"
)

// parts is in how many parts [Within] waits.
const parts = 10

// Within returns a context that ends after d of the time in which this process runs: a stop of
// the process, or of the whole machine, counts as a tenth of d at most. Nobody else is to be
// blamed for such a stop, such as a database whose answer is there when the process goes on. The
// cause of the end is context.DeadlineExceeded, also in contexts that are made of this one, whose
// Err may say context.Canceled. Its deadline is when it ends without a stop. cancel must be
// called, as that of context.WithTimeout.
func Within(ctx context.Context, d time.Duration) (limited context.Context, cancel context.CancelFunc) {
	ends := time.Now().Add(d)
	if sooner, ok := ctx.Deadline(); ok && sooner.Before(ends) {
		ends = sooner
	}
	inner, end := context.WithCancelCause(ctx)
	inParts(inner, d, func() { end(context.DeadlineExceeded) }, time.AfterFunc)
	return within{inner, ends}, func() { end(nil) }
}

// within is a context that says of its end what one with a deadline says.
type within struct {
	context.Context
	ends time.Time
}

func (w within) Deadline() (time.Time, bool) { return w.ends, true }

func (w within) Err() error {
	err := w.Context.Err()
	if err != nil && errors.Is(context.Cause(w.Context), context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}

// inParts calls end after d, unless ctx has ended. The next part begins when the end of the one
// before was seen.
func inParts(ctx context.Context, d time.Duration, end func(), after func(time.Duration, func()) *time.Timer) {
	left := parts
	var part func()
	part = func() {
		switch left--; {
		case left == 0:
			end()
		case ctx.Err() == nil:
			after(d/parts, part)
		}
	}
	after(d/parts, part)
}
