package ratelimit

import (
	"strings"
	"sync"
	"time"
)

// DefaultScopes is how many scopes a [Limiter] remembers by default. They take about 30 MB.
const DefaultScopes = 1 << 16

// Limiter keeps a [Window] for each scope in memory. A scope is what is limited, such as the id
// of a key or an address. It is safe for concurrent use.
//
// It remembers a limited number of scopes. For a new scope it first drops windows that count
// nothing any more. If there are none, it drops the scope whose last Take is the longest ago,
// which then has its full budget again. So a caller who can use more scopes than are remembered
// is not limited; the number must be larger than what one caller can have.
//
// Changes of the wall clock do not disturb it if the given times have a monotonic reading, as
// those of [time.Now] do.
type Limiter struct {
	maxScopes int
	began     time.Time // a time with a monotonic reading, to which all others are related

	mu     sync.Mutex
	scopes map[string]*entry
	ring   entry // sentinel of a ring of all entries; next is the most recently used
}

// entry is one scope, in the ring of all entries by their use.
type entry struct {
	scope      string
	window     Window
	prev, next *entry
}

// NewLimiter returns a limiter that remembers at most maxScopes scopes, or [DefaultScopes] if
// that is less than 1.
func NewLimiter(maxScopes int) *Limiter {
	if maxScopes < 1 {
		maxScopes = DefaultScopes
	}
	l := &Limiter{maxScopes: maxScopes, began: time.Now(), scopes: make(map[string]*entry)}
	l.ring.prev, l.ring.next = &l.ring, &l.ring
	return l
}

// Take counts a request of a scope; see [Window.Take].
func (l *Limiter) Take(scope string, now time.Time, budget int) Decision {
	now = l.monotonic(now)
	l.mu.Lock()
	defer l.mu.Unlock()

	e := l.scopes[scope]
	if e == nil {
		if budget <= 0 {
			return new(Window).Take(now, budget) // counts nothing, so do not remember the scope
		}
		e = l.add(scope, now)
	} else if l.ring.next != e {
		e.unlink()
		l.moveToFront(e)
	}
	return e.window.Take(now, budget)
}

// Look returns the state of a scope without counting, and without counting as a use of it; see
// [Window.Look].
func (l *Limiter) Look(scope string, now time.Time, budget int) Decision {
	now = l.monotonic(now)
	l.mu.Lock()
	defer l.mu.Unlock()

	if e := l.scopes[scope]; e != nil {
		return e.window.Look(now, budget)
	}
	return new(Window).Look(now, budget)
}

// Scopes returns how many scopes are remembered. Tests use it.
func (l *Limiter) Scopes() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.scopes)
}

// monotonic returns now, measured by the monotonic clock if now has a reading of it.
func (l *Limiter) monotonic(now time.Time) time.Time { return l.began.Add(now.Sub(l.began)) }

// add adds a scope and makes room for it. It drops up to two idle scopes for each new one, so
// memory shrinks again after a burst of scopes.
func (l *Limiter) add(scope string, now time.Time) *entry {
	for range 2 {
		// The least recently used is at prev of the sentinel.
		if oldest := l.ring.prev; oldest != &l.ring && oldest.window.idle(now) {
			l.drop(oldest)
		}
	}
	if len(l.scopes) >= l.maxScopes {
		l.drop(l.ring.prev)
	}
	// Cloned, because the scope may be a part of a request that would stay in memory with it.
	e := &entry{scope: strings.Clone(scope)}
	l.scopes[e.scope] = e
	l.moveToFront(e)
	return e
}

func (l *Limiter) drop(e *entry) {
	delete(l.scopes, e.scope)
	e.unlink()
}

func (l *Limiter) moveToFront(e *entry) {
	e.prev, e.next = &l.ring, l.ring.next
	e.prev.next, e.next.prev = e, e
}

func (e *entry) unlink() { e.prev.next, e.next.prev = e.next, e.prev }
