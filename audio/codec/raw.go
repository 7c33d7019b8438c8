package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"vaak/audio"
)

var errClosed = errors.New("codec: write after close")

// wavHeaderSize is the size of a header of format and data chunks, in bytes.
const wavHeaderSize = 44

// raw writes little-endian samples, after a WAV header if wav is set.
type raw struct {
	w    io.Writer
	wav  bool
	rate int
	mode Mode

	buf    []byte // Whole: all of the file; Stream: what the next Write sends
	err    error  // sticky
	closed bool
}

func newPCM(w io.Writer, f audio.Format, mode Mode) audio.Writer {
	return &raw{w: w, rate: f.SampleRate, mode: mode}
}

func newWAV(w io.Writer, f audio.Format, mode Mode) audio.Writer {
	// The header waits in buf for the first samples. Its sizes stay unknown
	// unless Close fills them in.
	return &raw{w: w, wav: true, rate: f.SampleRate, mode: mode,
		buf: appendWAVHeader(nil, f.SampleRate, math.MaxUint32, math.MaxUint32)}
}

// WritePCM encodes pcm and, in Stream mode, writes it.
func (r *raw) WritePCM(pcm []int16) error {
	switch {
	case r.closed:
		return errClosed
	case r.err != nil || len(pcm) == 0:
		return r.err
	}
	r.buf = appendPCM(r.buf, pcm)
	if r.mode == Stream {
		r.flush()
	}
	return r.err
}

// Close writes what has not been written.
func (r *raw) Close() error {
	if r.closed {
		return r.err
	}
	r.closed = true
	if r.wav && r.mode == Whole && r.err == nil {
		r.err = putWAVSizes(r.buf)
	}
	if len(r.buf) > 0 && r.err == nil {
		r.flush()
	}
	r.buf = nil
	return r.err
}

// flush writes buf and empties it.
func (r *raw) flush() {
	n, err := r.w.Write(r.buf)
	if err == nil && n < len(r.buf) {
		err = io.ErrShortWrite
	}
	r.err = err
	r.buf = r.buf[:0]
}

// appendPCM appends the little-endian bytes of pcm to buf.
func appendPCM(buf []byte, pcm []int16) []byte {
	n := len(buf)
	buf = grow(buf, 2*len(pcm))
	to := buf[n:]
	for len(pcm) >= 4 && len(to) >= 8 {
		binary.LittleEndian.PutUint64(to, uint64(uint16(pcm[0]))|uint64(uint16(pcm[1]))<<16|
			uint64(uint16(pcm[2]))<<32|uint64(uint16(pcm[3]))<<48)
		pcm, to = pcm[4:], to[8:]
	}
	for i, s := range pcm {
		binary.LittleEndian.PutUint16(to[2*i:], uint16(s))
	}
	return buf
}

// grow lengthens buf by n bytes of any content. A buffer that has to move
// doubles, so that a long file is copied few times.
func grow(buf []byte, n int) []byte {
	if need := len(buf) + n; need > cap(buf) {
		bigger := make([]byte, len(buf), max(need, 2*cap(buf)))
		copy(bigger, buf)
		buf = bigger
	}
	return buf[:len(buf)+n]
}

// appendWAVHeader appends the header of a mono 16-bit file (RIFF, Multimedia
// Programming Interface and Data Specifications 1.0) with the given size fields.
func appendWAVHeader(buf []byte, rate int, riffSize, dataSize uint32) []byte {
	le := binary.LittleEndian
	buf = le.AppendUint32(append(buf, "RIFF"...), riffSize)
	buf = le.AppendUint32(append(buf, "WAVEfmt "...), 16)
	buf = le.AppendUint16(buf, 1) // integer PCM
	buf = le.AppendUint16(buf, 1) // channels
	buf = le.AppendUint32(buf, uint32(rate))
	buf = le.AppendUint32(buf, uint32(2*rate)) // bytes a second
	buf = le.AppendUint16(buf, 2)              // bytes of a sample of all channels
	buf = le.AppendUint16(buf, 16)             // bits a sample
	return le.AppendUint32(append(buf, "data"...), dataSize)
}

// putWAVSizes writes the sizes of a complete file into its header.
func putWAVSizes(file []byte) error {
	if int64(len(file)) > math.MaxUint32 {
		return fmt.Errorf("wav of %d bytes is over the 4 GiB that its header can declare", len(file))
	}
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	binary.LittleEndian.PutUint32(file[40:], uint32(len(file)-wavHeaderSize))
	return nil
}
