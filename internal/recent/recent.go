// Package recent remembers what was asked for last, within a bound.
package recent

import "sync"

// Memory keeps the values that were put or asked for last: two halves, of which the
// older is dropped when the newer is full. So what is asked for again and again
// stays, at the price of one map more, and nothing is sorted. It is safe for
// concurrent use; values are shared.
type Memory[K comparable, V any] struct {
	half int // the most that one half may hold
	size func(K, V) int

	mu       sync.Mutex
	new, old map[K]V
	used     int // size of what is in new
}

// New returns an empty memory of values whose sizes together never exceed a bound,
// which is at least 2. A size is at least 0, and always the same for the same value;
// size may be nil, and then each counts as 1. A value that takes more than half the
// bound alone is not kept.
func New[K comparable, V any](bound int, size func(K, V) int) *Memory[K, V] {
	if size == nil {
		size = func(K, V) int { return 1 }
	}
	return &Memory[K, V]{half: bound / 2, size: size, new: map[K]V{}}
}

// Get returns the value that was last put under a key, if it is still there.
func (m *Memory[K, V]) Get(k K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.new[k]
	if !ok {
		if v, ok = m.old[k]; ok {
			delete(m.old, k)
			m.keep(k, v)
		}
	}
	return v, ok
}

// Put keeps a value under a key, in place of what was there.
func (m *Memory[K, V]) Put(k K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(k)
	m.keep(k, v)
}

// Drop forgets the value under a key.
func (m *Memory[K, V]) Drop(k K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(k)
}

// Clear forgets everything.
func (m *Memory[K, V]) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.new, m.old, m.used = map[K]V{}, nil, 0
}

// drop removes what is in either half.
func (m *Memory[K, V]) drop(k K) {
	if was, ok := m.new[k]; ok {
		m.used -= m.size(k, was)
		delete(m.new, k)
	}
	delete(m.old, k)
}

// keep adds to the newer half what is in neither.
func (m *Memory[K, V]) keep(k K, v V) {
	size := m.size(k, v)
	if size > m.half {
		return
	}
	if m.used+size > m.half {
		m.old, m.new, m.used = m.new, map[K]V{}, 0
	}
	m.new[k] = v
	m.used += size
}
