package measure

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// How often, and for how many files at once, the cache is asked for results of other processes.
// A large set is checked in rounds, so that it does not load the database.
const (
	lookAgain  = 500 * time.Millisecond
	lookAtOnce = 1000
)

// patienceDefault is the default of [Config.Patience].
const patienceDefault = time.Minute

// shared is a file that another process may measure.
type shared struct {
	i    int // index of its path
	task Task
}

// collect shares files and waits for their results. If none arrive, because nobody took the
// files or those who did are gone, it measures files itself.
func (p *pool) collect(ctx context.Context) error {
	slices.SortFunc(p.shared, func(a, b shared) int { return cmp.Compare(a.i, b.i) })
	tasks := make([]Task, len(p.shared))
	for n, s := range p.shared {
		tasks[n] = s.task
	}
	if err := p.Share(ctx, tasks); err != nil {
		return err
	}
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	last := time.Now() // when a result last arrived, or waiting began
	for {
		came, err := p.look(ctx)
		if err != nil || len(p.shared) == 0 {
			return err
		}
		switch {
		case came:
			last = time.Now()
		case time.Since(last) >= cmp.Or(p.Patience, patienceDefault):
			if err := p.takeBack(ctx); err != nil {
				return err
			}
			continue // last stays: the others must deliver before they are waited for again
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// look asks the cache for the first of the files that are waited for, and moves those without
// a result to the end of the list. It reports whether a result arrived.
func (p *pool) look(ctx context.Context) (came bool, err error) {
	n := min(len(p.shared), lookAtOnce)
	// Those that were asked for go behind the others, so that each round asks for other
	// files.
	waiting := slices.Clone(p.shared[n:])
	for _, s := range p.shared[:n] {
		k, ok, err := p.lookUp(ctx, s.task.SHA256)
		if err != nil {
			return false, err
		}
		if !ok {
			waiting = append(waiting, s)
			continue
		}
		r, err := k.result()
		p.done(s.i, r, err, false)
		came = true
	}
	p.shared = waiting
	return came, nil
}

// takeBack measures files that others have not: one per goroutine, from the end of the list,
// because others begin at its start.
func (p *pool) takeBack(ctx context.Context) error {
	slices.SortFunc(p.shared, func(a, b shared) int { return cmp.Compare(a.i, b.i) })
	from := max(0, len(p.shared)-p.Jobs)
	var files []int
	for _, s := range p.shared[from:] {
		files = append(files, s.i)
	}
	// alone keeps file from sharing these files again.
	p.shared, p.alone = p.shared[:from], true
	defer func() { p.alone = false }()
	return p.each(ctx, files)
}
