// Package plain makes text that strangers wrote harmless to show to a model: what
// a person would not see of it is taken away. What remains is what its writer let
// everybody read, and still not to be obeyed.
//
// Taken away are control characters, marks of direction, characters without a
// width, tags, soft hyphens, private use, what stands for broken characters, and
// the tags and comments of HTML. Joiners stay where the script needs them: Hindi,
// Persian or Sinhala text comes through as it is.
package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ellipsis ends what was cut.
const ellipsis = "…"

// Text returns what a person sees of s, at most most code points of it: a longer
// one ends in "…". Of blank lines in a row one stays. Clean text is returned as it
// is, and so is every result when it is given again. most is at least 1.
func Text(s string, most int) string {
	if !clean(s) {
		s = collapse(seen(s))
	}
	return limit(s, most)
}

// Line returns what Text does on one line: runs of white space that hold more than
// a space are one space, and there is none at its ends.
func Line(s string, most int) string {
	if !clean(s) {
		s = seen(s)
	}
	if strings.TrimSpace(s) != s || strings.ContainsFunc(s, brokenSpace) || strings.Contains(s, "  ") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return limit(s, most)
}

// brokenSpace reports whether r is white space that does not stay on a line.
func brokenSpace(r rune) bool { return r == '\n' || r == '\t' }

// clean reports whether nothing can be wrong with s but its length. It may say no
// of text that is in order.
func clean(s string) bool {
	for i, r := range s {
		switch {
		case r == '\n':
			// Two in a row are looked at closely.
			if i+1 < len(s) && (s[i+1] == '\n' || s[i+1] == ' ' || s[i+1] == '\t') {
				return false
			}
		case r >= ' ' && r < 0x7f:
			if r == '<' {
				return false
			}
		case r >= 0xae && r < 0x300, r >= 0x900 && r < 0x1100, r >= 0x4e00 && r < 0xd800:
			// Letters and marks alone.
		case r != '\t' && (conditional(r) || !visible(r)):
			return false
		}
	}
	return true
}

// limit cuts s to most code points.
func limit(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n, end := 0, 0
	for i := range s {
		n++
		if n == most {
			end = i // what stands here makes room for the ellipsis
		}
		if n > most {
			return strings.TrimRightFunc(s[:end], hangs) + ellipsis
		}
	}
	return s
}

// hangs reports whether r means nothing at an end.
func hangs(r rune) bool { return conditional(r) || unicode.IsSpace(r) }

// collapse leaves one of the blank lines in a row.
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

// seen returns s without what is not seen.
func seen(s string) string {
	w := writer{text: make([]byte, 0, len(s))}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '\r' && i+1 < len(s) && s[i+1] == '\n' {
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

// settle takes away the joiners behind which stands nothing to join.
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
