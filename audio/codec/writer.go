package codec

import (
	"errors"
	"io"

	"vaak/audio"
)

// coder makes the bytes of one file of one format. Every response has a new one, which one
// goroutine uses.
type coder interface {
	// encode appends what can be made from the samples so far: the header together with the
	// first audio, or nothing while no frame is full.
	encode(dst []byte, pcm []int16) ([]byte, error)
	// finish appends everything else: samples held back, padding, trailers. For a file
	// without samples it appends the empty file.
	finish(dst []byte) ([]byte, error)
	// free frees memory outside the garbage collector's reach. It is the last call, made
	// once.
	free()
}

// sealer is a coder whose file declares something at its start that is known only at its end.
// seal is called after finish, in File mode. It changes head, the first maxHead bytes of the
// file, or all bytes if there are fewer; size is the length of the file in bytes.
type sealer interface {
	seal(head []byte, size int64) error
}

var errClosed = errors.New("codec: write after close")

// writer passes the bytes of a coder on to w.
type writer struct {
	w        io.Writer
	rewriter Rewriter // File mode: the same as w
	coder    coder
	mode     Mode

	buf    []byte // encoded and not written yet
	head   []byte // File mode: the first bytes of the file
	size   int64  // bytes written
	err    error  // the first error, returned by all later calls
	closed bool
}

// WritePCM encodes pcm and writes the result.
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

// Close encodes and writes what is left.
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
	// Always, also after an error: C memory is at stake.
	w.coder.free()
	w.buf, w.head = nil, nil
	return w.err
}

// seal replaces the header if the coder has something to declare there.
func (w *writer) seal() {
	s, ok := w.coder.(sealer)
	if !ok || w.err != nil {
		return
	}
	if w.err = s.seal(w.head, w.size); w.err == nil {
		w.err = w.rewriter.Rewrite(w.head)
	}
}

// flush writes buf and empties it, unless there was an error.
func (w *writer) flush() {
	if len(w.buf) == 0 || w.err != nil {
		return
	}
	// Keep the beginning of the file: seal changes a copy of it.
	if w.mode == File && len(w.head) < maxHead {
		w.head = append(w.head, w.buf[:min(len(w.buf), maxHead-len(w.head))]...)
	}
	w.size += int64(len(w.buf))
	n, err := w.w.Write(w.buf)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	w.err = err
	w.buf = w.buf[:0]
}

// grow lengthens buf by n bytes with any content. If it must allocate it at least doubles the
// capacity, so that this is rare.
func grow(buf []byte, n int) []byte {
	if need := len(buf) + n; need > cap(buf) {
		bigger := make([]byte, len(buf), max(need, 2*cap(buf)))
		copy(bigger, buf)
		buf = bigger
	}
	return buf[:len(buf)+n]
}

var _ audio.Writer = (*writer)(nil)
