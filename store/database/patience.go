package database

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// readParts is in how many parts a read waits: a stop of this process, or of the whole machine,
// counts as one of them, see [pause.Within].
const readParts = 10

// impatient returns a dial function whose connections fail a read that has waited for
// patience. So a call without a deadline also notices a server that hangs, or a network
// that loses every packet.
func impatient(dial pgconn.DialFunc, patience time.Duration) pgconn.DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &impatientConn{Conn: conn, patience: patience}, nil
	}
}

type impatientConn struct {
	net.Conn
	patience time.Duration

	mu    sync.Mutex
	until time.Time // the deadline that the driver has set; zero is none
	dead  error     // why reads fail for good
}

// SetDeadline implements [net.Conn]. The driver ends a read by setting one in
// the past.
func (c *impatientConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = t
	return c.Conn.SetDeadline(t)
}

// Read implements [net.Conn]. After it has run out of patience once, it fails at once:
// the driver reads again before it gives up a connection, and would wait twice.
func (c *impatientConn) Read(b []byte) (int, error) {
	for range readParts {
		ours, err := c.arm()
		if err != nil {
			return 0, err
		}
		// The lock is not held during the read, so that SetDeadline can end it.
		n, err := c.Conn.Read(b)
		if !ours || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead = os.ErrDeadlineExceeded
	return 0, c.dead
}

// arm sets the deadline of the next part of a read, and reports whether it is ours: the
// driver's may be sooner.
func (c *impatientConn) arm() (ours bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := time.Now().Add(c.patience / readParts)
	switch {
	case c.dead != nil:
		return false, c.dead
	case !c.until.IsZero() && c.until.Before(t):
		return false, c.Conn.SetReadDeadline(c.until)
	}
	return true, c.Conn.SetReadDeadline(t)
}
