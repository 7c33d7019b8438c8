package flac

import (
	"crypto/md5"
	"encoding/binary"
	"io"

	"vaak/audio/decode/recording"
)

const (
	infoSize    = 34     // size of STREAMINFO in bytes
	maxMetadata = 1 << 9 // metadata blocks before the first frame
	maxBlock    = 65535  // samples
)

// header is the header of a file.
type header struct {
	block    int // largest number of samples per channel in a frame
	rate     int // Hz
	channels int
	bits     int   // per sample, 4 to 32
	total    int64 // samples per channel; -1 if not declared
	md5      [md5.Size]byte
	frames   int64 // offset of the first frame
}

// readHeader reads the metadata that begins at an offset. It skips all blocks but STREAMINFO,
// which must be the first.
func readHeader(src io.ReaderAt, at, size int64) (header, error) {
	var b [4 + 4 + infoSize]byte
	if err := recording.ReadFull(src, b[:], at); err != nil {
		return header{}, err
	}
	if kind, length := b[4]&0x7F, blockLength(b[4:]); kind != 0 || length != infoSize {
		return header{}, recording.Broken("FLAC begins with STREAMINFO of %d bytes; this file with a block of type %d and %d bytes",
			infoSize, kind, length)
	}
	h, err := parseInfo(b[8:])
	if err != nil {
		return h, err
	}
	h.frames = at + int64(len(b))
	ended := b[4]&0x80 != 0
	for n := 0; !ended; n++ {
		if n == maxMetadata {
			return h, recording.Broken("more than %d blocks of metadata precede the first frame", n)
		}
		if err := recording.ReadFull(src, b[:4], h.frames); err != nil {
			return h, err
		}
		ended = b[0]&0x80 != 0
		// A second STREAMINFO would contradict the first. 127 is forbidden because it would look
		// like the sync code of a frame.
		if kind := b[0] & 0x7F; kind == 0 || kind == 0x7F {
			return h, recording.Broken("the block of metadata at byte %d has the type %d, which is not allowed there", h.frames, kind)
		}
		// The lengths are added, never read, so a long picture costs nothing.
		h.frames += 4 + blockLength(b[:])
		if h.frames > size {
			return h, recording.Broken("the metadata claims to end at byte %d; the file ends at %d", h.frames, size)
		}
	}
	return h, nil
}

// blockLength returns the length in the header of a metadata block.
func blockLength(b []byte) int64 { return int64(binary.BigEndian.Uint32(b) & 0xFFFFFF) }

// parseInfo parses STREAMINFO.
func parseInfo(b []byte) (header, error) {
	packed := binary.BigEndian.Uint64(b[10:]) // 20 bits of rate, 3 of channels, 5 of bits, 36 of samples
	h := header{
		block:    int(binary.BigEndian.Uint16(b[2:])),
		rate:     int(packed >> 44),
		channels: int(packed>>41&7) + 1,
		bits:     int(packed>>36&31) + 1,
		total:    int64(packed & (1<<36 - 1)),
	}
	copy(h.md5[:], b[18:])
	// 0 means unknown, as an encoder writes it into a pipe.
	if h.total == 0 {
		h.total = -1
	}
	if least := int(binary.BigEndian.Uint16(b)); h.block < 16 || least > h.block {
		return h, recording.Broken("STREAMINFO says that blocks have %d to %d samples; 16 to %d are allowed", least, h.block, maxBlock)
	}
	if h.bits < 4 {
		return h, recording.Broken("STREAMINFO says %d bits per sample; 4 to 32 are allowed", h.bits)
	}
	return h, nil
}
