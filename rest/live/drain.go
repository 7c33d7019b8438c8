package live

import (
	"context"
	"fmt"
	"time"
)

// lastWords is how long a socket that must end has to send the current piece of audio and its last
// frame, and to receive the close frame of the client.
const lastWords = time.Second

// enter counts a new socket; false when the handler takes no more.
func (h *Handler) enter() bool {
	h.mu.Lock()
	// The mutex orders this before Drain's Wait: no socket is added after the wait began.
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.sockets.Add(1)
	return true
}

// Drain ends service. It refuses new sockets, closes sockets on which nothing is open with 1001,
// and lets the others finish until ctx ends. It then closes those with 1001 after the piece of
// audio that they are sending, or after a second, and returns an error that says so. Drain returns
// when no socket is left.
func (h *Handler) Drain(ctx context.Context) error {
	h.mu.Lock()
	// Drain may be called twice; closing a closed channel would panic.
	if !h.closed {
		h.closed = true
		close(h.draining)
	}
	h.mu.Unlock()
	left := make(chan struct{})
	// The wait has no deadline. This goroutine ends with the last socket, for which the end of
	// Drain waits too.
	go func() {
		h.sockets.Wait()
		close(left)
	}()
	select {
	case <-left:
		return nil
	case <-ctx.Done():
	}
	h.mu.Lock()
	if !h.halted {
		h.halted = true
		close(h.stopping)
	}
	h.mu.Unlock()
	<-left
	return fmt.Errorf("wait for sockets to finish: %w", ctx.Err())
}
