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

// TestLimit: a limit ends after its time, begins again, and does not end once it was stopped.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, ended := time.Now(), make(chan time.Duration, 1)
		l := After(time.Minute, func() { ended <- time.Since(began) })
		time.Sleep(59 * time.Second)
		l.Reset(time.Hour)
		if took, want := <-ended, 59*time.Second+time.Hour; took != want {
			t.Errorf("it ended after %v, want %v", took, want)
		}
		l.Reset(time.Minute)
		time.Sleep(59 * time.Second)
		l.Stop()
		time.Sleep(time.Hour)
		if len(ended) != 0 {
			t.Error("it ended after it was stopped")
		}
	})
}

// TestStop: a stop of the machine, after which the end of a part is seen late, counts as that part.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan time.Time, 1)
		l := After(parts*time.Second, func() { ended <- time.Now() })
		l.timer.Stop()
		time.Sleep(time.Hour)
		seen := time.Now()
		l.tick()
		if took, want := (<-ended).Sub(seen), (parts-1)*time.Second; took != want {
			t.Errorf("after the stop it waited for %v, want %v", took, want)
		}
	})
}
