package transcript

import (
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Byte order marks of UTF-8 and of UTF-16 in either byte order.
const (
	mark8       = "\xef\xbb\xbf"
	mark16big   = "\xfe\xff"
	mark16small = "\xff\xfe"
)

// content reads the whole file and returns its text with "\n" for line breaks. If it returns
// false, there is nothing to parse and the problems say why.
func (p *reader) content(r io.Reader) (string, bool) {
	// One byte more than allowed shows that the file is too long without reading it whole.
	raw, err := io.ReadAll(io.LimitReader(r, p.limits.Bytes+1))
	if err != nil {
		p.problem(0, "the file cannot be read: %v", err)
		return "", false
	}
	if int64(len(raw)) > p.limits.Bytes {
		p.problem(0, "the file is longer than %d bytes, the most of one file", p.limits.Bytes)
		return "", false
	}
	text, ok := p.decode(string(raw))
	if !ok {
		return "", false
	}
	// In the formats of NIST an empty file says that nobody speaks.
	if strings.TrimSpace(text) == "" && p.file.Format != RTTM && p.file.Format != CTM && p.file.Format != STM {
		p.problem(0, "the file is empty")
		return "", false
	}
	return breaks(text), true
}

// breaks replaces the line breaks of all systems with "\n".
func breaks(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// decode returns the file as text without its byte order mark. It returns false if the file
// is not text.
func (p *reader) decode(raw string) (string, bool) {
	if rest, ok := strings.CutPrefix(raw, mark16big); ok {
		return p.decode16(rest, binary.BigEndian)
	}
	if rest, ok := strings.CutPrefix(raw, mark16small); ok {
		return p.decode16(rest, binary.LittleEndian)
	}
	text := strings.TrimPrefix(raw, mark8)
	// Text in UTF-8 has no NUL, and Latin text in UTF-16 has one in every second byte. So a
	// NUL tells of a file in the wrong encoding.
	if at := strings.IndexByte(text, 0); at >= 0 {
		hint := ""
		if looks16(text) {
			hint = ": it looks like UTF-16, which is read with a byte order mark only"
		}
		offset := len(raw) - len(text) + at
		p.problem(1+strings.Count(text[:at], "\n"), "there is a NUL at byte %d%s", offset, hint)
		return "", false
	}
	if !utf8.ValidString(text) {
		p.invalid(raw)
		return "", false
	}
	return text, true
}

// looks16 reports whether the file begins like UTF-16 without a byte order mark: at least a
// quarter of its first 64 bytes are NUL, all at even places or all at odd ones.
func looks16(text string) bool {
	head := text[:min(len(text), 64)]
	even, odd := 0, 0
	for i := range len(head) {
		if head[i] == 0 && i%2 == 0 {
			even++
		} else if head[i] == 0 {
			odd++
		}
	}
	return max(even, odd)*4 >= len(head) && min(even, odd) == 0
}

// invalid reports bytes that are not UTF-8: the first one of each line.
func (p *reader) invalid(raw string) {
	line, reported := 1, 0
	for i := 0; i < len(raw) && !p.done(); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		if r == utf8.RuneError && size == 1 && reported != line {
			p.problem(line, "the byte 0x%02X at byte %d is not UTF-8", raw[i], i)
			reported = line
		}
		if r == '\n' {
			line++
		}
		i += size
	}
}

// decode16 decodes UTF-16; raw follows the byte order mark.
func (p *reader) decode16(raw string, order binary.ByteOrder) (string, bool) {
	if len(raw)%2 != 0 {
		p.problem(0, "the file is UTF-16 with half a character at its end: it has %d bytes", len(raw)+2)
		return "", false
	}
	var text strings.Builder
	text.Grow(len(raw) / 2)
	bytes, line := []byte(raw), 1
	for i := 0; i < len(bytes); i += 2 {
		r, size := rune(order.Uint16(bytes[i:])), 2
		// Characters above U+FFFF are two units, a surrogate pair. A half of one has no meaning.
		if utf16.IsSurrogate(r) {
			if r = utf8.RuneError; i+4 <= len(bytes) {
				r = utf16.DecodeRune(rune(order.Uint16(bytes[i:])), rune(order.Uint16(bytes[i+2:])))
			}
			if r == utf8.RuneError {
				p.problem(line, "there is half a surrogate pair of UTF-16 at byte %d", i+2) // raw is without the mark of 2 bytes
				return "", false
			}
			size = 4
		}
		if r == 0 {
			p.problem(line, "there is a NUL at byte %d", i+2)
			return "", false
		}
		if r == '\n' {
			line++
		}
		text.WriteRune(r)
		i += size - 2
	}
	return text.String(), true
}
