package measure

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// How the cache is looked at for what others measure: some files each time, going
// round, so that a set of many files is no load on the database.
const (
	lookAgain  = 500 * time.Millisecond
	lookAtOnce = 1000
)

// patienceDefault is that of [Config.Patience].
const patienceDefault = time.Minute

// shared is a file that others measure.
type shared struct {
	i    int // number of its path
	task Task
}

// collect hands files to others and waits for what they find. Where nothing comes,
// because nobody takes them or who took them is gone, it measures itself.
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
	last := time.Now() // when something came, or nobody could be waited for
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
			continue // others are given no more time before they deliver again
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// look looks for the first of the files that are waited for, and puts those that
// have not come behind the others. It reports whether one came.
func (p *pool) look(ctx context.Context) (came bool, err error) {
	n := min(len(p.shared), lookAtOnce)
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

// takeBack measures files that others did not, one for each goroutine there may be.
// It begins with the last: others take the first.
func (p *pool) takeBack(ctx context.Context) error {
	slices.SortFunc(p.shared, func(a, b shared) int { return cmp.Compare(a.i, b.i) })
	left := max(0, len(p.shared)-p.Jobs)
	var files []int
	for _, s := range p.shared[left:] {
		files = append(files, s.i)
	}
	p.shared, p.alone = p.shared[:left], true
	defer func() { p.alone = false }()
	return p.each(ctx, files)
}
