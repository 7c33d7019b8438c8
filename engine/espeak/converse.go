package espeak

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// How the conversation with a child can fail.
var (
	errNoHello = errors.New("espeak worker does not answer")      // no child greeted
	errGone    = errors.New("espeak child went while it waited")  // a spare child, before it answered
	errLost    = errors.New("espeak child was lost")              // it was killed, or it hangs
	errCrashed = errors.New("espeak child crashed over its text") // the library crashed, or does not end
	errRefused = errors.New("espeak child refused its request")   // the library does not know the voice
)

// firstFrames are the sizes, in samples, of the frames requested together with the text. The
// first frame has up to 49 ms without being requested; with these two the listener has a
// third of a second before the stream must ask for more.
var firstFrames = []int{2 << 10, 4 << 10}

// converse has one child of a server answer a request, and gives its frames to take. It
// requests audio as room allows. The error is that of ctx, room or take, or wraps errNoHello,
// errGone, errLost, errCrashed or errRefused.
func (e *Engine) converse(ctx context.Context, server *forkServer, r request, room room, take func(frame) error) error {
	if _, _, err := room(ctx); err != nil {
		return err
	}
	child, err := server.child(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%w: %v", errNoHello, err)
	}
	conn := child.conn
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	// Closing the connection ends the child, wherever it is in its work.

	reader := e.readers.Get().(*frameReader)
	// Reset, so that the pool does not keep the closed connection alive.
	defer func() { reader.r.Reset(nil); e.readers.Put(reader) }()
	reader.r.Reset(conn)

	// Request and first demands go out in one write, which saves a wake-up of the child.
	message := r.append(nil)
	if r.flags&flagTranscribe == 0 {
		for _, samples := range firstFrames {
			message = appendDemand(message, samples)
		}
	}
	// Before the child greets, the worker is at fault; after it, the child.
	lost := errNoHello
	if child.pid != 0 {
		lost = errGone
		e.made(child.pid)
	}
	if _, err := conn.Write(message); err != nil {
		return connectionError(ctx, lost, err)
	}
	v := watchdog{server: server, conn: conn, child: child.pid, stall: e.stall}
	expected, answered := 1+len(firstFrames), false
	for {
		if expected == 0 {
			if expected, err = demand(ctx, conn, room); err != nil {
				return err
			}
		}
		f, err := v.next(reader)
		if err != nil {
			return connectionError(ctx, lost, err)
		}
		lost = errLost
		switch f.kind {
		case frameHello:
			v.child = int(f.value)
			e.made(v.child)
		case frameEnd:
			return nil
		case frameCrash:
			return fmt.Errorf("%w: signal %d", errCrashed, f.value)
		case frameError:
			return fmt.Errorf("%w: voice %q: %s", errRefused, r.set.Voice, f.text)
		case frameAudio:
			expected = max(expected-1, 0) // a child may send a frame that was not requested yet
			fallthrough
		default:
			if err := take(f); err != nil {
				return err
			}
			if !answered && f.kind != frameWords {
				answered = true
				server.prepare() // not before the listener has the first audio
			}
		}
	}
}

// made tells tests of a child that speaks.
func (e *Engine) made(pid int) {
	if e.onChild != nil {
		e.onChild(pid)
	}
}

// room is as Room of [engine.Sink].
type room func(context.Context) (samples int, ahead bool, err error)

// demand waits until there is room, requests one or two frames, and returns how many.
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
	// A child that works reads its requests at once, so a full socket means that it hangs.
	if err := conn.SetWriteDeadline(time.Now().Add(checkInterval)); err != nil {
		return 0, connectionError(ctx, errLost, err)
	}
	if _, err := conn.Write(message); errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, connectionError(ctx, errLost, err)
	} // any other error means that the child has ended; the reader will see how
	return frames, nil
}

// connectionError returns why a connection ended before its end frame.
func connectionError(ctx context.Context, what, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, errEndless) && what == errLost {
		what = errCrashed
	}
	return fmt.Errorf("%w: %v", what, err)
}
