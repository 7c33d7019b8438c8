package espeak

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// What can become of a child, besides speaking to the end.
var (
	errDown    = errors.New("espeak worker does not answer")      // it never said hello
	errLost    = errors.New("espeak child was lost")              // it was killed, or hangs
	errCrashed = errors.New("espeak child crashed over its text") // the library gave up, or never does
	errRefused = errors.New("espeak child refused its request")   // it is none of the library's
)

// opening are the samples of the frames that are wanted right behind the first,
// which has up to 49 ms, so that a listener has a third of a second before the
// stream has to ask for more.
var opening = []int{2 << 10, 4 << 10}

// converse has one child of a server answer a request and hands its frames to
// take, audio as there is room. The error is the context's, room's or take's, or
// wraps one of errDown, errLost, errCrashed and errRefused.
func (e *Engine) converse(ctx context.Context, server *forkServer, r request, room room, take func(frame) error) error {
	if _, _, err := room(ctx); err != nil {
		return err
	}
	conn, err := server.dial(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%w: %v", errDown, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()

	reader := e.readers.Get().(*frameReader)
	defer func() { reader.r.Reset(nil); e.readers.Put(reader) }()
	reader.r.Reset(conn)

	message := r.append(nil)
	if r.flags&flagTranscribe == 0 {
		for _, samples := range opening {
			message = appendDemand(message, samples)
		}
	}
	if _, err := conn.Write(message); err != nil {
		return broken(ctx, errDown, err)
	}
	v := vigil{server: server, conn: conn, longest: e.stall}
	greeted, expected := errDown, 1+len(opening)
	for {
		if expected == 0 {
			if expected, err = demand(ctx, conn, room); err != nil {
				return err
			}
		}
		f, err := v.next(reader)
		if err != nil {
			return broken(ctx, greeted, err)
		}
		switch f.kind {
		case frameHello:
			greeted, v.child = errLost, int(f.value)
			if e.onChild != nil {
				e.onChild(v.child)
			}
		case frameEnd:
			return nil
		case frameCrash:
			return fmt.Errorf("%w: signal %d", errCrashed, f.value)
		case frameError:
			return fmt.Errorf("%w: voice %q: %s", errRefused, r.set.Voice, f.text)
		case frameAudio:
			expected = max(expected-1, 0) // a child may send a frame early
			fallthrough
		default:
			if err := take(f); err != nil {
				return err
			}
		}
	}
}

// room is as Room of [engine.Sink].
type room func(context.Context) (samples int, ahead bool, err error)

// demand waits until there is room, asks for one or two frames, and returns how
// many.
func demand(ctx context.Context, conn net.Conn, room room) (frames int, err error) {
	samples, ahead, err := room(ctx)
	if err != nil {
		return 0, err
	}
	var buf [8]byte
	message := appendDemand(buf[:0], samples)
	frames = 1
	if ahead {
		message = appendDemand(message, samples)
		frames = 2
	}
	if err := conn.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return 0, broken(ctx, errLost, err)
	}
	if _, err := conn.Write(message); errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, broken(ctx, errLost, err)
	} // else a child that has ended already says so to the reader
	return frames, nil
}

// broken tells why a connection ended before its end frame.
func broken(ctx context.Context, what, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, errEndless) && what == errLost {
		what = errCrashed
	}
	return fmt.Errorf("%w: %v", what, err)
}
