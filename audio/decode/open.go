package decode

import (
	"bytes"
	"fmt"
	"io"
)

// format is a file format that Open recognizes by its first bytes.
type format struct {
	name  string // for error messages
	magic func(head []byte) bool
	open  func(src Source, head []byte, limits Limits) (Stream, error)
}

// formats returns the formats; the first one whose magic matches is used.
func formats() []format {
	return []format{
		{"WAV (RIFF, RF64, BW64)", isWAV, openWAV},
		{"FLAC", isFLAC, openFLAC},
		{"Ogg Opus", isOgg, openOgg},
		{"SPHERE (NIST_1A)", isSPHERE, openSPHERE},
		{"MP3", isMP3, openMP3},
	}
}

// headSize is how many bytes of a file are examined.
const headSize = 512

// Open returns the stream of a recording. It recognizes the format by the first bytes, never by
// a file name. It reads src from its beginning, wherever src is positioned, and leaves it
// positioned anywhere. If the file is not a recording, is of a kind that is not supported, or
// exceeds the limits, the error is a [*fault.Error] with one of this package's codes.
func Open(src Source, limits Limits) (Stream, error) {
	head := make([]byte, headSize)
	n, err := src.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read the head of a recording: %w", err)
	}
	head = head[:n]
	if n == 0 {
		return nil, broken("the file is empty")
	}
	if flac, err := flacAfterID3(src, head); err != nil {
		return nil, err
	} else if flac {
		return openFLAC(src, head, limits)
	}
	for _, f := range formats() {
		if f.magic(head) {
			return f.open(src, head, limits)
		}
	}
	return nil, unknown(head)
}

// flacAfterID3 reports whether an ID3 tag at the start of a file is followed by FLAC, as some
// taggers write it, and not by MP3.
func flacAfterID3(src Source, head []byte) (bool, error) {
	at := id3Length(head)
	if at == 0 {
		return false, nil
	}
	var magic [4]byte
	n, err := src.ReadAt(magic[:], at)
	if err != nil && err != io.EOF {
		return false, fmt.Errorf("read what follows the ID3 tag of a recording: %w", err)
	}
	return isFLAC(magic[:n]), nil
}

// id3Length returns the size in bytes of an ID3v2 tag at the start of a file, or 0 if there is
// none. The tag stores its size in four times seven bits.
func id3Length(head []byte) int64 {
	const header, footer = 10, 1 << 4
	if len(head) < header || !bytes.HasPrefix(head, []byte("ID3")) {
		return 0
	}
	size := int64(header)
	for i, b := range head[6:header] {
		size += int64(b&0x7F) << (7 * (3 - i))
	}
	if head[5]&footer != 0 {
		size += header
	}
	return size
}

func isWAV(head []byte) bool {
	if len(head) < 12 || string(head[8:12]) != "WAVE" {
		return false
	}
	id := string(head[:4])
	return id == "RIFF" || id == "RF64" || id == "BW64"
}

func isFLAC(head []byte) bool { return bytes.HasPrefix(head, []byte("fLaC")) }

func isOgg(head []byte) bool { return bytes.HasPrefix(head, []byte("OggS")) }

func isSPHERE(head []byte) bool { return bytes.HasPrefix(head, []byte("NIST_1A\n")) }

// isMP3 reports whether a file begins with an ID3 tag or the header of an MPEG audio frame:
// eleven bits set, and no reserved version, layer, bit rate or sample rate. AAC in ADTS has the
// reserved layer.
func isMP3(head []byte) bool {
	if bytes.HasPrefix(head, []byte("ID3")) {
		return true
	}
	if len(head) < 4 || head[0] != 0xFF || head[1]&0xE0 != 0xE0 {
		return false
	}
	version, layer := head[1]>>3&3, head[1]>>1&3
	bitrate, rate := head[2]>>4, head[2]>>2&3
	return version != 1 && layer != 0 && bitrate != 0 && bitrate != 15 && rate != 3
}
