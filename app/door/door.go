// Package door takes the addresses of a server, serves HTTP on them, and hands them to the
// process that takes over, without dropping a request. A process that replaces another of
// the same database listens at the same address beside it; [Presence] is how the two know
// of each other.
package door

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"vaak/edge"
	"vaak/edge/connection"
)

// Door is an HTTP server that can be shut without dropping a request.
type Door struct {
	server   *http.Server
	draining chan struct{} // closed when draining begins
	stopped  chan struct{} // closed when Serve has returned
	l        net.Listener
	open     sync.WaitGroup // connections that are neither closed nor taken over
}

// Limits of a connection. There is no write timeout, since a stream lasts as long as its
// text: streams set a timeout for each write.
const (
	readHeaderTimeout = 5 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeaderBytes    = 16 << 10

	maxStreams  = 100              // requests that run at once on one connection of HTTP/2
	pingAfter   = 30 * time.Second // without a frame from the client
	pingTimeout = 15 * time.Second // for the answer; then the connection is closed
)

// New returns a door at a listener, before a handler. When bodies ends, the handler waits no
// longer for request bodies that have not arrived.
//
// Where the listener speaks TLS the door speaks HTTP/2 too, with clients that choose it in the
// handshake. On a plain listener it speaks HTTP/1.1 alone: there is no h2c.
func New(bodies context.Context, l net.Listener, h http.Handler, log *slog.Logger) *Door {
	d := &Door{
		l: l,
		server: &http.Server{
			Handler:           edge.Chain(h, connection.Unambiguous, edge.Arrive(bodies, edge.BodyPatience)),
			ConnContext:       connection.Keep,
			ReadHeaderTimeout: readHeaderTimeout,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeaderBytes,
			// The handler answers OPTIONS *, as it answers everything else.
			DisableGeneralOptionsHandler: true,
			ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		},
		draining: make(chan struct{}),
		stopped:  make(chan struct{}),
	}
	if connection.Secure(l) {
		// net/http does not see the TLS inside the connections of a pool, so HTTP/2 over them is
		// unencrypted to it.
		d.server.Protocols = new(http.Protocols)
		d.server.Protocols.SetHTTP1(true)
		d.server.Protocols.SetUnencryptedHTTP2(true)
		d.server.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: maxStreams, SendPingTimeout: pingAfter, PingTimeout: pingTimeout}
	}
	d.server.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			d.open.Add(1)
		case http.StateClosed, http.StateHijacked:
			d.open.Done()
		}
	}
	return d
}

// Serve accepts connections until [Door.Drain] closes the listener, and then returns nil.
// Any other end is an error. It must be called once.
func (d *Door) Serve() error {
	defer close(d.stopped)
	err := d.server.Serve(d.l)
	select {
	case <-d.draining:
		return nil // it was asked to stop
	default:
		return err
	}
}

// settle is how long a connection that was accepted just before the listener closed has to
// send the headers of its request. Shutdown of [http.Server] drops requests whose headers
// it has not read yet.
const settle = 300 * time.Millisecond

// Draining is closed when the door begins to drain.
func (d *Door) Draining() <-chan struct{} { return d.draining }

// StopAccepting announces that the door will drain, before it closes its listener: those
// who watch [Door.Draining] can tell clients to go elsewhere.
func (d *Door) StopAccepting() {
	select {
	case <-d.draining:
	default:
		close(d.draining)
	}
}

// Drain closes the listener first, so that no request arrives that would be dropped, then
// waits for the running requests until ctx ends. Those that still run then are broken off,
// and the error says so. It may be called once, and before [Door.Serve], for which it waits:
// a server may be told to stop before the goroutine of its door has run.
func (d *Door) Drain(ctx context.Context) error {
	d.StopAccepting()
	// Answers from here on carry Connection: close, so clients do not send the next request
	// to a server that goes.
	d.server.SetKeepAlivesEnabled(false)
	_ = d.l.Close() // Serve returns its error
	// Serve has accepted its last connection when it returns. Only then does the time to
	// settle begin, since it is meant for that connection. Idle connections are closed by now,
	// so a server without requests need not wait.
	<-d.stopped
	none := make(chan struct{})
	go func() {
		d.open.Wait()
		close(none)
	}()
	select {
	case <-none:
	case <-time.After(settle):
	case <-ctx.Done():
	}
	if err := d.server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests were still running after the drain timeout: %w", err), d.server.Close())
	}
	return nil
}
