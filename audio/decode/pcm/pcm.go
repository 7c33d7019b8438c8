// Package pcm reads samples that are stored as they are: integers, floats, and the codes of
// ITU-T G.711. WAV and SPHERE hold such samples.
package pcm

import (
	"io"

	"vaak/audio/decode/recording"
)

// bufferSize is how many bytes are read at a time.
const bufferSize = 1 << 16

// stream is a stream of interleaved samples of one size.
type stream struct {
	info    recording.Info
	src     io.ReaderAt
	at, end int64 // range of the remaining bytes; its length is a multiple of align
	align   int   // bytes of one sample of all channels
	convert func(dst []float32, src []byte, step int) bool
	buf     []byte
	last    error // what Read returns at the end: io.EOF, or what is wrong with the file
}

// New returns a stream of the bytes from at to end. If they end with a part of a sample,
// that is an error once all samples before have been read. The same holds for last, unless it
// is nil.
func New(src io.ReaderAt, info recording.Info, c Coding, at, end int64, last error) recording.Stream {
	p := &stream{info: info, src: src, at: at, align: c.Bytes * info.Channels, convert: c.convert, last: last}
	remainder := (end - at) % int64(p.align)
	p.end = end - remainder
	switch {
	case last != nil:
	case remainder != 0:
		p.last = recording.Broken("the samples end %d bytes into one of %d bytes, at byte %d", remainder, p.align, end)
	default:
		p.last = io.EOF
	}
	return p
}

func (p *stream) Info() recording.Info { return p.info }

func (p *stream) Read(planes [][]float32) (int, error) {
	want, err := recording.PlaneLength(planes, p.info.Channels)
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
func (p *stream) some(planes [][]float32, from, to int) (int, error) {
	if p.buf == nil {
		p.buf = make([]byte, max(bufferSize/p.align, 1)*p.align)
	}
	size := min(int64(to-from)*int64(p.align), p.end-p.at, int64(len(p.buf)))
	raw := p.buf[:size]
	if err := recording.ReadFull(p.src, raw, p.at); err != nil {
		return 0, err
	}
	n := int(size) / p.align
	// Channel c begins c samples into the frame; from one of its samples to the next it is align
	// bytes.
	step := p.align / len(planes)
	for c, plane := range planes {
		if !p.convert(plane[from:from+n], raw[c*step:], p.align) {
			return 0, recording.Broken("channel %d holds what is no finite number, between byte %d and %d", c+1, p.at, p.at+size)
		}
	}
	p.at += size
	return n, nil
}

func (p *stream) Close() error {
	p.at, p.buf, p.last = p.end, nil, io.EOF
	return nil
}
