package speech

import (
	"errors"
	"io"

	"vaak/audio/codec"
	"vaak/internal/fault"
	"vaak/internal/spool"
	"vaak/speech/cache"
	"vaak/speech/schedule"
)

// response passes the bytes of an answer on to its receiver, and calls begin before the
// first. A stream's bytes are collected in pending until send is called: they are made in
// a turn of the scheduler, and sent after the turn, so that a slow receiver does not keep
// a processor from others.
type response struct {
	w       io.Writer
	begin   func()           // called once before the first byte; nothing is refused after it
	stream  *schedule.Stream // nil for a cached answer, which needs no turns
	streams bool             // send bytes as they are made
	whole   *spool.Buffer    // collects an answer that is not streamed; else nil
	pending []byte
	funds   *funds       // nil for a cached answer, whose hold is there before
	draft   *cache.Draft // receives a copy for the cache; may be nil
	head    entryHead    // goes into the cache with the copy
	timing  *timing      // tells w what is said when; may be nil
	watch   *watch       // tells w how far the answer has come; may be nil
	bytes   int64
	err     error // the error of w, if it failed
	abort   error // if set, the answer is incomplete for good and Write refuses with it
}

// Write receives bytes from the encoder.
func (r *response) Write(p []byte) (int, error) {
	if r.abort != nil {
		return 0, r.abort
	}
	if r.whole != nil {
		return r.whole.Write(p)
	}
	r.pending = append(r.pending, p...)
	return len(p), nil
}

// pipe receives bytes of a cached answer, which need no encoder, and sends them if the
// answer is streamed.
func (r *response) pipe(p []byte) error {
	var err error
	if r.whole != nil {
		_, err = r.whole.Write(p)
	} else {
		_, err = r.writeOut(p)
	}
	return err
}

// send sends the bytes made since the last call.
func (r *response) send() error {
	if len(r.pending) == 0 {
		return nil
	}
	_, err := r.writeOut(r.pending)
	r.pending = r.pending[:0]
	return err
}

// Rewrite replaces the header of a file; see [codec.Rewriter].
func (r *response) Rewrite(head []byte) error {
	if r.abort != nil {
		return r.abort
	}
	if r.whole != nil {
		return r.whole.Rewrite(head)
	}
	// The header must not overtake the bytes that are still pending.
	if err := r.send(); err != nil {
		return err
	}
	if r.err = r.w.(codec.Rewriter).Rewrite(head); r.err != nil { // answer.mode has checked the type
		return r.err
	}
	return nil
}

// freeBuffers frees the buffer of bytes that were sent.
func (r *response) freeBuffers() {
	if len(r.pending) == 0 {
		r.pending = nil
	}
}

// finish sends what is pending, then the timing that belongs to no byte, and tells the
// watch that everything is made. Last it asks the receiver whether it kept everything.
func (r *response) finish() error {
	if err := r.send(); err != nil {
		return err
	}
	if err := r.handOver(); err != nil {
		return err
	}
	r.timing.notify()
	r.watch.finish()
	if f, ok := r.w.(Finisher); ok {
		if err := f.Finish(); err != nil {
			r.err = err
			return err
		}
	}
	return nil
}

// handOver gives a whole answer to its receiver: as the buffer itself to a [Whole], which
// saves copying it, else as bytes.
func (r *response) handOver() error {
	if r.whole == nil {
		return nil
	}
	to, takes := r.w.(interface{ receive(*spool.Buffer) })
	if !takes {
		_, err := r.whole.WriteTo(writerFunc(r.writeOut))
		return err
	}
	// The receiver owns the buffer from here on, so the cache gets its copy first.
	if r.draft != nil {
		_, _ = r.whole.WriteTo(r.draft) // never fails
	}
	r.begin()
	r.timing.notify()
	r.bytes = r.whole.Len()
	to.receive(r.whole)
	r.whole = nil
	return nil
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// serverFault reports whether the receiver failed through a fault of the server. A
// listener who left is not one.
func (r *response) serverFault() bool {
	f, ok := errors.AsType[*fault.Error](r.err)
	return ok && (f.Kind == fault.Unavailable || f.Kind == fault.Internal)
}

// writeOut writes bytes to the receiver. It waits for the hold first, so that nothing is
// sent that cannot be paid.
func (r *response) writeOut(p []byte) (n int, err error) {
	if r.funds != nil {
		if err := r.funds.wait(); err != nil {
			return 0, err
		}
	}
	// Once a write has failed the answer is over, and begin would announce it a second time.
	if r.bytes == 0 && r.err == nil {
		r.begin()
	}
	// The timing of some text is sent before the bytes in which it is heard.
	r.timing.notify()
	// Through Send the scheduler sees how long the write blocks.
	err = r.stream.Send(func() error {
		n, err = r.w.Write(p)
		return err
	})
	r.bytes += int64(n)
	if err != nil {
		r.err = err
	} else if r.draft != nil {
		_, _ = r.draft.Write(p) // never fails
	}
	return n, err
}

// mark records how much of the text is in the bytes sent so far.
func (r *response) mark(p *progress) {
	if r.draft != nil && r.streams {
		r.head.checkpoints = append(r.head.checkpoints, checkpoint{r.bytes, p.characters()})
	}
	if r.watch != nil {
		r.watch.reach(p.characters())
	}
}
