package pause

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestWithin: the context ends after its time, with its parent, or when it is cancelled.
func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := Within(t.Context(), time.Minute)
		defer cancel()
		if ends, ok := ctx.Deadline(); !ok || ends.Sub(began) != time.Minute {
			t.Errorf("its deadline is %v, %v, want a minute later", ends, ok)
		}
		<-ctx.Done()
		if took := time.Since(began); took != time.Minute || ctx.Err() != context.DeadlineExceeded || context.Cause(ctx) != context.DeadlineExceeded {
			t.Errorf("it ended after %v with %v by %v, want a deadline after a minute", took, ctx.Err(), context.Cause(ctx))
		}
		parent, end := context.WithCancel(t.Context())
		defer end()
		for _, how := range []string{"cancelled", "with its parent"} {
			ctx, cancel := Within(parent, time.Minute)
			if how == "cancelled" {
				cancel()
			} else {
				end()
			}
			time.Sleep(2 * time.Minute)
			if cause := context.Cause(ctx); ctx.Err() != context.Canceled || cause != context.Canceled {
				t.Errorf("%s it ended with %v by %v", how, ctx.Err(), cause)
			}
			cancel()
		}
	})
}

// TestStop: a part that ends late, since the machine stood still, is followed by whole ones.
func TestStop(t *testing.T) {
	ended := false
	var next func()
	var waits int
	after := func(d time.Duration, f func()) *time.Timer {
		if d != time.Second {
			t.Errorf("a part takes %v, want a second", d)
		}
		waits++
		next = f
		return nil
	}
	inParts(t.Context(), parts*time.Second, func() { ended = true }, after)
	for i := range parts {
		if ended || waits != i+1 {
			t.Errorf("after %d parts: ended %v, %d were waited for", i, ended, waits)
		}
		next() // however late it comes
	}
	if !ended || waits != parts {
		t.Errorf("at the end: ended %v, %d parts", ended, waits)
	}
}
