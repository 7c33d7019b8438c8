package flight

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestBounded has many ask for few keys at once: each is made once, as many at once as may be, and
// those that wait too many are refused.
func TestBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewBounded[int, int](2, 1)
		made, end := map[int]int{}, make(chan struct{})
		start := make(chan int, 10)
		ask := func(ctx context.Context, k int) chan error {
			out := make(chan error, 1)
			go func() {
				v, err := b.Do(ctx, k, func(context.Context) (int, error) {
					start <- k
					<-end
					return -k, nil
				})
				if err == nil && v != -k {
					t.Errorf("Do(%d) = %d", k, v)
				}
				out <- err
			}()
			synctest.Wait()
			return out
		}
		ctx, leave := context.WithCancel(t.Context())
		all := []chan error{ask(t.Context(), 1), ask(t.Context(), 1), ask(t.Context(), 2), ask(t.Context(), 3), ask(t.Context(), 3)}
		gone, refused := ask(ctx, 1), ask(t.Context(), 4)
		leave()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("of who leaves: %v", err)
		}
		if err := <-refused; !errors.Is(err, ErrBusy) {
			t.Errorf("of who comes when one waits: %v, want ErrBusy", err)
		}
		if len(start) != 2 {
			t.Errorf("%d are made at once, want 2", len(start))
		}
		close(end)
		for i, c := range all {
			if err := <-c; err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
		for range len(start) {
			made[<-start]++
		}
		if len(made) != 3 || made[1] != 1 || made[2] != 1 || made[3] != 1 {
			t.Errorf("made, by key: %v, want each once", made)
		}
	})
}

// TestBoundedPanic: a panic is an error, and its turn is free again. The same holds for a making
// that takes too long.
func TestBoundedPanic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewBounded[int, int](1, 1)
		if _, err := b.Do(t.Context(), 1, func(context.Context) (int, error) { panic("broken") }); err == nil || !strings.Contains(err.Error(), "broken") {
			t.Errorf("of a panic: %v", err)
		}
		began := time.Now()
		_, err := b.Do(t.Context(), 1, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != patience {
			t.Errorf("after %v: %v, want the end of its time", time.Since(began), err)
		}
		if v, err := b.Do(t.Context(), 1, func(context.Context) (int, error) { return 7, nil }); v != 7 || err != nil {
			t.Errorf("afterwards: %d, %v", v, err)
		}
	})
}
