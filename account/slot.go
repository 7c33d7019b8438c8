package account

import (
	"context"
	"errors"
	"sync"
)

// errUnknownCaller is a defect of the program: a request went on without
// having been authenticated.
var errUnknownCaller = errors.New("caller is not authenticated")

// slots counts the streams that run, by key.
type slots struct {
	mu      sync.Mutex
	running map[string]int // no entry is 0
}

func newSlots() *slots { return &slots{running: make(map[string]int)} }

// Slot is the right to run one stream. Release must be called.
type Slot struct {
	slots *slots
	keyID string
	once  sync.Once
}

// Admit gives a caller a stream slot, to be held while audio is made for it.
// The number of slots of a key is its plan's; plan unlimited has no bound.
func (s *Service) Admit(_ context.Context, c Caller) (*Slot, error) {
	if !c.known() {
		return nil, errUnknownCaller
	}
	s.slots.add(c.KeyID, 1)
	return &Slot{slots: s.slots, keyID: c.KeyID}, nil
}

// Running returns how many slots of a key are taken in this process.
func (s *Service) Running(keyID string) int {
	s.slots.mu.Lock()
	defer s.slots.mu.Unlock()
	return s.slots.running[keyID]
}

// Release gives the slot back. Calls after the first do nothing; so does a
// call on a nil slot.
func (s *Slot) Release() {
	if s == nil {
		return
	}
	s.once.Do(func() { s.slots.add(s.keyID, -1) })
}

func (s *slots) add(keyID string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n += s.running[keyID]; n == 0 {
		delete(s.running, keyID)
	} else {
		s.running[keyID] = n
	}
}
