// Package flight lets concurrent callers share the making of a value.
package flight

import (
	"runtime"
	"sync"
)

// Group makes at most one value per key at a time, however many callers ask for it. It keeps no
// values: a caller who asks after the making has ended has the value made again. A value that
// is to be found again must be stored before create returns. The zero value is ready to use. A
// Group is safe for concurrent use; values are shared.
type Group[K comparable, V any] struct {
	mu      sync.Mutex
	flights map[K]*Flight[V] // those that have not ended
}

// Flight is one making of a value.
type Flight[V any] struct {
	done chan struct{} // closed when the fields below are set

	value    V
	err      error
	panicked any  // the value with which create panicked
	exited   bool // create called runtime.Goexit
}

// Do returns what create returns. It calls create in this goroutine, unless the value of the
// key is being made: then it waits for that and returns the same. If create panics or calls
// runtime.Goexit, so does every waiting Do.
func (g *Group[K, V]) Do(k K, create func() (V, error)) (V, error) {
	f, first := g.join(k)
	if first {
		g.run(k, f, create)
	}
	return f.Value()
}

// Go is like Do, for callers who may leave before the value is there. It calls create in a
// goroutine, which continues even if nobody waits any more. A panic of create ends the program,
// because there may be nobody to pass it to.
func (g *Group[K, V]) Go(k K, create func() (V, error)) *Flight[V] {
	f, first := g.join(k)
	if first {
		go g.run(k, f, create)
	}
	return f
}

// join returns the flight of a key. If first is true it is new, and the caller must run it.
func (g *Group[K, V]) join(k K) (f *Flight[V], first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f, ok := g.flights[k]
	if !ok {
		f = &Flight[V]{done: make(chan struct{})}
		if g.flights == nil {
			g.flights = map[K]*Flight[V]{}
		}
		g.flights[k] = f
	}
	return f, !ok
}

// run calls create and publishes the outcome. The flight is removed first, so a caller who sees
// the outcome and asks again starts a new flight.
func (g *Group[K, V]) run(k K, f *Flight[V], create func() (V, error)) {
	returned := false
	defer func() {
		// recover returns nil where create called Goexit, because Goexit is no panic.
		if !returned {
			f.panicked = recover()
			f.exited = f.panicked == nil
		}
		// Before done is closed, and so before anybody sees the value.
		g.remove(k)
		close(f.done)
		if f.panicked != nil {
			panic(f.panicked) // panic again here, where the stack still shows the cause
		}
	}()
	f.value, f.err = create()
	returned = true
}

// remove removes the flight of a key.
func (g *Group[K, V]) remove(k K) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.flights, k)
}

// Done returns a channel that is closed when the flight has ended.
func (f *Flight[V]) Done() <-chan struct{} { return f.done }

// Value waits until the flight has ended and returns the results of create. If create panicked,
// Value panics with the same value; if it called runtime.Goexit, so does Value.
func (f *Flight[V]) Value() (V, error) {
	<-f.done
	switch {
	case f.panicked != nil:
		panic(f.panicked)
	case f.exited:
		runtime.Goexit()
	}
	return f.value, f.err
}
