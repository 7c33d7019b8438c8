package flight

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// ErrBusy is the error of a [Bounded] when too many values wait to be made.
var ErrBusy = errors.New("too many wait to be made")

// patience is how long one making may take, with its wait.
const patience = 30 * time.Second

// Bounded is a [Group] that makes few values at once, for values that cost much and that anybody
// may ask for. It is safe for concurrent use; values are shared.
type Bounded[K comparable, V any] struct {
	group   Group[K, V]
	running chan struct{} // holds a value for each making that runs
	waiting atomic.Int64
	most    int64
}

// NewBounded returns a group that makes atOnce values at once while others wait, of up to waiting
// keys. atOnce must be at least 1.
func NewBounded[K comparable, V any](atOnce, waiting int) *Bounded[K, V] {
	return &Bounded[K, V]{running: make(chan struct{}, atOnce), most: int64(waiting)}
}

// Do returns what create returns, as [Group.Do] does. It returns ctx.Err() when ctx ends before
// that; the making continues for those who ask for the key later. create gets a context with the
// values of ctx that ends 30 s after the making was asked for. The error is [ErrBusy] if too many
// others wait. A panic of create is an error, with the stack in its text.
func (b *Bounded[K, V]) Do(ctx context.Context, k K, create func(context.Context) (V, error)) (V, error) {
	f := b.group.Go(k, func() (v V, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		// Others may wait for the value when this caller has left.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		if err := b.enter(ctx); err != nil {
			return v, err
		}
		defer func() { <-b.running }()
		return create(ctx)
	})
	select {
	case <-f.Done():
		return f.Value()
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// enter waits until a value may be made.
func (b *Bounded[K, V]) enter(ctx context.Context) error {
	select {
	case b.running <- struct{}{}:
		return nil
	default:
	}
	// Count first and look afterwards: of two for the last place, only one gets it.
	defer b.waiting.Add(-1)
	if b.waiting.Add(1) > b.most {
		return ErrBusy
	}
	select {
	case b.running <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ErrBusy
	}
}
