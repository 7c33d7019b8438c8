package account

import (
	"context"
	"sync"

	"vaak/internal/fault"
	"vaak/internal/pause"
)

// sessions are the contexts that have to end when their key is revoked.
type sessions struct {
	mu   sync.Mutex
	next int
	ends map[string]map[int]context.CancelCauseFunc // by key id
}

// Session returns a context that ends when ctx does, and with a cause of kind
// Unauthenticated when the caller's key is revoked or expires. Stop must be
// called when what runs has ended.
func (a *admission) Session(ctx context.Context, c Caller) (_ context.Context, stop func()) {
	ctx, end := context.WithCancelCause(ctx)
	if c.local() {
		return ctx, func() { end(nil) }
	}
	key := c.keptKey()
	n := a.sessions.add(key, end)
	return ctx, func() {
		a.sessions.remove(key, n)
		end(nil)
	}
}

func (r *sessions) add(keyID string, end context.CancelCauseFunc) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ends == nil {
		r.ends = make(map[string]map[int]context.CancelCauseFunc)
	}
	if r.ends[keyID] == nil {
		r.ends[keyID] = make(map[int]context.CancelCauseFunc)
	}
	r.next++
	r.ends[keyID][r.next] = end
	return r.next
}

func (r *sessions) remove(keyID string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if delete(r.ends[keyID], n); len(r.ends[keyID]) == 0 {
		delete(r.ends, keyID)
	}
}

// keys lists the keys that something runs for: the one with an id, or all.
func (r *sessions) keys(keyID string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []string
	for id := range r.ends {
		if keyID == "" || id == keyID {
			ids = append(ids, id)
		}
	}
	return ids
}

func (r *sessions) end(keyID string, cause error) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, end := range r.ends[keyID] {
		end(cause)
		n++
	}
	return n
}

// recheck ends the sessions of keys that are no longer valid, for each id that comes; "" is
// any key. It returns when ctx ends.
func (a *admission) recheck(ctx context.Context, keys <-chan string) {
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-keys:
			a.endSessions(ctx, id)
		}
	}
}

// watch passes on the ids of keys that other processes have changed. It has advances looked
// at again when terms or plans have changed, and returns what is ahead when another process
// needs it.
func (s *Service) watch(ctx context.Context, keys chan string) {
	err := s.store.Watch(ctx, func(c Change) {
		switch c.Topic {
		case TopicOrganisation:
			s.advances.forget(c.ID)
		case TopicPlan:
			s.advances.forget("")
		case TopicAdvance:
			s.recallAdvances(c.ID)
		}
		if c.Topic != TopicKey {
			return
		}
		select {
		case keys <- c.ID:
		default: // the channel is full: one "" replaces them all
			select {
			case <-keys:
			default:
			}
			select {
			case keys <- "":
			default:
			}
		}
	})
	if err != nil && ctx.Err() == nil {
		s.log.Error("changes of other processes are not seen", "error", err)
	}
}

// endSessions ends the sessions of keys that are no longer valid: of the one with an id,
// or of all. It ends none while the store is away, and returns at the first question
// without an answer, since the same goroutine has to renew leases.
func (a *admission) endSessions(ctx context.Context, keyID string) {
	for _, id := range a.sessions.keys(keyID) {
		ctx, cancel := pause.Within(ctx, WriteTimeout)
		k, err := a.store.Key(ctx, id)
		timedOut := ctx.Err() != nil
		cancel()
		if timedOut || fault.KindOf(err) == fault.Unavailable {
			return
		}
		if err != nil || k.Valid(a.now()) {
			continue
		}
		if n := a.sessions.end(id, errRevoked()); n > 0 {
			a.log.Info("sessions ended: their key is not valid any more", "key", id, "sessions", n)
		}
	}
}

func errRevoked() error {
	return fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "", "the API key was revoked or has expired")
}
