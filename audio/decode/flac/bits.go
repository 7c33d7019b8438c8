package flac

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"vaak/audio/decode/recording"
)

// bufferSize is how many bytes of a file are in memory at a time.
const bufferSize = 1 << 16

// errEnd means that the file ends inside a frame.
var errEnd = recording.Broken("the file ends within the frame")

// bitReader reads a file bit by bit, most significant bit first, and computes the CRC-16 of what
// it reads. After an error it returns zeros, and err holds the error, so callers may check once
// per frame.
type bitReader struct {
	src      io.ReaderAt
	off, end int64  // range of the file that is not loaded yet
	buf      []byte // the loaded bytes
	at       int    // the first byte of buf that is not completely in acc
	acc      uint64 // the next bits, from the most significant bit on
	count    uint   // how many of them count; what stands below is the next of buf or zero
	from     int    // the first byte of buf that is not in sum
	sum      uint16
	err      error
}

func newBitReader(src io.ReaderAt, from, end int64) bitReader {
	return bitReader{src: src, off: from, end: end, buf: make([]byte, 0, bufferSize)}
}

// pos returns the index in buf of the first byte that is not completely read.
func (r *bitReader) pos() int { return r.at - int(r.count/8) }

// offset returns the offset in the file of the byte that is read next.
func (r *bitReader) offset() int64 { return r.off - int64(len(r.buf)-r.pos()) }

// remaining returns how many bytes of the file were not read.
func (r *bitReader) remaining() int64 { return r.end - r.offset() }

// load drops what was read and fills the buffer from the file.
func (r *bitReader) load() {
	if r.off >= r.end || r.err != nil {
		return
	}
	drop := r.pos()
	// The checksum must have all bytes that are dropped from the buffer.
	r.sum = crc16(r.sum, r.buf[r.from:drop])
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

// fill loads at least 56 bits into acc, or all there are.
func (r *bitReader) fill() {
	if r.at+8 > len(r.buf) {
		r.load()
	}
	// Load eight bytes at once and count only whole bytes; the bits below them are loaded again
	// at the same place the next time.
	if r.at+8 <= len(r.buf) {
		r.acc |= binary.BigEndian.Uint64(r.buf[r.at:]) >> (r.count & 63)
		n := (63 - r.count&63) >> 3
		r.at += int(n)
		r.count += n << 3
		return
	}
	// Byte by byte at the end of the file.
	for r.count < 56 && r.at < len(r.buf) {
		r.acc |= uint64(r.buf[r.at]) << (56 - r.count)
		r.at++
		r.count += 8
	}
}

// read returns the next n bits, at most 56.
func (r *bitReader) read(n uint) uint64 {
	if r.count < n {
		r.fill()
		if r.count < n {
			r.fail(errEnd)
			return 0
		}
	}
	// In Go a shift by 64 gives 0, so n may be 0.
	v := r.acc >> (64 - n)
	r.acc <<= n
	r.count -= n
	return v
}

// signed returns the next n bits, at most 56, as a two's complement number.
func (r *bitReader) signed(n uint) int64 {
	// Up until the sign bit is the highest, and back down with copies of it.
	return int64(r.read(n)<<(64-n)) >> (64 - n)
}

// unary counts the zeros before the next one bit, and reads that bit too. More than most zeros
// are an error, so a damaged file cannot keep it busy.
func (r *bitReader) unary(most uint64) uint64 {
	for q := uint64(0); ; {
		if r.count == 0 {
			r.fill()
		}
		if r.count == 0 {
			r.fail(errEnd)
			return 0
		}
		zeros := uint(bits.LeadingZeros64(r.acc))
		// Zeros beyond count are not data, so the one bit may be still to come.
		ends := zeros < r.count
		zeros = min(zeros, r.count)
		if q += uint64(zeros); q > most {
			r.fail(recording.Broken("a number has more than %d bits of zero", most))
			return 0
		}
		r.acc <<= zeros
		r.count -= zeros
		if ends {
			r.acc <<= 1
			r.count--
			return q
		}
	}
}

func (r *bitReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// peek returns the next n bytes, or all there are, without reading them. A partly read byte is
// dropped, so it may only be used at the start of a frame.
func (r *bitReader) peek(n int) []byte {
	// Give the bits in acc back: what follows is read from the buffer.
	r.seek(r.pos())
	if len(r.buf)-r.at < n {
		r.load()
	}
	return r.buf[r.at:min(r.at+n, len(r.buf))]
}

// skip skips n bytes that peek returned.
func (r *bitReader) skip(n int) { r.seek(r.pos() + n) }

func (r *bitReader) seek(pos int) { r.at, r.acc, r.count = pos, 0, 0 }

// align skips the remaining bits of a byte, which must be zero.
func (r *bitReader) align() {
	if r.read(r.count%8) != 0 {
		r.fail(recording.Broken("the last byte of the frame is not filled up with zeros"))
	}
}

// begin starts a new CRC-16 at the next byte.
func (r *bitReader) begin() { r.sum, r.from = 0, r.pos() }

// checksum returns the CRC-16 of what was read since begin; the position must be at a whole byte.
func (r *bitReader) checksum() uint16 {
	pos := r.pos()
	r.sum, r.from = crc16(r.sum, r.buf[r.from:pos]), pos
	return r.sum
}
