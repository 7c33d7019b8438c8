package ratelimit

import (
	"strings"
	"sync"
	"time"
)

// DefaultScopes is how many scopes a [Limiter] keeps unless told otherwise;
// they take about 30 MB.
const DefaultScopes = 1 << 16

// Limiter keeps a [Window] for each scope, such as the id of a key or an
// address, in memory. It may be used from many goroutines at once.
//
// It remembers a bounded number of scopes. When another one comes, windows
// that count nothing any more go first; failing that, the scope whose latest
// Take is the longest ago is forgotten, and has its whole budget again. So
// whoever can call under more scopes than are kept is not limited: the bound
// must be chosen above what one caller can have.
//
// A wall clock that is set back or forward does not disturb it as long as the
// times it is given carry a monotonic reading, as those of [time.Now] do.
type Limiter struct {
	maxScopes int
	began     time.Time

	mu     sync.Mutex
	scopes map[string]*entry
	uses   entry // sentinel of the ring of entries: next is the latest used
}

// entry is one scope, in the ring of all in the order of their use.
type entry struct {
	scope      string
	window     Window
	prev, next *entry
}

// NewLimiter returns a limiter that remembers at most maxScopes scopes;
// [DefaultScopes] when that is below 1.
func NewLimiter(maxScopes int) *Limiter {
	if maxScopes < 1 {
		maxScopes = DefaultScopes
	}
	l := &Limiter{maxScopes: maxScopes, began: time.Now(), scopes: make(map[string]*entry)}
	l.uses.prev, l.uses.next = &l.uses, &l.uses
	return l
}

// Take counts a request of the scope; see [Window.Take].
func (l *Limiter) Take(scope string, now time.Time, budget int) Decision {
	now = l.steady(now)
	l.mu.Lock()
	defer l.mu.Unlock()

	e := l.scopes[scope]
	if e == nil {
		if budget <= 0 {
			return new(Window).Take(now, budget) // nothing will be counted
		}
		e = l.add(scope, now)
	} else if l.uses.next != e {
		e.unlink()
		l.front(e)
	}
	return e.window.Take(now, budget)
}

// Look returns how the scope stands, without counting and without remembering
// it longer; see [Window.Look].
func (l *Limiter) Look(scope string, now time.Time, budget int) Decision {
	now = l.steady(now)
	l.mu.Lock()
	defer l.mu.Unlock()

	if e := l.scopes[scope]; e != nil {
		return e.window.Look(now, budget)
	}
	return new(Window).Look(now, budget)
}

// Scopes returns how many scopes are remembered.
func (l *Limiter) Scopes() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.scopes)
}

// steady returns now by the clock that does not jump, if now has one.
func (l *Limiter) steady(now time.Time) time.Time { return l.began.Add(now.Sub(l.began)) }

// add begins a scope, and makes room for it. Two idle scopes may go for one
// that comes, so that a burst of scopes does not take memory for ever.
func (l *Limiter) add(scope string, now time.Time) *entry {
	for range 2 {
		if oldest := l.uses.prev; oldest != &l.uses && oldest.window.idle(now) {
			l.drop(oldest)
		}
	}
	if len(l.scopes) >= l.maxScopes {
		l.drop(l.uses.prev)
	}
	e := &entry{scope: strings.Clone(scope)}
	l.scopes[e.scope] = e
	l.front(e)
	return e
}

func (l *Limiter) drop(e *entry) {
	delete(l.scopes, e.scope)
	e.unlink()
}

func (l *Limiter) front(e *entry) {
	e.prev, e.next = &l.uses, l.uses.next
	e.prev.next, e.next.prev = e, e
}

func (e *entry) unlink() { e.prev.next, e.next.prev = e.next, e.prev }
