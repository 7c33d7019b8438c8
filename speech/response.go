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

// response passes bytes on, and tells their receiver before the first. Those of
// a stream wait for send, because they are made in a turn, which ends before
// they are sent.
type response struct {
	w       io.Writer
	begin   func()           // called before the first byte, when nothing is refused any more
	stream  *schedule.Stream // nil of a kept answer, which needs no turns
	streams bool             // as it is made
	whole   *spool.Buffer    // of an answer that is not streamed: what there is of it
	pending []byte
	held    *funds       // nil of a kept answer, whose hold is there before
	draft   *cache.Draft // takes a copy for the next who asks; may be nil
	keep    keepsake     // to go with it
	timing  *timing      // tells w what is said when; may be nil
	watch   *watch       // tells w how far it has come; may be nil
	bytes   int64
	err     error // of w
	broken  error // why the answer will not be whole; nothing is written any more
}

// Write takes bytes of the encoder.
func (r *response) Write(p []byte) (int, error) {
	if r.broken != nil {
		return 0, r.broken
	}
	if r.whole != nil {
		return r.whole.Write(p)
	}
	r.pending = append(r.pending, p...)
	return len(p), nil
}

// pipe takes bytes that need no encoder, and sends those of a stream.
func (r *response) pipe(p []byte) error {
	var err error
	if r.whole != nil {
		_, err = r.whole.Write(p)
	} else {
		_, err = r.pass(p)
	}
	return err
}

// send sends what was made since it was last called.
func (r *response) send() error {
	if len(r.pending) == 0 {
		return nil
	}
	_, err := r.pass(r.pending)
	r.pending = r.pending[:0]
	return err
}

// Rewrite writes the head of a file again; see [codec.Rewriter].
func (r *response) Rewrite(head []byte) error {
	if r.broken != nil {
		return r.broken
	}
	if r.whole != nil {
		return r.whole.Rewrite(head)
	}
	if err := r.send(); err != nil {
		return err
	}
	if r.err = r.w.(codec.Rewriter).Rewrite(head); r.err != nil { // answer.mode has seen to it
		return r.err
	}
	return nil
}

// slim gives back the memory of what was sent.
func (r *response) slim() {
	if len(r.pending) == 0 {
		r.pending = nil
	}
}

// finish sends the rest, tells what is said in no byte and that all is made, and
// asks whether all of it was taken.
func (r *response) finish() error {
	if err := r.send(); err != nil {
		return err
	}
	if err := r.hand(); err != nil {
		return err
	}
	r.timing.follow()
	r.watch.finish()
	if f, ok := r.w.(Finisher); ok {
		if err := f.Finish(); err != nil {
			r.err = err
			return err
		}
	}
	return nil
}

// hand hands a whole answer over.
func (r *response) hand() error {
	if r.whole == nil {
		return nil
	}
	to, takes := r.w.(interface{ take(*spool.Buffer) })
	if !takes {
		_, err := r.whole.WriteTo(writerFunc(r.pass))
		return err
	}
	if r.draft != nil {
		_, _ = r.whole.WriteTo(r.draft) // never fails
	}
	r.begin()
	r.timing.follow()
	r.bytes = r.whole.Len()
	to.take(r.whole)
	r.whole = nil
	return nil
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// lost reports whether w failed by a fault of the server: that of a listener who
// left is none.
func (r *response) lost() bool {
	f, ok := errors.AsType[*fault.Error](r.err)
	return ok && (f.Kind == fault.Unavailable || f.Kind == fault.Internal)
}

func (r *response) pass(p []byte) (n int, err error) {
	if r.held != nil {
		if err := r.held.wait(); err != nil {
			return 0, err
		}
	}
	if r.bytes == 0 && r.err == nil {
		r.begin()
	}
	r.timing.follow()
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

// mark notes how much of the text is in the bytes that were sent.
func (r *response) mark(said *progress) {
	if r.draft != nil && r.streams {
		r.keep.handed = append(r.keep.handed, handed{r.bytes, said.characters()})
	}
	if r.watch != nil {
		r.watch.reach(said.characters())
	}
}
