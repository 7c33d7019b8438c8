package live

import (
	"context"
	"fmt"
	"time"
)

// lastWords is how long a socket that is cut short has for the piece of audio
// that is on its way, its last frame, and the close frame of its client.
const lastWords = time.Second

// enter counts a socket in; false when no more are taken.
func (h *Handler) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.sockets.Add(1)
	return true
}

// Drain ends service: new sockets are refused, those on which nothing is open
// are closed with 1001, and those that have begun may finish until ctx ends. Then
// they are closed with 1001 after the piece of audio that they are sending, or
// after a second, and the error says so. Drain returns when no socket is left.
func (h *Handler) Drain(ctx context.Context) error {
	h.mu.Lock()
	if !h.closed {
		h.closed = true
		close(h.draining)
	}
	h.mu.Unlock()
	left := make(chan struct{})
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
