package ratelimit

import "sync"

// Slots counts what is running, by scope, in memory. A scope is what is limited, such as the id
// of a key. It takes memory only while something of it runs. Slots is safe for concurrent use.
type Slots struct {
	mu      sync.Mutex
	running map[string]int
}

// NewSlots returns slots, none of which is taken.
func NewSlots() *Slots { return &Slots{running: make(map[string]int)} }

// Acquire takes a slot of a scope if fewer than limit are taken. A negative limit is unlimited;
// slots are counted all the same, because a limit may be set while some are taken. taken is how
// many are taken, including this one if ok. Each successful Acquire must be followed by one
// [Slots.Release].
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

// Release returns a slot of a scope. It does nothing if none is taken.
func (s *Slots) Release(scope string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.running[scope]; n > 1 {
		s.running[scope] = n - 1
	} else {
		delete(s.running, scope)
	}
}

// Running returns how many slots of a scope are taken.
func (s *Slots) Running(scope string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[scope]
}
