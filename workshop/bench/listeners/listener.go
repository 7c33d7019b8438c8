package listeners

import (
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/server"
)

// listener is a stream that is played: read at the speed of its audio and never
// more than a block ahead of it.
type listener struct {
	fd       int // of the socket, which the runtime's poller does not know
	body     client.Unchunker
	timeline timeline
	bite     int // bytes of a read
	playback playback
}

// open reads the response, whose status has come, up to the first byte of
// audio, and has a listener go on from there. It takes the connection off the
// client, and off the runtime's poller, which would wake this process for every
// segment that arrives.
func open(c *client.Client, s *server.Server, status int) (*listener, error) {
	if err := c.Expect(status); err != nil {
		return nil, err
	}
	t, err := NewTimeline(s.Format, s.Header)
	if err != nil {
		return nil, err
	}
	for n := 0; n <= s.Header; {
		b, err := c.Next()
		if err != nil {
			return nil, fmt.Errorf("before the first audio: %w", err)
		}
		if err := t.add(b); err != nil {
			return nil, err
		}
		n += len(b)
	}
	l := &listener{timeline: t, bite: bite(s.Format), playback: startPlayback(time.Now()), body: c.Unchunker()}
	if err := l.body.Feed(c.Buf[c.From:c.To], t.add); err != nil {
		return nil, err
	}
	l.fd, err = c.Detach()
	return l, err
}

// look is what a listener does at its time: it takes the audio that is due, and
// reports whether the stream has been heard to its end.
func (l *listener) look(now time.Time, buf []byte) (ended bool, err error) {
	p := &l.playback
	for l.timeline.audio() < p.needed && !l.body.Ended() {
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
		if err := l.body.Feed(buf[:n], l.timeline.add); err != nil {
			return false, err
		}
	}
	p.present(now)
	return l.body.Ended(), nil
}

// givenUp is how long a listener waits for a block.
const givenUp = 10 * time.Second

func (l *listener) close() { _ = unix.Close(l.fd) } // nothing that was sent matters any more
