package graph

import (
	"bytes"
	"encoding/json"
	"unicode/utf16"
	"unicode/utf8"
)

// raw returns the string at the current byte with its quotes, and moves past it.
func (r *reader) raw() ([]byte, error) {
	start := r.at
	for r.at++; r.at < len(r.src); r.at++ {
		switch c := r.src[r.at]; {
		case c == '"':
			r.at++
			return r.src[start:r.at], nil
		// The escaped byte is skipped, since it may be a quote. What it means is checked
		// later.
		case c == '\\':
			r.at++
		case c < ' ':
			return nil, r.fail("a control character in a string; write \\n, \\t or \\u00XX")
		}
	}
	r.at = len(r.src)
	return nil, r.fail("a string has no end")
}

// string reads a string. Half a surrogate pair is reported and read as U+FFFD.
func (r *reader) string() (string, error) {
	start := r.at
	raw, err := r.raw()
	if err != nil {
		return "", err
	}
	body := raw[1 : len(raw)-1]
	if bytes.IndexByte(body, '\\') < 0 {
		return string(body), nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		r.at = start
		return "", r.fail("a string with an escape that JSON does not have; allowed are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX")
	}
	// encoding/json has replaced it by U+FFFD without an error.
	if loneSurrogate(body) {
		r.doc.remark(Syntax, string(r.path), "a string holds half of a surrogate pair (\\ud800 to \\udfff), which is no character; write both halves, or the character itself")
	}
	return s, nil
}

// loneSurrogate reports whether the body of a valid string has an escape of half a pair.
func loneSurrogate(body []byte) bool {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		if i++; body[i] != 'u' {
			continue
		}
		first := hex4(body[i+1:])
		i += 4
		if !utf16.IsSurrogate(first) {
			continue
		}
		rest := body[i+1:]
		if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' || utf16.DecodeRune(first, hex4(rest[2:])) == utf8.RuneError {
			return true
		}
		// Both halves of a pair are passed: backslash, u and four digits of the second.
		i += 6
	}
	return false
}

func hex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case c <= '9':
			r = r<<4 | rune(c-'0')
		default:
			r = r<<4 | rune(c|0x20-'a'+10)
		}
	}
	return r
}

// maxQuoted is how many code points of a document a message quotes.
const maxQuoted = 60

// shorten cuts a text to maxQuoted code points.
func shorten(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxQuoted {
			return s[:i] + "…"
		}
	}
	return s
}
