package publish

import (
	"context"
	"testing"
	"testing/synctest"

	"vaak/internal/fault"
)

// TestTurns fills all places: who comes then is refused, who waits may leave, and
// the others have their turn.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := newTurns()
		var leaves []func()
		for range cap(all.running) {
			leave, err := all.enter(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			leaves = append(leaves, leave)
		}
		ctx, cancel := context.WithCancel(t.Context())
		waited := make(chan error, maxWaiting)
		wait := func(ctx context.Context) {
			leave, err := all.enter(ctx)
			if err == nil {
				defer leave()
			}
			waited <- err
		}
		go wait(ctx)
		for range maxWaiting - 1 {
			go wait(t.Context())
		}
		synctest.Wait()
		_, err := all.enter(t.Context())
		if f, ok := err.(*fault.Error); !ok || f.Kind != fault.Unavailable || f.Code != fault.CodeOverloaded || f.RetryAfter <= 0 {
			t.Errorf("enter beside %d that wait: %v, want to be asked to come again", maxWaiting, err)
		}
		if len(waited) > 0 {
			t.Errorf("%d had a turn before there was one", len(waited))
		}
		cancel()
		if err := <-waited; fault.KindOf(err) != fault.Cancelled {
			t.Errorf("enter of one that leaves: %v, want a fault.Cancelled", err)
		}
		for _, leave := range leaves {
			leave()
		}
		for range maxWaiting - 1 {
			if err := <-waited; err != nil {
				t.Errorf("enter: %v", err)
			}
		}
		if len(all.running) != 0 || all.waiting.Load() != 0 {
			t.Errorf("%d run and %d wait in the end, want none", len(all.running), all.waiting.Load())
		}
	})
}
