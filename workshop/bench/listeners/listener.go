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
	came     time.Time // when bytes were last taken
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
	now := time.Now()
	l := &listener{timeline: t, bite: bite(s.Format), playback: startPlayback(now), came: now, body: c.Unchunker()}
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
		there, err := l.take(now, buf[:l.bite])
		if err != nil {
			return false, err
		}
		if !there {
			p.absent(now)
			return false, l.patient(p.stalled(now))
		}
	}
	p.present(now)
	return l.body.Ended(), nil
}

// rush takes all that has come, whatever its time, and reports whether that was the end.
func (l *listener) rush(now time.Time, buf []byte) (ended bool, err error) {
	for !l.body.Ended() {
		there, err := l.take(now, buf)
		if err != nil {
			return false, err
		}
		if !there {
			return false, l.patient(now.Sub(l.came))
		}
	}
	return true, nil
}

// take reads once, and reports whether something was there.
func (l *listener) take(now time.Time, buf []byte) (there bool, err error) {
	for {
		n, err := unix.Read(l.fd, buf)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("read: %w", err)
		case n == 0:
			return false, io.ErrUnexpectedEOF
		default:
			l.came = now
			return true, l.body.Feed(buf[:n], l.timeline.add)
		}
	}
}

// patient returns an error for a listener that has waited for too long.
func (l *listener) patient(waited time.Duration) error {
	if waited > givenUp {
		return fmt.Errorf("no audio for %s", givenUp)
	}
	return nil
}

// givenUp is how long a listener waits for a block.
const givenUp = 10 * time.Second

func (l *listener) close() { _ = unix.Close(l.fd) } // nothing that was sent matters any more
