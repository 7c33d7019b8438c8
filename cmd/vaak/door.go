package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"vaak/edge"
	"vaak/edge/connection"
)

// door is an HTTP server that can be shut without dropping a request.
type door struct {
	server  *http.Server
	open    chan struct{} // closed when draining begins
	stopped chan struct{} // closed when Serve has returned
	l       net.Listener
}

// Limits of a connection. There is no write timeout: streams set their own,
// write by write.
const (
	readHeaderTimeout = 5 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeaderBytes    = 16 << 10
)

// newDoor returns a door before a handler. When drains ends, bodies that have not
// arrived are not waited for any more.
func newDoor(drains context.Context, h http.Handler, log *slog.Logger) *door {
	return &door{
		server: &http.Server{
			Handler:           edge.Chain(h, connection.Unambiguous, edge.Arrive(drains, edge.BodyPatience)),
			ConnContext:       connection.Keep,
			ReadHeaderTimeout: readHeaderTimeout,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeaderBytes,
			// OPTIONS * is answered by the handler, as everything is.
			DisableGeneralOptionsHandler: true,
			ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		},
		open:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
}

func (d *door) serve(l net.Listener) error {
	defer close(d.stopped)
	d.l = l
	err := d.server.Serve(l)
	select {
	case <-d.open:
		return nil // it was asked to stop
	default:
		return err
	}
}

// settle is how long a request whose connection was accepted just before the
// listener closed has to send its headers. A server that is shut down drops
// requests that it has not read yet.
const settle = 300 * time.Millisecond

// drain closes the listener first, so that no request arrives that would be
// dropped, then waits for the running ones until ctx ends.
func (d *door) drain(ctx context.Context) error {
	if !closed(d.open) {
		close(d.open)
	}
	d.server.SetKeepAlivesEnabled(false)
	_ = d.l.Close() // Serve returns its error
	<-d.stopped
	select {
	case <-time.After(settle):
	case <-ctx.Done():
	}
	if err := d.server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests were still running after the drain timeout: %w", err), d.server.Close())
	}
	return nil
}

// closed reports whether a channel is closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
