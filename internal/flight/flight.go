// Package flight shares the making of a value among all who ask for it at once.
package flight

import (
	"runtime"
	"sync"
)

// Group has at most one making of a key's value under way, however many ask for it.
// It keeps nothing: who asks after a making has ended has the value made anew, so
// what is to be found again must be put somewhere before create returns. The zero
// value is ready. It is safe for concurrent use; values are shared.
type Group[K comparable, V any] struct {
	mu      sync.Mutex
	flights map[K]*Flight[V] // that have not landed
}

// Flight is one making of a value.
type Flight[V any] struct {
	landed chan struct{} // closed when what follows is there

	value  V
	err    error
	broken any  // what create panicked with
	exited bool // create called runtime.Goexit
}

// Do returns what create returns, which this goroutine calls unless a making of the
// key's value is under way: then it waits for that and returns the same. A panic of
// create, or its call of runtime.Goexit, is that of everyone who waits for it.
func (g *Group[K, V]) Do(k K, create func() (V, error)) (V, error) {
	f, first := g.join(k)
	if first {
		g.fly(k, f, create)
	}
	return f.Value()
}

// Go is Do for those who may leave before the value is there. A goroutine of its own
// calls create, and goes on when nobody waits any more. It does not recover from a
// panic of create, which therefore ends the program: there may be nobody to tell.
func (g *Group[K, V]) Go(k K, create func() (V, error)) *Flight[V] {
	f, first := g.join(k)
	if first {
		go g.fly(k, f, create)
	}
	return f
}

// join returns the flight of a key, and whether it is a new one, which the caller has
// to fly.
func (g *Group[K, V]) join(k K) (f *Flight[V], first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f, ok := g.flights[k]
	if !ok {
		f = &Flight[V]{landed: make(chan struct{})}
		if g.flights == nil {
			g.flights = map[K]*Flight[V]{}
		}
		g.flights[k] = f
	}
	return f, !ok
}

// fly calls create and hands out what becomes of it. Nobody joins the flight any more
// when the first hears of that.
func (g *Group[K, V]) fly(k K, f *Flight[V], create func() (V, error)) {
	returned := false
	defer func() {
		if !returned {
			f.broken = recover()
			f.exited = f.broken == nil
		}
		g.leave(k)
		close(f.landed)
		if f.broken != nil {
			panic(f.broken) // from here, where the stack still tells what broke
		}
	}()
	f.value, f.err = create()
	returned = true
}

// leave forgets a flight.
func (g *Group[K, V]) leave(k K) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.flights, k)
}

// Done returns a channel that is closed when the value, or what happened instead, is
// there.
func (f *Flight[V]) Done() <-chan struct{} { return f.landed }

// Value waits until create has ended and returns what it did. Where create panicked,
// it panics with the same, and where create called runtime.Goexit, so does it.
func (f *Flight[V]) Value() (V, error) {
	<-f.landed
	switch {
	case f.broken != nil:
		panic(f.broken)
	case f.exited:
		runtime.Goexit()
	}
	return f.value, f.err
}
