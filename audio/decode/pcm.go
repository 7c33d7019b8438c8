package decode

import (
	"fmt"
	"io"
)

// pcmBuffer is how many bytes are read at a time.
const pcmBuffer = 1 << 16

// pcm is a stream of interleaved samples of one size.
type pcm struct {
	info    Info
	src     io.ReaderAt
	at, end int64 // range of the remaining bytes; its length is a multiple of align
	align   int   // bytes of one sample of all channels
	convert func(dst []float32, src []byte, step int) bool
	buf     []byte
	last    error // what Read returns at the end: io.EOF, or what is wrong with the file
}

// newPCM returns a stream of the bytes from at to end. If they end with a part of a sample,
// that is an error once all samples before have been read. The same holds for last, unless it
// is nil.
func newPCM(src io.ReaderAt, info Info, c coding, at, end int64, last error) *pcm {
	p := &pcm{info: info, src: src, at: at, align: c.bytes * info.Channels, convert: c.convert, last: last}
	rest := (end - at) % int64(p.align)
	p.end = end - rest
	switch {
	case last != nil:
	case rest != 0:
		p.last = broken("the samples end %d bytes into one of %d bytes, at byte %d", rest, p.align, end)
	default:
		p.last = io.EOF
	}
	return p
}

func (p *pcm) Info() Info { return p.info }

func (p *pcm) Read(planes [][]float32) (int, error) {
	want, err := room(planes, p.info.Channels)
	if err != nil {
		return 0, err
	}
	done := 0
	for done < want && p.at < p.end {
		n, err := p.some(planes, done, want)
		if err != nil {
			p.at, p.last = p.end, err
			break
		}
		done += n
	}
	if done == 0 && want > 0 {
		return 0, p.last
	}
	return done, nil
}

// some converts as many samples as fit into the buffer to planes[][from:to].
func (p *pcm) some(planes [][]float32, from, to int) (int, error) {
	if p.buf == nil {
		p.buf = make([]byte, max(pcmBuffer/p.align, 1)*p.align)
	}
	size := min(int64(to-from)*int64(p.align), p.end-p.at, int64(len(p.buf)))
	raw := p.buf[:size]
	if err := readFull(p.src, raw, p.at); err != nil {
		return 0, err
	}
	n := int(size) / p.align
	step := p.align / len(planes)
	for c, plane := range planes {
		if !p.convert(plane[from:from+n], raw[c*step:], p.align) {
			return 0, broken("channel %d holds what is no finite number, between byte %d and %d", c+1, p.at, p.at+size)
		}
	}
	p.at += size
	return n, nil
}

func (p *pcm) Close() error {
	p.at, p.buf, p.last = p.end, nil, io.EOF
	return nil
}

// readFull fills b from an offset of the file.
func readFull(src io.ReaderAt, b []byte, at int64) error {
	n, err := src.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF:
		return broken("the file ends at byte %d; bytes %d to %d are missing", at+int64(n), at+int64(n), at+int64(len(b)))
	}
	return fmt.Errorf("read %d bytes of a recording at %d: %w", len(b), at, err)
}

// sizeOf returns the size of a file in bytes.
func sizeOf(src Source) (int64, error) {
	n, err := src.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, fmt.Errorf("find the end of a recording: %w", err)
	}
	return n, nil
}
