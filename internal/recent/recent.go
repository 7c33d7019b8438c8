// Package recent is a bounded cache of recently used values.
package recent

import "sync"

// Memory keeps recently used values in two halves; when the newer half is full, the older one
// is dropped. So values that are used again and again stay, nothing has to be sorted, and the
// cost is one more map. It is safe for concurrent use; values are shared.
type Memory[K comparable, V any] struct {
	half int // the most that one half may hold
	size func(K, V) int

	mu       sync.Mutex
	new, old map[K]V
	used     int // total size of the values in new
}

// New returns an empty memory. The sizes of its values never exceed bound in total; bound must
// be at least 2. size must not be negative, and always the same for the same value; nil counts
// every value as 1. A value larger than half the bound is not kept.
func New[K comparable, V any](bound int, size func(K, V) int) *Memory[K, V] {
	if size == nil {
		size = func(K, V) int { return 1 }
	}
	return &Memory[K, V]{half: bound / 2, size: size, new: map[K]V{}}
}

// Get returns the value under a key, if it is still there.
func (m *Memory[K, V]) Get(k K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.new[k]
	if !ok {
		if v, ok = m.old[k]; ok {
			// Moved to the newer half, so that it outlives the next change of halves.
			delete(m.old, k)
			m.keep(k, v)
		}
	}
	return v, ok
}

// Put stores a value under a key and replaces an earlier one.
func (m *Memory[K, V]) Put(k K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(k)
	m.keep(k, v)
}

// Offer stores a value under a key unless there is one that stays, and returns the one that is to
// be used. So what several callers have read from a source at about the same time does not replace
// what is newer.
func (m *Memory[K, V]) Offer(k K, v V, stays func(there V) bool) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	there, ok := m.new[k]
	if !ok {
		there, ok = m.old[k]
	}
	if ok && stays(there) {
		v = there
	}
	m.drop(k)
	m.keep(k, v)
	return v
}

// Drop removes the value under a key.
func (m *Memory[K, V]) Drop(k K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(k)
}

// Clear removes all values.
func (m *Memory[K, V]) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.new, m.old, m.used = map[K]V{}, nil, 0
}

// drop removes a key from both halves.
func (m *Memory[K, V]) drop(k K) {
	if was, ok := m.new[k]; ok {
		m.used -= m.size(k, was)
		delete(m.new, k)
	}
	delete(m.old, k)
}

// keep adds a key that is in neither half to the newer one.
func (m *Memory[K, V]) keep(k K, v V) {
	size := m.size(k, v)
	if size > m.half {
		return
	}
	// The change of halves: what was not used since the last one goes.
	if m.used+size > m.half {
		m.old, m.new, m.used = m.new, map[K]V{}, 0
	}
	m.new[k] = v
	m.used += size
}
