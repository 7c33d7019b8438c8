package espeak

import (
	"bufio"
	"context"
	"net"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// spare is a child that has greeted and waits for a request, so that the request need not wait
// for a connection and a fork.
type spare struct {
	conn *net.UnixConn
	pid  int
}

// spares are the spare children of a fork server.
type spares struct {
	mu      sync.Mutex
	ready   []spare
	making  int
	closed  bool
	pending sync.WaitGroup // children that are being made
}

// maxSpares is how many children of a fork server wait at most. Each takes about 0.4 MB.
const maxSpares = 2

// prepare has the worker fork a spare child in the background, if there are too few. A failure
// is left to the next request, which then connects itself.
func (s *forkServer) prepare() {
	s.spares.mu.Lock()
	defer s.spares.mu.Unlock()
	if s.spares.closed || len(s.spares.ready)+s.spares.making >= maxSpares {
		return
	}
	s.spares.making++
	s.spares.pending.Go(func() {
		child, err := s.fork()
		s.spares.mu.Lock()
		defer s.spares.mu.Unlock()
		s.spares.making--
		switch {
		case err != nil:
		case s.spares.closed:
			_ = child.conn.Close()
		default:
			s.spares.ready = append(s.spares.ready, child)
		}
	})
}

// fork connects to the worker and waits for the greeting of the child. A worker that does not
// work on it is killed, and so replaced before the next request needs it.
func (s *forkServer) fork() (spare, error) {
	conn, err := s.dial(context.Background())
	if err != nil {
		return spare{}, err
	}
	r := &frameReader{r: bufio.NewReaderSize(conn, 16), pcm: make([]int16, 8)} // a greeting is all that may come
	v := watchdog{server: s, conn: conn, stall: startTimeout}
	hello, err := v.next(r)
	if err == nil {
		err = conn.SetReadDeadline(time.Time{})
	}
	if err == nil && (hello.kind != frameHello || r.r.Buffered() > 0) {
		err = errProtocol
	}
	if err != nil {
		_ = conn.Close()
		return spare{}, err
	}
	return spare{conn: conn, pid: int(hello.value)}, nil
}

// child returns a connection to a child: to a spare one, or else to one that will greet first,
// whose process id is 0.
func (s *forkServer) child(ctx context.Context) (spare, error) {
	for {
		c, ok := s.spares.take()
		if !ok {
			break
		}
		if c.waits() {
			return c, nil
		}
		_ = c.conn.Close()
	}
	conn, err := s.dial(ctx)
	return spare{conn: conn}, err
}

func (s *spares) take() (c spare, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ready) == 0 {
		return spare{}, false
	}
	c, s.ready = s.ready[0], s.ready[1:]
	return c, true
}

// waits reports whether the child is still there, as far as its connection shows.
func (c spare) waits() (is bool) {
	raw, err := c.conn.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) { // fails only if the connection is closed
		var b [1]byte
		_, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		is = err == unix.EAGAIN
	})
	return is
}

// close ends the spare children.
func (s *spares) close() {
	s.mu.Lock()
	s.closed = true
	for _, c := range s.ready {
		_ = c.conn.Close()
	}
	s.ready = nil
	s.mu.Unlock()
	s.pending.Wait()
}
