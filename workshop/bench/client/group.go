package client

import (
	"sync"
)

// Group is goroutines that work at once. The others go on when one fails. The zero
// value is ready.
type Group struct {
	running sync.WaitGroup
	once    sync.Once
	err     error // of the first that failed
}

// Go has f run beside the others.
func (g *Group) Go(f func() error) {
	g.running.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	})
}

// Wait returns when all have ended, with the error of the first that failed.
func (g *Group) Wait() error {
	g.running.Wait()
	return g.err
}
