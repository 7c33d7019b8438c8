package rig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// Progress says on a terminal how far the work has come, and says nothing to a
// file.
type Progress struct {
	out  io.Writer // nil is no terminal
	what string
	all  int
	done atomic.Int64
}

// NewProgress returns the progress of a job of a number of steps, shown on out if that is a terminal.
func NewProgress(out *os.File, what string, all int) *Progress {
	p := &Progress{what: what, all: all}
	if info, err := out.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		p.out = out
	}
	return p
}

// Step says that one more step is done. It is safe for concurrent use.
func (p *Progress) Step() {
	if n := p.done.Add(1); p.out != nil {
		fmt.Fprintf(p.out, "\r%s: %d of %d ", p.what, n, p.all)
	}
}

// End clears the line.
func (p *Progress) End() {
	if p.out != nil {
		fmt.Fprintf(p.out, "\r%*s\r", len(p.what)+20, "")
	}
}

// ForEach calls do for 0..n-1 on all cores, and returns the errors. After the
// first, or the end of the context, it begins no more.
func ForEach(ctx context.Context, n int, do func(context.Context, int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make([]error, n)
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n || ctx.Err() != nil {
					return
				}
				if failed[i] = do(ctx, i); failed[i] != nil {
					cancel()
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return context.Cause(ctx)
}
