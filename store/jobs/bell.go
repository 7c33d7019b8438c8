package jobs

import (
	"context"
	"sync"

	"github.com/riverqueue/river/riverdriver"
)

// bell wakes the engines of this process when there may be jobs.
type bell struct {
	mu   sync.Mutex
	rope map[chan struct{}]struct{}
}

func newBell() *bell { return &bell{rope: map[chan struct{}]struct{}{}} }

// ring wakes all listeners. Rings that a listener has not heard yet count as one.
func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.rope {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// hear returns a channel of rings, until forget is called with it.
func (b *bell) hear() chan struct{} {
	c := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rope[c] = struct{}{}
	return c
}

func (b *bell) forget(c chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.rope, c)
}

// listener turns rings into notifications of River's, one for each lane.
type listener struct {
	riverdriver.Listener // nil: the interface has methods that only River's own tests call

	bell  *bell
	lanes []string
	rings chan struct{}
	told  int // how many lanes were notified of the last ring
}

// Connect implements riverdriver.Listener.
func (l *listener) Connect(context.Context) error {
	l.rings = l.bell.hear()
	return nil
}

// Close implements riverdriver.Listener.
func (l *listener) Close(context.Context) error {
	l.bell.forget(l.rings)
	return nil
}

// Listen implements riverdriver.Listener. Inserts are the only topic there is.
func (l *listener) Listen(context.Context, string) error { return nil }

// Unlisten implements riverdriver.Listener.
func (l *listener) Unlisten(context.Context, string) error { return nil }

// Ping implements riverdriver.Listener.
func (l *listener) Ping(context.Context) error { return nil }

// Schema implements riverdriver.Listener.
func (l *listener) Schema() string { return "" }

// WaitForNotification implements riverdriver.Listener. It returns the notification that
// River's producer understands as a new job.
func (l *listener) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	if l.told == len(l.lanes) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.rings:
			l.told = 0
		}
	}
	l.told++
	return &riverdriver.Notification{Topic: "river_insert", Payload: `{"queue":"` + l.lanes[l.told-1] + `"}`}, nil
}
