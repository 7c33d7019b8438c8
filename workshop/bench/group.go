package main

import "sync"

// group is goroutines that work at once. The others go on when one fails. The zero
// value is ready.
type group struct {
	running sync.WaitGroup
	once    sync.Once
	err     error // of the first that failed
}

// Go has f run beside the others.
func (g *group) Go(f func() error) {
	g.running.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	})
}

// Wait returns when all have ended, with the error of the first that failed.
func (g *group) Wait() error {
	g.running.Wait()
	return g.err
}
