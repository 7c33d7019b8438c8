package main

import (
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// listener is a stream that is played: read at the speed of its audio and never
// more than a block ahead of it.
type listener struct {
	fd       int // of the socket, which the runtime's poller does not know
	body     unchunker
	timeline timeline
	bite     int // bytes of a read
	playback playback
}

// open reads the response, whose status has come, up to the first byte of
// audio, and has a listener go on from there. It takes the connection off the
// client, and off the runtime's poller, which would wake this process for every
// segment that arrives.
func open(c *client, s *server, status int) (*listener, error) {
	if err := c.expect(status); err != nil {
		return nil, err
	}
	t, err := newTimeline(s.format, s.header)
	if err != nil {
		return nil, err
	}
	for n := 0; n <= s.header; {
		b, err := c.next()
		if err != nil {
			return nil, fmt.Errorf("before the first audio: %w", err)
		}
		if err := t.add(b); err != nil {
			return nil, err
		}
		n += len(b)
	}
	l := &listener{timeline: t, bite: bite(s.format), playback: startPlayback(time.Now()), body: c.unchunker()}
	if err := l.body.feed(c.buf[c.from:c.to], t.add); err != nil {
		return nil, err
	}
	l.fd, err = c.detach()
	return l, err
}

// look is what a listener does at its time: it takes the audio that is due, and
// reports whether the stream has been heard to its end.
func (l *listener) look(now time.Time, buf []byte) (ended bool, err error) {
	p := &l.playback
	for l.timeline.audio() < p.needed && !l.body.ended() {
		n, err := unix.Read(l.fd, buf[:l.bite])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			p.absent(now)
			if p.stalled(now) > givenUp {
				return false, fmt.Errorf("no audio for %s", givenUp)
			}
			return false, nil
		case err != nil:
			return false, fmt.Errorf("read: %w", err)
		case n == 0:
			return false, io.ErrUnexpectedEOF
		}
		if err := l.body.feed(buf[:n], l.timeline.add); err != nil {
			return false, err
		}
	}
	p.present(now)
	return l.body.ended(), nil
}

// givenUp is how long a listener waits for a block.
const givenUp = 10 * time.Second

func (l *listener) close() { _ = unix.Close(l.fd) } // nothing that was sent matters any more

// unchunker goes on with the body where the client is.
func (c *client) unchunker() unchunker {
	u := unchunker{chunked: c.chunked, left: c.left}
	if c.opened && c.left == 0 {
		u.expect = chunkEnd
	}
	return u
}

// detach takes the socket off the client, which is closed, and off the poller.
// Reads of it do not block; it belongs to the caller.
func (c *client) detach() (fd int, err error) {
	defer c.close() // which the duplicate survives
	sys, ok := c.conn.(syscall.Conn)
	if !ok {
		return -1, fmt.Errorf("a connection of type %T has no socket", c.conn)
	}
	raw, err := sys.SyscallConn()
	if err != nil {
		return -1, err
	}
	cerr := raw.Control(func(own uintptr) { fd, err = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0) })
	return fd, errors.Join(err, cerr)
}
