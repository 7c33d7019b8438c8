package catalogue

import "sync"

// maxRecords bounds the records in memory. One takes some tens of KiB, more with a
// long sample, whose turns are all in it.
const maxRecords = 1000

// recordMemory keeps the records that were asked for last: two halves, of which the
// older is dropped when the newer is full.
type recordMemory struct {
	mu       sync.Mutex
	new, old map[string]*Stored // by slug
}

// get returns the record in a state; nil when it is not there.
func (m *recordMemory) get(want state) *Stored {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.new[want.slug]
	if !ok {
		if s, ok = m.old[want.slug]; ok {
			m.keep(s)
		}
	}
	if !ok || s.Revision != want.revision {
		return nil
	}
	return s
}

func (m *recordMemory) put(s *Stored) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(s)
}

func (m *recordMemory) keep(s *Stored) {
	if m.new == nil || len(m.new) >= maxRecords/2 {
		m.old, m.new = m.new, make(map[string]*Stored)
	}
	m.new[s.Dataset.Slug] = s
}
