// Package pause waits, and gives up waiting with a context.
package pause

import (
	"context"
	"time"
)

// For waits for a duration and returns nil. If ctx ends first it returns its cause at once.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
