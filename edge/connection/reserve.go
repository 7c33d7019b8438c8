package connection

import (
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"sync"
	"syscall"
)

// Reserve returns a listener that can accept connections even when the process has no file
// descriptors left. It keeps spare descriptors, closes one when a connection finds none, and
// opens another when that connection closes.
func Reserve(l net.Listener, descriptors int) (net.Listener, error) {
	r := &reserve{Listener: l, want: descriptors}
	if err := r.fill(); err != nil {
		r.spend(descriptors)
		return nil, fmt.Errorf("keep %d descriptors in reserve: %w", descriptors, err)
	}
	return r, nil
}

type reserve struct {
	net.Listener
	want int

	mu    sync.Mutex
	spare []*os.File
}

// fill takes descriptors until there are as many as wanted.
func (r *reserve) fill() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.spare) < r.want {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return err
		}
		r.spare = append(r.spare, f)
	}
	return nil
}

// spend closes up to n spare descriptors, and reports whether there was one.
func (r *reserve) spend(n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	n = min(n, len(r.spare))
	for range n {
		last := len(r.spare) - 1
		_ = r.spare[last].Close() // nothing was written to it that could be lost
		r.spare = r.spare[:last]
	}
	return n > 0
}

// Accept accepts the next connection. When it finds no descriptor it closes two spare ones: one
// for the connection, and one because the answer may need a file.
func (r *reserve) Accept() (net.Conn, error) {
	for {
		c, err := r.Listener.Accept()
		if (errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)) && r.spend(2) {
			// The connection still waits in the queue of the kernel, so Accept gets it the next
			// time.
			continue
		}
		if err != nil {
			return nil, err
		}
		return &reserved{Conn: c, of: r}, nil
	}
}

// Close closes the listener and gives the descriptors back.
func (r *reserve) Close() error {
	err := r.Listener.Close()
	r.mu.Lock()
	// So that connections that close later open no descriptors again.
	r.want = 0
	r.mu.Unlock()
	r.spend(math.MaxInt)
	return err
}

// reserved is a connection after which the reserve is filled again.
type reserved struct {
	net.Conn
	of *reserve
}

// NetConn returns the connection beneath.
func (c *reserved) NetConn() net.Conn { return c.Conn }

// Close closes the connection.
func (c *reserved) Close() error {
	err := c.Conn.Close()
	_ = c.of.fill() // on failure the next connection that closes tries again
	return err
}
