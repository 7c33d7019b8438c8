package connection

import "bytes"

// heads notes which of two header fields it has seen in the heads of requests. Heads may arrive
// in pieces of any size.
type heads struct {
	length, encoding bool

	line  [len(transferEncoding)]byte // the beginning of the line, in lower case
	n     int                         // bytes of it
	ended bool                        // the name of the field is complete; the remainder of the line does not matter
}

const (
	contentLength    = "content-length:"
	transferEncoding = "transfer-encoding:"
)

// scan reads the next bytes. They may also be bytes of a body, where scan may find a field that
// is none; it never misses one.
func (h *heads) scan(p []byte) {
	for len(p) > 0 {
		if h.ended {
			// A line feed ends a line with or without a carriage return, as for net/http.
			i := bytes.IndexByte(p, '\n')
			if i < 0 {
				return
			}
			p, h.n, h.ended = p[i+1:], 0, false
			continue
		}
		b := p[0]
		p = p[1:]
		if b == '\n' {
			h.n = 0
			continue
		}
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		// In bounds: ended is set below when the array is full.
		h.line[h.n] = b
		h.n++
		switch name := string(h.line[:h.n]); {
		case name == contentLength:
			h.length, h.ended = true, true
		case name == transferEncoding:
			h.encoding, h.ended = true, true
		case h.n == len(h.line) || b == ':':
			// Another field, or longer than both names.
			h.ended = true
		}
	}
}
