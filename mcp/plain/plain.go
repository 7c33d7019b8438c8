// Package plain makes text of strangers safer to show to a model: it removes what a person
// would not see. A model reads only what the writer lets everybody read. That text is still not
// to be obeyed.
//
// The package removes control characters, marks of direction, characters without width, tag
// characters, soft hyphens, private use, replacement characters, and the tags and comments of
// HTML. Joiners stay where the script needs them, so text in Hindi, Persian or Sinhala does not
// change.
package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ellipsis ends text that was cut.
const ellipsis = "…"

// Text returns what a person sees of s, at most most code points of it; longer text is cut and ends
// in "…". Of several blank lines in a row one stays. Text returns clean text as it is, and so it
// returns its own results as they are. most must be at least 1.
func Text(s string, most int) string {
	if !clean(s) {
		s = collapse(seen(s))
	}
	return limit(s, most)
}

// Line returns the same as [Text] on one line. Every run of white space becomes one space, and
// white space at both ends is removed.
func Line(s string, most int) string {
	if !clean(s) {
		s = seen(s)
	}
	if strings.TrimSpace(s) != s || strings.ContainsFunc(s, brokenSpace) || strings.Contains(s, "  ") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return limit(s, most)
}

// brokenSpace reports whether r is white space that a line does not keep.
func brokenSpace(r rune) bool { return r == '\n' || r == '\t' }

// clean reports whether s certainly needs no change, except for its length. It is a fast check
// and may return false for text that needs none either.
func clean(s string) bool {
	for i, r := range s {
		switch {
		case r == '\n':
			// Two characters of white space in a row need the slow path.
			if i+1 < len(s) && (s[i+1] == '\n' || s[i+1] == ' ' || s[i+1] == '\t') {
				return false
			}
		case r >= ' ' && r < 0x7f:
			if r == '<' {
				return false
			}
		case r >= 0xae && r < 0x300, r >= 0x900 && r < 0x1100, r >= 0x4e00 && r < 0xd800:
			// These ranges hold only letters and marks that are always visible.
		case r != '\t' && (conditional(r) || !visible(r)):
			return false
		}
	}
	return true
}

// limit cuts s to most code points, the ellipsis included.
func limit(s string, most int) string {
	// A code point has a byte at least, so a text of so few bytes is short enough.
	if len(s) <= most {
		return s
	}
	n, end := 0, 0
	for i := range s {
		n++
		if n == most {
			end = i // the character here makes room for the ellipsis
		}
		if n > most {
			return strings.TrimRightFunc(s[:end], hangs) + ellipsis
		}
	}
	return s
}

// hangs reports whether r has no meaning at the end of a text.
func hangs(r rune) bool { return conditional(r) || unicode.IsSpace(r) }

// collapse replaces several blank lines in a row by one.
func collapse(s string) string {
	if !strings.Contains(s, "\n") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	blank := 0 // blank lines in a row
	for i, line := range strings.Split(s, "\n") {
		if i > 0 && strings.Trim(line, " \t") == "" {
			if blank++; blank > 1 {
				continue
			}
		} else {
			blank = 0
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String()
}

// seen returns s without the characters that nobody sees.
func seen(s string) string {
	w := writer{text: make([]byte, 0, len(s))}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '\r' && i+1 < len(s) && s[i+1] == '\n' {
			// \r\n is one line feed, which the next round writes.
			i++
			continue
		}
		i += size
		switch r {
		case '\r', 0x85, 0x2028, 0x2029:
			r = '\n'
		}
		w.add(r)
	}
	return settle(string(w.text))
}

// settle removes the joiners that nothing follows which they could join.
func settle(s string) string {
	if !strings.ContainsRune(s, zwj) && !strings.ContainsRune(s, zwnj) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	var before rune
	for i, r := range s {
		if isJoiner(r) {
			after, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if !joins(before, r, after) {
				continue
			}
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}
