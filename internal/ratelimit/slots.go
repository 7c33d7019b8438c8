package ratelimit

import "sync"

// Slots counts what runs at once by scope, such as the id of a key, in memory.
// It may be used from many goroutines at once. A scope takes memory only while
// something of it runs.
type Slots struct {
	mu      sync.Mutex
	running map[string]int
}

// NewSlots returns slots of which none is taken.
func NewSlots() *Slots { return &Slots{running: make(map[string]int)} }

// Acquire takes a slot of the scope if fewer than limit are taken; a limit
// below 0 is unlimited, but counts, so that it may become a limit while some
// run. Taken is how many are taken now, this one included when ok. Each
// Acquire that is ok must be followed by one [Slots.Release].
func (s *Slots) Acquire(scope string, limit int) (taken int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken = s.running[scope]
	if limit >= 0 && taken >= limit {
		return taken, false
	}
	s.running[scope] = taken + 1
	return taken + 1, true
}

// Release gives a slot of the scope back. When none is taken it does nothing.
func (s *Slots) Release(scope string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.running[scope]; n > 1 {
		s.running[scope] = n - 1
	} else {
		delete(s.running, scope)
	}
}

// Running returns how many slots of the scope are taken.
func (s *Slots) Running(scope string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[scope]
}
