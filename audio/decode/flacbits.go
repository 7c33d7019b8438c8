package decode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// flacBuffer is how many bytes of a file are in memory at once.
const flacBuffer = 1 << 16

// errFLACEnd is the end of the file within a frame.
var errFLACEnd = broken("the file ends within the frame")

// flacBits reads a file bit by bit, the most significant first, and keeps the
// CRC-16 of what was read. Once it has failed it reads zeros, and err says why.
type flacBits struct {
	src      io.ReaderAt
	off, end int64  // of what was not loaded yet
	buf      []byte // that was loaded
	at       int    // the first byte of buf that is not in acc as a whole
	acc      uint64 // the next bits, from the top
	have     uint   // how many of them count; what stands below is the next of buf or zero
	from     int    // the first byte of buf that sum lacks
	sum      uint16
	err      error
}

func newFLACBits(src io.ReaderAt, from, end int64) flacBits {
	return flacBits{src: src, off: from, end: end, buf: make([]byte, 0, flacBuffer)}
}

// pos returns the index in buf of the first byte that was not read. Bits of it
// may have been.
func (r *flacBits) pos() int { return r.at - int(r.have/8) }

// place returns the byte of the file that is read next.
func (r *flacBits) place() int64 { return r.off - int64(len(r.buf)-r.pos()) }

// left returns how many bytes of the file were not read.
func (r *flacBits) left() int64 { return r.end - r.place() }

// load drops what was read and fills the buffer.
func (r *flacBits) load() {
	if r.off >= r.end || r.err != nil {
		return
	}
	drop := r.pos()
	r.sum = flacCRC16(r.sum, r.buf[r.from:drop])
	r.from = 0
	n := copy(r.buf[:cap(r.buf)], r.buf[drop:])
	r.at -= drop
	more := int(min(int64(cap(r.buf)-n), r.end-r.off))
	got, err := r.src.ReadAt(r.buf[n:n+more], r.off)
	r.buf = r.buf[:n+got]
	r.off += int64(got)
	if got < more {
		r.end = r.off
		if !errors.Is(err, io.EOF) {
			r.err = fmt.Errorf("read a recording at byte %d: %w", r.off, err)
		}
	}
}

// fill brings at least 56 bits into acc, or all there are.
func (r *flacBits) fill() {
	if r.at+8 > len(r.buf) {
		r.load()
	}
	if r.at+8 <= len(r.buf) {
		r.acc |= binary.BigEndian.Uint64(r.buf[r.at:]) >> (r.have & 63)
		n := (63 - r.have&63) >> 3
		r.at += int(n)
		r.have += n << 3
		return
	}
	for r.have < 56 && r.at < len(r.buf) {
		r.acc |= uint64(r.buf[r.at]) << (56 - r.have)
		r.at++
		r.have += 8
	}
}

// take returns the next n bits, 56 at most.
func (r *flacBits) take(n uint) uint64 {
	if r.have < n {
		r.fill()
		if r.have < n {
			r.fail(errFLACEnd)
			return 0
		}
	}
	v := r.acc >> (64 - n)
	r.acc <<= n
	r.have -= n
	return v
}

// signed returns the next n bits, 56 at most, as a number in two's complement.
func (r *flacBits) signed(n uint) int64 {
	return int64(r.take(n)<<(64-n)) >> (64 - n)
}

// unary returns how many zeros precede the next one, and reads it. More than most
// are a failure.
func (r *flacBits) unary(most uint64) uint64 {
	for q := uint64(0); ; {
		if r.have == 0 {
			r.fill()
		}
		if r.have == 0 {
			r.fail(errFLACEnd)
			return 0
		}
		zeros := uint(bits.LeadingZeros64(r.acc))
		ends := zeros < r.have
		zeros = min(zeros, r.have)
		if q += uint64(zeros); q > most {
			r.fail(broken("a number has more than %d bits of zero", most))
			return 0
		}
		r.acc <<= zeros
		r.have -= zeros
		if ends {
			r.acc <<= 1
			r.have--
			return q
		}
	}
}

func (r *flacBits) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// peek returns the next n bytes, or all there are. Bits that were read of a byte
// are forgotten, so it is for the beginnings of frames.
func (r *flacBits) peek(n int) []byte {
	r.seek(r.pos())
	if len(r.buf)-r.at < n {
		r.load()
	}
	return r.buf[r.at:min(r.at+n, len(r.buf))]
}

// skip passes over n bytes that were peeked at.
func (r *flacBits) skip(n int) { r.seek(r.pos() + n) }

func (r *flacBits) seek(pos int) { r.at, r.acc, r.have = pos, 0, 0 }

// align passes over the bits that are left of a byte, which are zero.
func (r *flacBits) align() {
	if r.take(r.have%8) != 0 {
		r.fail(broken("the last byte of the frame is not filled up with zeros"))
	}
}

// begin lets the CRC-16 begin with the next byte.
func (r *flacBits) begin() { r.sum, r.from = 0, r.pos() }

// checksum returns the CRC-16 of what was read since begin, up to a whole byte.
func (r *flacBits) checksum() uint16 {
	pos := r.pos()
	r.sum, r.from = flacCRC16(r.sum, r.buf[r.from:pos]), pos
	return r.sum
}
