package pause

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"
)

// parts is in how many parts a [Limit] waits.
const parts = 10

// Limit calls a function after some time in which this process runs: a stop of the process, or of
// the whole machine, counts as a tenth of the time at most. Nobody else is to be blamed for such a
// stop, such as a database whose answer is there when the process goes on. Its methods are safe for
// concurrent use.
type Limit struct {
	f func()

	mu    sync.Mutex
	timer *time.Timer
	left  int // parts; 0 when it was stopped or f was called
	part  time.Duration
}

// After returns a Limit that calls f, in a goroutine of its own, after d.
func After(d time.Duration, f func()) *Limit {
	l := &Limit{f: f}
	l.timer = time.AfterFunc(math.MaxInt64, l.tick)
	l.Reset(d)
	return l
}

// Reset has the function called after d from now.
func (l *Limit) Reset(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left, l.part = parts, d/parts
	l.timer.Reset(l.part)
}

// Stop ends the wait. The function may be running already.
func (l *Limit) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = 0
	l.timer.Stop()
}

// tick ends a part. The next one begins when that was seen.
func (l *Limit) tick() {
	l.mu.Lock()
	if l.left == 0 {
		l.mu.Unlock()
		return
	}
	l.left--
	over := l.left == 0
	if !over {
		l.timer.Reset(l.part)
	}
	l.mu.Unlock()
	if over {
		l.f()
	}
}

// Within returns a context that ends after d, as a [Limit] counts it. The cause of the end is
// context.DeadlineExceeded, also in contexts that are made of this one, whose Err may say
// context.Canceled. Its deadline is when it ends without a stop. cancel must be called, as that
// of context.WithTimeout.
func Within(ctx context.Context, d time.Duration) (limited context.Context, cancel context.CancelFunc) {
	ends := time.Now().Add(d)
	if sooner, ok := ctx.Deadline(); ok && sooner.Before(ends) {
		ends = sooner
	}
	inner, end := context.WithCancelCause(ctx)
	limit := After(d, func() { end(context.DeadlineExceeded) })
	return within{inner, ends}, func() {
		limit.Stop()
		end(nil)
	}
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
