package client

import (
	"bytes"
	"fmt"
	"strconv"
)

// Unchunker finds the body in the bytes of a response as they come, wherever
// they are split. [Client] reads; an unchunker is fed, so that thousands of
// streams share one buffer.
type Unchunker struct {
	chunked bool
	left    int64 // bytes of the chunk, or of the body if it is not chunked
	line    []byte
	expect  expectation
}

// expectation is what comes when no bytes of a chunk are left.
type expectation int

const (
	sizeLine expectation = iota // how long the next chunk is
	chunkEnd                    // the end of line after a chunk
	lastLine                    // the empty line after the last chunk
	nothing                     // the body has ended
)

// longestLine is how long a line between chunks may be, in bytes.
const longestLine = 64

// Ended reports whether the body has come to its end.
func (u *Unchunker) Ended() bool { return u.expect == nothing || !u.chunked && u.left == 0 }

// Feed takes bytes of the response and gives those of the body to add.
func (u *Unchunker) Feed(raw []byte, add func([]byte) error) error {
	for len(raw) > 0 && !u.Ended() {
		if u.left > 0 {
			n := min(u.left, int64(len(raw)))
			if err := add(raw[:n]); err != nil {
				return err
			}
			raw, u.left = raw[n:], u.left-n
			if u.left == 0 {
				u.expect = chunkEnd
			}
			continue
		}
		i := bytes.IndexByte(raw, '\n')
		if i < 0 {
			i = len(raw) - 1
		}
		u.line, raw = append(u.line, raw[:i+1]...), raw[i+1:]
		if len(u.line) > longestLine {
			return fmt.Errorf("a line between chunks begins with %q", u.line[:longestLine])
		}
		if u.line[len(u.line)-1] == '\n' {
			if err := u.endLine(); err != nil {
				return err
			}
		}
	}
	return nil
}

// endLine obeys a line that has come whole.
func (u *Unchunker) endLine() error {
	line := bytes.TrimSuffix(bytes.TrimSuffix(u.line, []byte("\n")), []byte("\r"))
	u.line = u.line[:0]
	if u.expect == sizeLine {
		size, _, _ := bytes.Cut(line, []byte(";"))
		n, err := strconv.ParseInt(string(size), 16, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("chunk size %q", size)
		}
		if u.left = n; n == 0 {
			u.expect = lastLine
		}
		return nil
	}
	if len(line) > 0 { // there are no trailers
		return fmt.Errorf("%q where a line should be empty", line)
	}
	if u.expect == chunkEnd {
		u.expect = sizeLine
	} else {
		u.expect = nothing
	}
	return nil
}
