package recording

import (
	"bytes"
	"fmt"
	"io"
)

// ReadFull fills b from an offset of a file. A file that ends before b is full is broken.
func ReadFull(src io.ReaderAt, b []byte, at int64) error {
	n, err := src.ReadAt(b, at)
	switch {
	case n == len(b): // an io.ReaderAt may return io.EOF with the last byte
		return nil
	case err == io.EOF:
		return Broken("the file ends at byte %d; bytes %d to %d are missing", at+int64(n), at+int64(n), at+int64(len(b)))
	}
	return fmt.Errorf("read %d bytes of a recording at %d: %w", len(b), at, err)
}

// ReadAt fills b from an offset, for bytes that are known to be inside the file. If they cannot
// be read, the disk has failed, and not the one who made the file.
func ReadAt(src io.ReaderAt, b []byte, at int64) error {
	if n, err := src.ReadAt(b, at); n < len(b) {
		return fmt.Errorf("read a recording at byte %d: %w", at, err)
	}
	return nil
}

// Size returns the size of a file in bytes.
func Size(src io.Seeker) (int64, error) {
	n, err := src.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, fmt.Errorf("find the end of a recording: %w", err)
	}
	return n, nil
}

// ID3Length returns the size in bytes of an ID3v2 tag at the start of a file, or 0 if there is
// none. Taggers write it before MP3, and some before FLAC.
func ID3Length(head []byte) int64 {
	const header, footer = 10, 1 << 4
	if len(head) < header || !bytes.HasPrefix(head, []byte("ID3")) {
		return 0
	}
	// The size has four bytes of seven bits, so that it never looks like the header of an MPEG
	// frame. It counts neither the header nor the footer.
	size := int64(header)
	for i, b := range head[6:header] {
		size += int64(b&0x7F) << (7 * (3 - i))
	}
	if head[5]&footer != 0 {
		size += header // a footer is as long as the header
	}
	return size
}
