package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// links reads links, images and web addresses. Their text is read, their addresses are not or
// only up to the host.
type links struct {
	text *rewriter
	full bool      // web addresses are read whole
	open []linkEnd // of the links and images that are being read, the innermost last
}

// linkEnd is what is left out behind the text of a link or image, from its closing bracket on:
// offsets in the whole text.
type linkEnd struct{ from, to int }

// label reads the opening bracket of a link or, behind n bytes, of an image. Other brackets
// are text, as [sic]. It returns false if more text is needed.
func (l *links) label(s string, n int) bool {
	end, known := closing(s, n, '[', ']', longestLabel, l.text.final)
	if !known {
		return false
	}
	if end < 0 {
		l.text.keep(n + 1)
		return true
	}
	if end+1 == len(s) && !l.text.final {
		return false
	}
	label := s[n+1 : end]
	// The mark of a footnote.
	if n == 0 && strings.HasPrefix(label, "^") && len(label) > 1 && strings.IndexByte(label, ' ') < 0 {
		l.text.drop(end + 1)
		return true
	}
	to, known := l.target(s, label, end+1)
	if !known {
		return false
	}
	if to < 0 {
		l.text.keep(n + 1)
		return true
	}
	if n == 0 {
		l.text.found.Links++
	}
	from := l.text.offset()
	l.open = append(l.open, linkEnd{from + end, from + to + 1})
	l.text.drop(n + 1)
	return true
}

// target returns where the brackets end that stand at byte at, behind a label, and say where
// it leads, or -1.
func (l *links) target(s, label string, at int) (end int, known bool) {
	switch {
	case strings.HasPrefix(s[at:], "("):
		end, known = closing(s, at, '(', ')', longestLink, l.text.final)
		if end >= 0 && isTarget(s[at+1:end]) {
			return end, true
		}
	case strings.HasPrefix(s[at:], "["):
		// The number of a definition. Where there is no text that it could belong to, it
		// is a place in a list: a[0][1].
		end, known = closing(s, at, '[', ']', 40, l.text.final)
		if end >= 0 && isNumber(s[at+1:end]) && !isNumber(label) && !isWord(l.text.prev) {
			return end, true
		}
	default:
		known = true
	}
	return -1, known
}

// close leaves out what stands behind the text of a link, if its closing bracket comes next.
// It reports whether it does.
func (l *links) close() bool {
	at := l.text.offset()
	for n := len(l.open) - 1; n >= 0 && at >= l.open[n].from; n-- {
		end := l.open[n]
		l.open = l.open[:n]
		if at == end.from {
			l.text.drop(end.to - at)
			return true
		}
		// A bracket that was passed stood in code or in a formula.
	}
	return false
}

// closing returns where the bracket is closed that stands at byte at of a text, or -1 if it is
// not closed in the same paragraph within most bytes.
func closing(s string, at int, open, shut byte, most int, final bool) (end int, known bool) {
	if size := min(len(s)-at, most); size == most && strings.IndexByte(s[at:at+size], shut) < 0 {
		return -1, true
	}
	depth := 0
	for i := at; i < len(s) && i < at+most; i++ {
		switch s[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i, true
			}
		case '\\':
			i++
		case '\n':
			if open == '(' || strings.HasPrefix(s[i+1:], "\n") {
				return -1, true
			}
		}
	}
	return -1, final || len(s) >= at+most
}

// isTarget reports whether a text in brackets behind the text of a link is its address, with a
// title in quotation marks perhaps.
func isTarget(s string) bool {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "<") {
		return strings.IndexByte(s, '>') > 0
	}
	address, title, _ := strings.Cut(s, " ")
	title = strings.TrimSpace(title)
	return address == "" || title == "" || title[0] == '"' || title[0] == '\'' || title[0] == '('
}

// scheme reads a colon, which may be that of a web address.
func (l *links) scheme(s string) bool {
	if !l.afterScheme() {
		l.text.keep(1)
		return true
	}
	if !l.text.final && len(s) < 3 && strings.HasPrefix("://", s) {
		return false
	}
	if !strings.HasPrefix(s, "://") {
		l.text.keep(1)
		return true
	}
	end := 3
	for end < len(s) && end < longestLink {
		c, n := utf8.DecodeRuneInString(s[end:])
		if unicode.IsSpace(c) || strings.ContainsRune("<>\"`|^{}「」『』（），。、！？", c) {
			break
		}
		end += n
	}
	if end == len(s) && end < longestLink && !l.text.final {
		return false
	}
	l.address(trimAddress(s[:end]), 0)
	return true
}

// afterScheme reports whether the output ends with http or https.
func (l *links) afterScheme() bool {
	s := strings.ToLower(l.text.lastWritten(len("https")))
	return strings.HasSuffix(s, "http") || s == "https"
}

// trimAddress returns an address without the marks behind it that belong to the sentence.
func trimAddress(s string) string {
	for s != "" {
		switch last := s[len(s)-1]; last {
		case '.', ',', ';', ':', '!', '?', '\'', '*', '_', '~':
		case ')', ']':
			open := "("
			if last == ']' {
				open = "["
			}
			if strings.Count(s, open) >= strings.Count(s, string(last)) {
				return s
			}
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}

// address reads an address, whose colon stands at a byte of it, up to the end of its host or
// whole.
func (l *links) address(s string, colon int) {
	size := len(s)
	if !l.full {
		start := min(colon+3, len(s))
		if i := strings.IndexAny(s[start:], "/?#"); i >= 0 {
			size = start + i
		}
	}
	l.text.keep(size)
	if rest := s[size:]; rest != "" {
		if rest != "/" {
			l.text.found.Addresses++
		}
		l.text.drop(len(rest))
	}
}
