package mp3

import (
	"bufio"
	"fmt"
	"io"

	"vaak/audio/decode/recording"
)

const (
	bufferSize = 16 << 10 // bytes read at a time, more than two frames
	// maxJunk is how many bytes in one place may belong to no frame, and maxJunkInAll
	// how many in the whole file: what a cut or an unknown tag leaves. More missing
	// frames would shift the times of everything after them.
	maxJunk      = 1024
	maxJunkInAll = 4096
)

// frameReader reads a file frame by frame. All frames must be like the first. A frame is found by its
// header, which must follow the frame before it.
type frameReader struct {
	r      *bufio.Reader // positioned at offset at
	at     int64
	end    int64 // where the audio ends
	like   header
	lost   bool // the last bytes belong to no frame
	junk   int  // bytes skipped in this place
	junked int  // bytes skipped in all
	frame  [maxFrame]byte
}

// newFrameReader returns the frames between two offsets of a file. There must be at least one.
func newFrameReader(src io.ReaderAt, start, end int64) (*frameReader, error) {
	f := &frameReader{r: bufio.NewReaderSize(io.NewSectionReader(src, start, end-start), bufferSize), at: start, end: end, lost: true}
	for {
		b, err := f.peek(headerSize)
		if err != nil {
			return nil, err
		}
		if len(b) < headerSize {
			return nil, recording.Broken("the file holds no MP3 frame")
		}
		if h, ok := parseHeader(b); ok {
			// The first frame decides what all others must be like.
			if f.like = h; h.frame() && f.confirm(h) {
				return f, nil
			}
			if f.junk == 0 {
				if err := h.refuse(f.at); err != nil {
					return nil, err
				}
			}
		}
		if err := f.skipByte(); err != nil {
			return nil, err
		}
	}
}

// refuse returns the error for a frame of a kind that is not supported, at an offset.
func (h header) refuse(at int64) error {
	switch {
	case h.layer != 3:
		return recording.Unsupported("the MPEG audio at byte %d is of layer %d; of MPEG audio only layer III (MP3) is read", at, h.layer)
	case h.size == 0:
		return recording.Unsupported("the MP3 frame at byte %d is of a free bit rate; only the bit rates of the standard are read", at)
	}
	return nil
}

// next returns the bytes of the next frame and its offset. They are valid until the next call.
// After the last frame the error is io.EOF.
func (f *frameReader) next() (frame []byte, at int64, err error) {
	for {
		b, err := f.peek(headerSize)
		if err != nil {
			return nil, f.at, err
		}
		if len(b) < headerSize {
			return nil, f.at, f.atEnd(b)
		}
		if h, ok := parseHeader(b); ok && h.frame() {
			same := h.like(f.like)
			// After junk a header may be found by chance, so it needs confirmation.
			if same && !f.lost || f.confirm(h) {
				if !same {
					return nil, f.at, recording.Broken("the MP3 changes at byte %d from %s to %s; a recording must stay what it begins as", f.at, f.like, h)
				}
				return f.takeFrame(h)
			}
		}
		if err := f.skipByte(); err != nil {
			return nil, f.at, err
		}
	}
}

// String formats the properties of a header that must not change within a file.
func (h header) String() string { return fmt.Sprintf("%d Hz and %d channels", h.rate, h.channels) }

// takeFrame returns the frame that begins at the current position.
func (f *frameReader) takeFrame(h header) (frame []byte, at int64, err error) {
	at = f.at
	if left := f.end - at; int64(h.size) > left {
		return nil, at, recording.Broken("the file ends at byte %d in the middle of an MP3 frame: the one at byte %d has %d bytes, of which %d are there",
			f.end, at, h.size, left)
	}
	if _, err := io.ReadFull(f.r, f.frame[:h.size]); err != nil {
		return nil, at, fmt.Errorf("read the MP3 frame at byte %d: %w", at, err)
	}
	f.at += int64(h.size)
	f.lost, f.junk = false, 0
	return f.frame[:h.size], at, nil
}

// confirm reports whether to believe a header found while searching: if a similar one follows
// its frame, or the end of the file.
func (f *frameReader) confirm(h header) bool {
	b, err := f.peek(h.size + headerSize)
	if err != nil || len(b) < h.size {
		return false
	}
	if len(b) == h.size {
		return true
	}
	// A header has few fixed bits, so junk holds some by chance. One more where the frame ends
	// settles it.
	next, ok := parseHeader(b[h.size:])
	return ok && next.frame() && next.like(h)
}

// skipByte skips a byte that does not belong to a frame.
func (f *frameReader) skipByte() error {
	if f.junk == maxJunk || f.junked == maxJunkInAll {
		return recording.Broken("the file holds no MP3 frame from byte %d on: the %d bytes until byte %d are none", f.at-int64(f.junk), f.junk, f.at)
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

// atEnd returns io.EOF, or an error if the last bytes are the beginning of a frame.
func (f *frameReader) atEnd(b []byte) error {
	// Only right after a frame: behind junk a 0xFF means nothing.
	if !f.lost && len(b) > 0 && b[0] == 0xFF && (len(b) == 1 || b[1]&0xE0 == 0xE0) {
		return recording.Broken("the file ends at byte %d in the middle of an MP3 frame: of the one at byte %d only %d bytes are there", f.end, f.at, len(b))
	}
	return io.EOF
}

// peek returns the next n bytes, or as many as there are.
func (f *frameReader) peek(n int) ([]byte, error) {
	b, err := f.r.Peek(n)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read MP3 at byte %d: %w", f.at, err)
	}
	return b, nil
}
