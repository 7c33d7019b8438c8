package account

import (
	"context"
	"sync"

	"vaak/internal/fault"
)

// sessions are what runs for a key and has to end when that is revoked.
type sessions struct {
	mu   sync.Mutex
	next int
	ends map[string]map[int]context.CancelCauseFunc // by key id
}

// Session returns a context that ends when ctx does, and with a cause of kind
// Unauthenticated when the caller's key is revoked or expires. Stop must be
// called when what runs has ended.
func (s *Service) Session(ctx context.Context, c Caller) (_ context.Context, stop func()) {
	ctx, end := context.WithCancelCause(ctx)
	if c.local() {
		return ctx, func() { end(nil) }
	}
	key := c.keptKey()
	n := s.sessions.add(key, end)
	return ctx, func() {
		s.sessions.remove(key, n)
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

// recheck ends sessions of the keys that come, "" being any, until ctx ends.
func (s *Service) recheck(ctx context.Context, keys <-chan string) {
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-keys:
			s.endSessions(ctx, id)
		}
	}
}

// watch passes on which keys other processes have changed.
func (s *Service) watch(ctx context.Context, keys chan string) {
	err := s.store.Watch(ctx, func(c Change) {
		switch c.Topic {
		case TopicOrganisation:
			s.known.forget(c.ID)
		case TopicPlan:
			s.known.forget("")
		}
		if c.Topic != TopicKey {
			return
		}
		select {
		case keys <- c.ID:
		default: // many at once: look at all of them
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

// endSessions ends what runs for keys that are not valid any more: the one with
// an id, or any. While the store is away nobody is thrown out, and no more is
// asked: leases wait to be renewed by the same goroutine.
func (s *Service) endSessions(ctx context.Context, keyID string) {
	for _, id := range s.sessions.keys(keyID) {
		ctx, cancel := context.WithTimeout(ctx, WriteTimeout)
		k, err := s.store.Key(ctx, id)
		timedOut := ctx.Err() != nil
		cancel()
		if timedOut || fault.KindOf(err) == fault.Unavailable {
			return
		}
		if err != nil || k.Valid(s.now()) {
			continue
		}
		if n := s.sessions.end(id, errRevoked()); n > 0 {
			s.log.Info("sessions ended: their key is not valid any more", "key", id, "sessions", n)
		}
	}
}

func errRevoked() error {
	return fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "", "the API key was revoked or has expired")
}
