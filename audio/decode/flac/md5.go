package flac

import (
	"crypto/md5"
	"encoding/binary"
	"hash"
)

// digestPiece is how many samples per channel are digested at once.
const digestPiece = 1024

// digest is the MD5 that FLAC declares: of little-endian interleaved samples, each in as
// many bytes as its bits need.
type digest struct {
	hash     hash.Hash
	channels int
	width    int // bytes per sample
	buf      []byte
}

func newDigest(h header) *digest {
	width := (h.bits + 7) / 8
	return &digest{hash: md5.New(), channels: h.channels, width: width, buf: make([]byte, digestPiece*h.channels*width)}
}

// add adds the samples of a frame.
func (d *digest) add(block [][]int64) {
	for from := 0; from < len(block[0]); from += digestPiece {
		to := min(from+digestPiece, len(block[0]))
		// The hash takes one long write faster than many short ones, so the channels are
		// interleaved in buf first.
		if d.width == 2 && d.channels == 2 {
			d.write16(block[0][from:to], block[1][from:to])
		} else {
			for c, samples := range block {
				d.write(c, samples[from:to])
			}
		}
		d.hash.Write(d.buf[:(to-from)*d.channels*d.width]) // a hash never returns an error
	}
}

// write16 interleaves two channels of 16 bits. Most recordings are such, and it takes a third
// of the time of write.
func (d *digest) write16(left, right []int64) {
	right = right[:len(left)]
	for i, v := range left {
		binary.LittleEndian.PutUint32(d.buf[4*i:], uint32(uint16(v))|uint32(right[i])<<16)
	}
}

// write interleaves one channel.
func (d *digest) write(channel int, samples []int64) {
	step := d.channels * d.width
	at := channel * d.width
	for _, v := range samples {
		switch b := d.buf[at : at+d.width]; len(b) {
		case 1:
			b[0] = byte(v)
		case 2:
			b[0], b[1] = byte(v), byte(v>>8)
		case 3:
			b[0], b[1], b[2] = byte(v), byte(v>>8), byte(v>>16)
		case 4:
			b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
		}
		at += step
	}
}

func (d *digest) sum() [md5.Size]byte { return [md5.Size]byte(d.hash.Sum(nil)) }
