package codec

import (
	"errors"
	"io"

	"vaak/audio"
)

// coder makes the bytes of one file of one format. A new one serves each
// response; it is used by one goroutine.
type coder interface {
	// encode appends what can be made of the samples so far: the head of the
	// file with its first audio, or nothing while a frame is not full.
	encode(dst []byte, pcm []int16) ([]byte, error)
	// finish appends the rest: what was held back, padding, trailers; of a file
	// without samples, the empty file.
	finish(dst []byte) ([]byte, error)
	// free gives back what is held outside the garbage collector's reach. It is
	// called once, last.
	free()
}

// sealer is a coder whose file declares at its beginning what is only known at
// its end. seal is called after finish, in File mode, with the first
// bytes of the file, which it changes: MaxHead of them, or all, if size, the bytes of
// the whole file, is less.
type sealer interface {
	seal(head []byte, size int64) error
}

var errClosed = errors.New("codec: write after close")

// writer carries the bytes of a coder to w.
type writer struct {
	w     io.Writer
	again Rewriter // File: the same as w
	coder coder
	mode  Mode

	buf    []byte // reused
	head   []byte // File: the first bytes that were written
	size   int64  // bytes that were written
	err    error  // sticky
	closed bool
}

// WritePCM encodes pcm and writes what came of it.
func (w *writer) WritePCM(pcm []int16) error {
	switch {
	case w.closed:
		return errClosed
	case w.err != nil || len(pcm) == 0:
		return w.err
	}
	w.buf, w.err = w.coder.encode(w.buf, pcm)
	w.flush()
	return w.err
}

// Close writes what has not been written.
func (w *writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	if w.err == nil {
		w.buf, w.err = w.coder.finish(w.buf)
	}
	w.flush()
	if w.mode == File {
		w.seal()
	}
	w.coder.free()
	w.buf, w.head = nil, nil
	return w.err
}

// seal writes the head of the file again where the coder declares something there that
// is only known now.
func (w *writer) seal() {
	s, ok := w.coder.(sealer)
	if !ok || w.err != nil {
		return
	}
	if w.err = s.seal(w.head, w.size); w.err == nil {
		w.err = w.again.Rewrite(w.head)
	}
}

// flush writes buf, if all went well, and empties it.
func (w *writer) flush() {
	if len(w.buf) == 0 || w.err != nil {
		return
	}
	if w.mode == File && len(w.head) < MaxHead {
		w.head = append(w.head, w.buf[:min(len(w.buf), MaxHead-len(w.head))]...)
	}
	w.size += int64(len(w.buf))
	n, err := w.w.Write(w.buf)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	w.err = err
	w.buf = w.buf[:0]
}

// grow lengthens buf by n bytes of any content. A buffer that has to move
// doubles, so that it moves seldom.
func grow(buf []byte, n int) []byte {
	if need := len(buf) + n; need > cap(buf) {
		bigger := make([]byte, len(buf), max(need, 2*cap(buf)))
		copy(bigger, buf)
		buf = bigger
	}
	return buf[:len(buf)+n]
}

var _ audio.Writer = (*writer)(nil)
