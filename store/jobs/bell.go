package jobs

import (
	"context"
	"sync"

	"github.com/riverqueue/river/riverdriver"
)

// bell wakes the engines of this process when there may be jobs.
type bell struct {
	mu          sync.Mutex
	subscribers map[chan struct{}]struct{}
}

func newBell() *bell { return &bell{subscribers: map[chan struct{}]struct{}{}} }

// ring wakes all subscribers. A subscriber that has not read the last ring gets no second
// one.
func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.subscribers {
		select {
		case c <- struct{}{}:
		default: // it has a ring to read, and then finds this job as well
		}
	}
}

// subscribe returns a channel that gets the rings until unsubscribe is called with it.
func (b *bell) subscribe() chan struct{} {
	c := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subscribers[c] = struct{}{}
	return c
}

func (b *bell) unsubscribe(c chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.subscribers, c)
}

// listener turns each ring into notifications for River, one for each lane.
type listener struct {
	riverdriver.Listener // nil: the interface has methods that only River's own tests call

	bell     *bell
	lanes    []string
	rings    chan struct{}
	notified int // lanes that were notified of the last ring; all of them when none waits
}

// Connect implements riverdriver.Listener.
func (l *listener) Connect(context.Context) error {
	l.rings = l.bell.subscribe()
	return nil
}

// Close implements riverdriver.Listener.
func (l *listener) Close(context.Context) error {
	l.bell.unsubscribe(l.rings)
	return nil
}

// Listen implements riverdriver.Listener. It ignores the topic, since a bell has only one:
// inserts.
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
	// River asks for one notification at a time, so the lanes of a ring are counted between
	// two calls.
	if l.notified == len(l.lanes) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.rings:
			l.notified = 0
		}
	}
	l.notified++
	return &riverdriver.Notification{Topic: "river_insert", Payload: `{"queue":"` + l.lanes[l.notified-1] + `"}`}, nil
}
