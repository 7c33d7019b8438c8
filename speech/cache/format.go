package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// MaxHead is the largest allowed head in bytes.
const MaxHead = 64 << 10

// The file of an entry is its body, its head and a footer:
//
//	32 bytes  key
//	 8 bytes  length of the body, little endian as all numbers
//	 4 bytes  length of the head
//	 8 bytes  magic, the last of which is the version
//	 4 bytes  CRC-32C of everything before
//
// Lengths and head come last because a draft learns them last.
const (
	magic      = "vaakkep"
	version    = 1
	magicSize  = 8
	footerSize = 32 + 8 + 4 + magicSize + 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged means that a file is not an entry as it was written.
var errDamaged = errors.New("a kept answer is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

// appendFooter appends the footer of an entry to b. sum is the checksum of body and head.
func appendFooter(b []byte, key Key, body int64, head int, sum uint32) []byte {
	start := len(b)
	b = append(b, key[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(body))
	b = binary.LittleEndian.AppendUint32(b, uint32(head))
	b = append(b, magic...)
	b = append(b, version)
	return binary.LittleEndian.AppendUint32(b, crc32.Update(sum, castagnoli, b[start:]))
}

// parseFooter returns the lengths of body and head from the footer of a file of size bytes.
// It checks everything but the checksum.
func parseFooter(b []byte, key Key, size int64) (body int64, head int, err error) {
	if got := Key(b[:32]); got != key {
		return 0, 0, damaged("it is of another key")
	}
	b = b[32:]
	bodySize, headSize := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])
	if got := string(b[12 : 12+magicSize]); got[:len(magic)] != magic {
		return 0, 0, damaged("it ends in %q", got)
	} else if v := got[len(magic)]; v != version {
		return 0, 0, damaged("it is of version %d, not %d", v, version)
	}
	if headSize > MaxHead {
		return 0, 0, damaged("its head has %d bytes, the largest has %d", headSize, MaxHead)
	}
	if rest := size - footerSize - int64(headSize); rest < 0 || bodySize != uint64(rest) {
		return 0, 0, damaged("%d bytes of body and %d of head do not make %d", bodySize, headSize, size)
	}
	return int64(bodySize), int(headSize), nil
}

// verify reads the file of an entry, of size bytes, through buf, and returns the length of
// the body and the head. Its error wraps errDamaged.
func verify(r io.ReaderAt, size int64, key Key, buf []byte) (body int64, head []byte, err error) {
	if size < footerSize {
		return 0, nil, damaged("it has %d bytes", size)
	}
	var footer [footerSize]byte
	if err := readFull(r, footer[:], size-footerSize); err != nil {
		return 0, nil, err
	}
	body, n, err := parseFooter(footer[:], key, size)
	if err != nil {
		return 0, nil, err
	}
	var sum uint32
	for at := int64(0); at < body; {
		piece := buf[:min(int64(len(buf)), body-at)]
		if err := readFull(r, piece, at); err != nil {
			return 0, nil, err
		}
		sum = crc32.Update(sum, castagnoli, piece)
		at += int64(len(piece))
	}
	head = make([]byte, n)
	if err := readFull(r, head, body); err != nil {
		return 0, nil, err
	}
	sum = crc32.Update(sum, castagnoli, head)
	sum = crc32.Update(sum, castagnoli, footer[:footerSize-4])
	if want := binary.LittleEndian.Uint32(footer[footerSize-4:]); sum != want {
		return 0, nil, damaged("its checksum is %08x, not %08x", sum, want)
	}
	return body, head, nil
}

func readFull(r io.ReaderAt, p []byte, at int64) error {
	if n, err := r.ReadAt(p, at); n < len(p) {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return nil
}
