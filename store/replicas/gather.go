package replicas

import (
	"fmt"
	"sync"

	"vaak/account"
)

// gathering counts requests of the same scopes together. While one round is being counted,
// requests that come wait for the next one. A request that comes alone is counted at once.
type gathering struct {
	mu   sync.Mutex
	next map[string]*round // by scopes of which a round is being counted; nil until one waits
}

// round is a number of requests that are counted in one query.
type round struct {
	times     int
	done      chan struct{} // closed when standings and err are set
	standings [][]account.Standing
	err       error
}

// join adds a request to a round of its scopes, and returns the round and the index of the
// request in it. Ask counts a number of requests.
func (g *gathering) join(scopes []account.Scope, ask func(times int, scopes []account.Scope) ([][]account.Standing, error)) (r *round, place int) {
	key := fmt.Sprint(scopes) // ids and limits: the same scopes with another limit are another round
	g.mu.Lock()
	defer g.mu.Unlock()
	r, asking := g.next[key]
	if asking {
		if r == nil {
			r = &round{done: make(chan struct{})}
			g.next[key] = r
		}
		r.times++
		return r, r.times - 1
	}
	if g.next == nil {
		g.next = map[string]*round{}
	}
	r = &round{times: 1, done: make(chan struct{})}
	g.next[key] = nil // the key without a round says that one is being counted
	// Not on the goroutine of the caller, whose context may end while others wait for the
	// same round.
	go func() {
		for r := r; r != nil; r = g.following(key) {
			r.standings, r.err = ask(r.times, scopes)
			close(r.done)
		}
	}()
	return r, 0
}

// following returns the round that waits. When none does, it deletes the scopes and returns
// nil.
func (g *gathering) following(key string) *round {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.next[key]
	if r == nil {
		delete(g.next, key)
	} else {
		g.next[key] = nil
	}
	return r
}
