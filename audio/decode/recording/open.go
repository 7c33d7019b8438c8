package recording

import (
	"fmt"
	"io"
	"strings"
)

// Format is a file format of recordings.
type Format struct {
	Name string // for error messages
	// Match reports whether a file is of this format. head holds the first bytes of the file, at
	// most 512. src is there for what head cannot tell; most formats do not read it.
	Match func(src io.ReaderAt, head []byte) (bool, error)
	// Open returns the stream of a file for which Match returned true.
	Open func(src Source, head []byte, limits Limits) (Stream, error)
}

// headSize is how many bytes of a file are examined to recognize its format.
const headSize = 512

// Open returns the stream of a recording, in the first of the formats that matches. It reads src
// from its beginning, wherever src is positioned, and leaves it positioned anywhere. If the file
// is not a recording, is of a kind that is not supported, or exceeds the limits, the error is a
// [*fault.Error] with one of this package's codes.
func Open(src Source, limits Limits, formats []Format) (Stream, error) {
	head := make([]byte, headSize)
	n, err := src.ReadAt(head, 0)
	// A short file ends with io.EOF and still has its first bytes.
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read the head of a recording: %w", err)
	}
	head = head[:n]
	if n == 0 {
		return nil, Broken("the file is empty")
	}
	for _, f := range formats {
		match, err := f.Match(src, head)
		if err != nil {
			return nil, err
		}
		if match {
			return f.Open(src, head, limits)
		}
	}
	return nil, unknown(head, formats)
}

// unknown returns the error for a file that begins like none of the formats.
func unknown(head []byte, formats []Format) error {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	last := len(names) - 1
	return Unsupported("the file begins with %q, which is none of the formats that are read: %s and %s",
		head[:min(len(head), 12)], strings.Join(names[:last], ", "), names[last])
}
