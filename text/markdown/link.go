package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// label reads the opening bracket of a link or, behind n bytes, of an image. The text in the
// brackets is read; the address is not. Other brackets are text, as [sic].
func (r *Reader) label(s string, n int) bool {
	end, known := closing(s, n, '[', ']', longestLabel, r.final)
	if !known {
		return false
	}
	if end < 0 {
		r.keep(n + 1)
		return true
	}
	if end+1 == len(s) && !r.final {
		return false
	}
	label := s[n+1 : end]
	// The mark of a footnote.
	if n == 0 && strings.HasPrefix(label, "^") && len(label) > 1 && strings.IndexByte(label, ' ') < 0 {
		r.drop(end + 1)
		return true
	}
	to := -1
	if end+1 < len(s) {
		switch s[end+1] {
		case '(':
			if to, known = closing(s, end+1, '(', ')', longestLink, r.final); !known {
				return false
			}
			if to >= 0 && !isTarget(s[end+2:to]) {
				to = -1
			}
		case '[':
			if to, known = closing(s, end+1, '[', ']', 40, r.final); !known {
				return false
			}
			// The number of a definition. Where there is no text that it could belong to, it
			// is a place in a list: a[0][1].
			if to >= 0 && (!isNumber(s[end+2:to]) || isNumber(label) || isWord(r.prev)) {
				to = -1
			}
		}
	}
	if to < 0 {
		r.keep(n + 1)
		return true
	}
	if n == 0 {
		r.found.Links++
	}
	from := r.base + r.at
	r.brackets = append(r.brackets, bracket{from + end, from + to + 1})
	r.drop(n + 1)
	return true
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

func isNumber(s string) bool {
	for _, c := range s {
		if !isDigit(c) {
			return false
		}
	}
	return s != ""
}

// scheme reads a colon, which may be that of a web address.
func (r *Reader) scheme(s string) bool {
	if !r.afterScheme() {
		r.keep(1)
		return true
	}
	if !r.final && len(s) < 3 && strings.HasPrefix("://", s) {
		return false
	}
	if !strings.HasPrefix(s, "://") {
		r.keep(1)
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
	if end == len(s) && end < longestLink && !r.final {
		return false
	}
	r.address(trimAddress(s[:end]), 0)
	return true
}

// afterScheme reports whether the output ends with http or https.
func (r *Reader) afterScheme() bool {
	s := strings.ToLower(r.lastWritten(len("https")))
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
func (r *Reader) address(s string, colon int) {
	size := len(s)
	if !r.options.FullAddresses {
		start := min(colon+3, len(s))
		if i := strings.IndexAny(s[start:], "/?#"); i >= 0 {
			size = start + i
		}
	}
	r.keep(size)
	if rest := s[size:]; rest != "" {
		if rest != "/" {
			r.found.Addresses++
		}
		r.drop(len(rest))
	}
}
