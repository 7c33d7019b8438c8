package decode

import (
	"bufio"
	"fmt"
	"io"
)

const (
	mp3Buffer = 16 << 10 // bytes read at a time, more than two frames
	// mp3Resync is how many bytes in one place may be no frame, and mp3ResyncAll
	// how many in all: what a cut or a tag of an unknown kind leaves. More would
	// shift all that is measured later.
	mp3Resync    = 1024
	mp3ResyncAll = 4096
)

// mp3Frames reads a file frame by frame, all of them like the first. Frames are
// told by their headers, each of which must follow the frame before it.
type mp3Frames struct {
	r      *bufio.Reader // stands at byte at
	at     int64
	end    int64 // where the audio ends
	like   mp3Header
	lost   bool // the last bytes were no frame
	junk   int  // bytes in this place
	junked int  // bytes in all
	frame  [mp3MaxFrame]byte
}

// newMP3Frames returns the frames between two places of a file, of which the first
// must be there.
func newMP3Frames(src io.ReaderAt, start, end int64) (*mp3Frames, error) {
	f := &mp3Frames{r: bufio.NewReaderSize(io.NewSectionReader(src, start, end-start), mp3Buffer), at: start, end: end, lost: true}
	for {
		b, err := f.peek(mp3HeaderSize)
		if err != nil {
			return nil, err
		}
		if len(b) < mp3HeaderSize {
			return nil, broken("the file holds no MP3 frame")
		}
		if h, ok := parseMP3Header(b); ok {
			if f.like = h; h.frame() && f.confirm(h) {
				return f, nil
			}
			if f.junk == 0 {
				if err := h.refuse(f.at); err != nil {
					return nil, err
				}
			}
		}
		if err := f.pass(); err != nil {
			return nil, err
		}
	}
}

// refuse returns the error of a frame of a kind that is not read, at a byte.
func (h mp3Header) refuse(at int64) error {
	switch {
	case h.layer != 3:
		return unsupported("the MPEG audio at byte %d is of layer %d; of MPEG audio only layer III (MP3) is read", at, h.layer)
	case h.size == 0:
		return unsupported("the MP3 frame at byte %d is of a free bit rate; only the bit rates of the standard are read", at)
	}
	return nil
}

// next returns the bytes of the next frame and where it begins; they stay valid
// until the next call. After the last it returns io.EOF.
func (f *mp3Frames) next() (frame []byte, at int64, err error) {
	for {
		b, err := f.peek(mp3HeaderSize)
		if err != nil {
			return nil, f.at, err
		}
		if len(b) < mp3HeaderSize {
			return nil, f.at, f.rest(b)
		}
		if h, ok := parseMP3Header(b); ok && h.frame() {
			same := h.like(f.like)
			if same && !f.lost || f.confirm(h) {
				if !same {
					return nil, f.at, broken("the MP3 changes at byte %d from %s to %s; a recording must stay what it begins as", f.at, f.like, h)
				}
				return f.take(h)
			}
		}
		if err := f.pass(); err != nil {
			return nil, f.at, err
		}
	}
}

// String says what of a header must not change.
func (h mp3Header) String() string { return fmt.Sprintf("%d Hz and %d channels", h.rate, h.channels) }

// take returns the frame that begins here.
func (f *mp3Frames) take(h mp3Header) (frame []byte, at int64, err error) {
	at = f.at
	if left := f.end - at; int64(h.size) > left {
		return nil, at, broken("the file ends at byte %d in the middle of an MP3 frame: the one at byte %d has %d bytes, of which %d are there",
			f.end, at, h.size, left)
	}
	if _, err := io.ReadFull(f.r, f.frame[:h.size]); err != nil {
		return nil, at, fmt.Errorf("read the MP3 frame at byte %d: %w", at, err)
	}
	f.at += int64(h.size)
	f.lost, f.junk = false, 0
	return f.frame[:h.size], at, nil
}

// confirm reports whether a header is believed where none is expected: when
// another one like it follows its frame, or nothing at all.
func (f *mp3Frames) confirm(h mp3Header) bool {
	b, err := f.peek(h.size + mp3HeaderSize)
	if err != nil || len(b) < h.size {
		return false
	}
	if len(b) == h.size {
		return true
	}
	next, ok := parseMP3Header(b[h.size:])
	return ok && next.frame() && next.like(h)
}

// pass leaves out a byte that is no frame.
func (f *mp3Frames) pass() error {
	if f.junk == mp3Resync || f.junked == mp3ResyncAll {
		return broken("the file holds no MP3 frame from byte %d on: the %d bytes until byte %d are none", f.at-int64(f.junk), f.junk, f.at)
	}
	if _, err := f.r.Discard(1); err != nil {
		return fmt.Errorf("read MP3 at byte %d: %w", f.at, err)
	}
	f.at++
	f.junk++
	f.junked++
	f.lost = true
	return nil
}

// rest returns the end of the file, or an error when the last bytes begin a frame.
func (f *mp3Frames) rest(b []byte) error {
	if !f.lost && len(b) > 0 && b[0] == 0xFF && (len(b) == 1 || b[1]&0xE0 == 0xE0) {
		return broken("the file ends at byte %d in the middle of an MP3 frame: of the one at byte %d only %d bytes are there", f.end, f.at, len(b))
	}
	return io.EOF
}

// peek returns the next n bytes, or as many as there are.
func (f *mp3Frames) peek(n int) ([]byte, error) {
	b, err := f.r.Peek(n)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read MP3 at byte %d: %w", f.at, err)
	}
	return b, nil
}
