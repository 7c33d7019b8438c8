package flac

import (
	"encoding/binary"
	"math/bits"

	"vaak/audio/decode/recording"
)

// maxFrameHeader is the largest size of a frame header in bytes.
const maxFrameHeader = 16

// frameHeader is a parsed frame header.
type frameHeader struct {
	variable bool   // number counts samples, not frames
	number   uint64 // of the frame or of its first sample
	block    int    // samples of a channel
	rate     int    // Hz; 0 means as in the file's header
	layout   int    // channels minus one, or how two channels are mixed
	bits     int    // per sample; 0 means as in the file's header
}

// parseFrameHeader parses a frame header at the beginning of b and returns its size in bytes.
func parseFrameHeader(b []byte) (frameHeader, int, error) {
	const least = 6
	if len(b) < least {
		return frameHeader{}, 0, errEnd
	}
	h := frameHeader{variable: b[1]&1 != 0, layout: int(b[3] >> 4)}
	size, rate, width := b[2]>>4, b[2]&0xF, b[3]>>1&7
	if b[0] != 0xFF || b[1]&0xFE != 0xF8 || size == 0 || rate == 15 || h.layout > midSide || width == 3 || b[3]&1 != 0 {
		return h, 0, recording.Broken("the header of the frame, %x, has reserved values", b[:4])
	}
	h.bits = [8]int{0, 8, 12, 0, 16, 20, 24, 32}[width]
	n := 4
	number, used := codedNumber(b[n:])
	if used == 0 {
		return h, 0, recording.Broken("the header of the frame, %x, has no number", b[:n+1])
	}
	h.number, n = number, n+used
	var used2 int
	if h.block, used = codedBlockSize(size, b[n:]); used < 0 {
		return h, 0, errEnd
	}
	n += used
	// One more byte must follow, the CRC-8.
	if h.rate, used2 = codedRate(rate, b[n:]); used2 < 0 || n+used2 >= len(b) {
		return h, 0, errEnd
	}
	n += used2
	// Last, because the checksum covers everything before it.
	if sum := crc8(b[:n]); sum != b[n] {
		return h, 0, recording.Broken("the header of the frame has the CRC-8 %02x; it says %02x", sum, b[n])
	}
	return h, n + 1, nil
}

// codedNumber decodes a number of up to 36 bits, written in the way of UTF-8, and its size in
// bytes. The size is 0 if it is malformed.
func codedNumber(b []byte) (uint64, int) {
	// The number of leading ones is the length in bytes, as in UTF-8, but up to seven.
	n := bits.LeadingZeros8(^b[0])
	switch {
	case n == 0:
		return uint64(b[0]), 1
	case n == 1 || n == 8 || n > len(b):
		return 0, 0
	}
	v := uint64(b[0]) & (0x7F >> n)
	for _, c := range b[1:n] {
		if c>>6 != 2 {
			return 0, 0
		}
		v = v<<6 | uint64(c&0x3F)
	}
	return v, n
}

// codedBlockSize returns the samples for a code, and how many bytes of b it uses in addition: a
// negative number if they are missing.
func codedBlockSize(code byte, b []byte) (int, int) {
	switch {
	case code == 1:
		return 192, 0
	case code <= 5:
		// 576, 1152, 2304 or 4608.
		return 144 << code, 0
	case code >= 8:
		// 256 to 32768.
		return 1 << code, 0
	case len(b) < 2:
		return 0, -1
	case code == 6:
		return int(b[0]) + 1, 1
	}
	return int(binary.BigEndian.Uint16(b)) + 1, 2
}

// codedRate returns the rate for a code, in the same way as codedBlockSize.
func codedRate(code byte, b []byte) (int, int) {
	rates := [12]int{0, 88200, 176400, 192000, 8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000}
	switch {
	case int(code) < len(rates):
		return rates[code], 0
	case len(b) < 2:
		return 0, -1
	case code == 12:
		// Written in kHz.
		return int(b[0]) * 1000, 1
	case code == 13:
		return int(binary.BigEndian.Uint16(b)), 2
	}
	// Code 14: written in tens of Hz.
	return int(binary.BigEndian.Uint16(b)) * 10, 2
}
