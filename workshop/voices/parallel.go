package main

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

// progress says on a terminal how far the work has come, and says nothing to a
// file.
type progress struct {
	out  io.Writer // nil is no terminal
	what string
	all  int
	done atomic.Int64
}

func newProgress(out *os.File, what string, all int) *progress {
	p := &progress{what: what, all: all}
	if info, err := out.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		p.out = out
	}
	return p
}

func (p *progress) step() {
	if n := p.done.Add(1); p.out != nil {
		fmt.Fprintf(p.out, "\r%s: %d of %d ", p.what, n, p.all)
	}
}

// end clears the line.
func (p *progress) end() {
	if p.out != nil {
		fmt.Fprintf(p.out, "\r%*s\r", len(p.what)+20, "")
	}
}

// forEach calls do for 0..n-1 on all cores, and returns the errors. After the
// first, or the end of the context, it begins no more.
func forEach(ctx context.Context, n int, do func(context.Context, int) error) error {
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
