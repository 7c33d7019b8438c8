package accounttest

import (
	"context"
	"slices"
	"sync"
	"time"

	"vaak/account"
	"vaak/internal/ratelimit"
)

// Limits is an [account.LimitStore] in memory. The zero Limits is not ready: see
// [NewLimits].
type Limits struct {
	faults faults

	mu       sync.Mutex
	now      func() time.Time
	replicas int
	windows  *ratelimit.Limiter
	slots    map[string]map[string]time.Time // the ends of leases, by scope and holder
}

var _ account.LimitStore = (*Limits)(nil)

// NewLimits returns limits with empty counters. Now is their clock; nil is time.Now.
func NewLimits(now func() time.Time) *Limits {
	if now == nil {
		now = time.Now
	}
	return &Limits{now: now, replicas: 1, windows: ratelimit.NewLimiter(0), slots: map[string]map[string]time.Time{}}
}

// Fail makes every call fail with err, until it is called with nil.
func (l *Limits) Fail(err error) { l.faults.Fail(err, Limited) }

// Hang makes every call hang; see [Store.Hang].
func (l *Limits) Hang() (release func()) { return l.faults.Hang(Limited) }

// Calls returns how many calls there were.
func (l *Limits) Calls() int { return l.faults.Calls(Limited) }

// SetReplicas sets how many processes share the limits.
func (l *Limits) SetReplicas(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.replicas = n
}

// Held returns how many slots of a scope are taken.
func (l *Limits) Held(scope string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running(scope)
}

// running deletes the slots of a scope whose lease has run out, and counts the others. The
// caller holds the lock.
func (l *Limits) running(scope string) int {
	for holder, until := range l.slots[scope] {
		if !l.now().Before(until) {
			delete(l.slots[scope], holder)
		}
	}
	return len(l.slots[scope])
}

// TakeRequest implements [account.LimitStore].
func (l *Limits) TakeRequest(ctx context.Context, scopes []account.Scope) ([]account.Standing, error) {
	if err := l.faults.meet(ctx, Limited); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]account.Standing, len(scopes))
	room := true
	for i, s := range scopes {
		out[i] = account.Standing{Requests: l.windows.Look(s.ID, l.now(), s.Limit), Streams: l.running(s.ID)}
		room = room && out[i].Requests.Allowed
	}
	for i := 0; room && i < len(scopes); i++ {
		out[i].Requests = l.windows.Take(scopes[i].ID, l.now(), scopes[i].Limit)
	}
	return out, nil
}

// TakeSlot implements [account.LimitStore].
func (l *Limits) TakeSlot(ctx context.Context, holder string, scopes []account.Scope, lease time.Duration) ([]int, int, error) {
	if err := l.faults.meet(ctx, Limited); err != nil {
		return nil, -1, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := make([]int, len(scopes))
	for i, s := range scopes {
		if taken[i] = l.running(s.ID) + 1; s.Limit >= 0 && taken[i] > s.Limit {
			return nil, i, nil
		}
	}
	for _, s := range scopes {
		if l.slots[s.ID] == nil {
			l.slots[s.ID] = map[string]time.Time{}
		}
		l.slots[s.ID][holder] = l.now().Add(lease)
	}
	return taken, -1, nil
}

// Running implements [account.LimitStore].
func (l *Limits) Running(ctx context.Context, scopes []string) ([]int, error) {
	if err := l.faults.meet(ctx, Limited); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]int, len(scopes))
	for i, scope := range scopes {
		out[i] = l.running(scope)
	}
	return out, nil
}

// FreeSlot implements [account.LimitStore].
func (l *Limits) FreeSlot(ctx context.Context, holder string) error {
	if err := l.faults.meet(ctx, Limited); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, held := range l.slots {
		delete(held, holder)
	}
	return nil
}

// RenewSlots implements [account.LimitStore].
func (l *Limits) RenewSlots(ctx context.Context, holders []string, lease time.Duration) error {
	if err := l.faults.meet(ctx, Limited); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, held := range l.slots {
		for holder := range held {
			if slices.Contains(holders, holder) {
				held[holder] = l.now().Add(lease)
			}
		}
	}
	return nil
}

// Replicas implements [account.LimitStore].
func (l *Limits) Replicas(ctx context.Context) (int, error) {
	if err := l.faults.meet(ctx, Limited); err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.replicas, nil
}
