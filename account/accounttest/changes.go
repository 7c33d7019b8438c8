package accounttest

import (
	"context"
	"maps"
	"sync"

	"vaak/account"
)

// changes is the part of a [Store] that reports changes. The zero value has no watchers.
type changes struct {
	mu       sync.Mutex
	watchers map[int]func(account.Change)
	watched  int // the key of the latest of them
}

var _ account.ChangeStore = (*changes)(nil)

// Watch implements [account.ChangeStore]. It reports the changes of this store, and those
// that a test passes to [Store.Announce].
func (cs *changes) Watch(ctx context.Context, seen func(account.Change)) error {
	cs.mu.Lock()
	if cs.watchers == nil {
		cs.watchers = map[int]func(account.Change){}
	}
	cs.watched++
	n := cs.watched
	cs.watchers[n] = seen
	cs.mu.Unlock()
	<-ctx.Done()
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.watchers, n)
	return ctx.Err()
}

// Announce reports a change to all watchers, as if another process had made it.
func (cs *changes) Announce(c account.Change) {
	// A copy, because a watcher may call the store.
	cs.mu.Lock()
	watchers := maps.Clone(cs.watchers)
	cs.mu.Unlock()
	for _, seen := range watchers {
		seen(c)
	}
}
