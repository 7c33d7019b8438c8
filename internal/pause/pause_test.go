package pause

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestFor: a pause lasts as long as it says, or until its context ends, and says why it ended.
func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := For(t.Context(), time.Minute); err != nil || time.Since(began) != time.Minute {
			t.Errorf("For = %v after %v, want nil after a minute", err, time.Since(began))
		}
		stopped := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stopped) })
		began = time.Now()
		if err := For(ctx, time.Minute); !errors.Is(err, stopped) || time.Since(began) != time.Second {
			t.Errorf("For = %v after %v, want the cause after a second", err, time.Since(began))
		}
	})
}
