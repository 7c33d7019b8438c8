package markdown

import (
	"html"
	"strings"
	"unicode"
)

// inline reads the text of lines: it finds the markup in it, reads code, tags and entities, and
// leaves the rest to its parts. Its methods that return a bool return false if more text is
// needed, except for inPath.
type inline struct {
	text     *rewriter
	blocks   *blocks // says what the line is, and is told where it ends
	emphasis *emphasis
	links    links
	maths    maths
}

func newInline(w *rewriter, b *blocks, e *emphasis, o Options) *inline {
	return &inline{text: w, blocks: b, emphasis: e, links: links{text: w, full: o.FullAddresses}, maths: maths{w}}
}

// special are the bytes that may be markup inside a line.
var special = [256]bool{
	'\n': true, '\\': true, '`': true, '*': true, '_': true, '~': true, '[': true, ']': true, '!': true,
	'<': true, '&': true, '$': true, '|': true, '#': true, ':': true, ' ': true,
}

// read reads on in a line.
func (in *inline) read() bool {
	s := in.text.rest()
	spaces := in.blocks.row || in.blocks.heading // may be markup
	n := 0
	for n < len(s) && (!special[s[n]] || s[n] == ' ' && !spaces) {
		n++
	}
	if n > 0 {
		in.text.keep(n)
		return true
	}
	switch s[0] {
	case '\n':
		in.text.comma = false
		in.text.keep(1)
		in.blocks.endLine()
		return true
	case '\\':
		return in.escape(s)
	case '`':
		return in.code(s)
	case '*':
		return in.emphasis.asterisks(s)
	case '_':
		return in.emphasis.underscores(s)
	case '~':
		return in.emphasis.strike(s)
	case '!':
		// A mark behind a word is heard at once; before an image stands a space.
		if isOpening(in.text.prev) || unicode.IsSpace(in.text.prev) {
			if len(s) < 2 && !in.text.final {
				return false
			}
			if len(s) > 1 && s[1] == '[' {
				return in.links.label(s, 1)
			}
		}
	case '[':
		return in.links.label(s, 0)
	case ']':
		if in.links.close() {
			return true
		}
	case '<':
		return in.angle(s)
	case '&':
		return in.entity(s)
	case '$':
		return in.maths.dollar(s)
	case ':':
		return in.links.scheme(s)
	case '|', ' ':
		if in.blocks.row {
			return in.bar(s)
		}
		if s[0] == ' ' {
			return in.headingEnd(s)
		}
	}
	in.text.keep(1)
	return true
}

// escape reads a backslash: before a sign of the markup it makes that an ordinary sign, and
// at the end of a line it is a break.
func (in *inline) escape(s string) bool {
	if len(s) < 2 {
		if in.text.final {
			in.text.keep(1)
		}
		return in.text.final
	}
	switch b := s[1]; {
	case b == '(' || b == '[':
		if written, known := in.maths.latex(s); written || !known {
			return known
		}
		in.text.drop(1)
		in.text.keep(1)
	case b == '\n':
		in.text.drop(1)
	// A Windows path has letters before its backslashes.
	case in.text.prev == ':' || in.inPath() || isASCIILetter(in.text.prev) && strings.IndexByte("*_`|])", b) < 0:
		in.text.keep(1)
	case b == '<':
		in.text.replace(2, "<"+noTag)
	case strings.IndexByte("\\*_`#[]{}()~>|!$&.-+\"'", b) >= 0:
		in.text.drop(1)
		in.text.keep(1)
	default:
		in.text.keep(1)
	}
	return true
}

// inPath reports whether the word before is the start of a Windows path.
func (in *inline) inPath() bool {
	s := in.text.lastWritten(longestTail)
	return strings.Contains(s[strings.LastIndexAny(s, " \n")+1:], `:\`)
}

// code reads code in a line: what stands between two runs of as many backticks.
func (in *inline) code(s string) bool {
	n := countByte(s, '`')
	end, known := closingTicks(s, n, in.text.final)
	if !known {
		return false
	}
	if end < 0 {
		in.text.keep(n)
		return true
	}
	in.text.drop(n)
	in.text.keep(end - n)
	in.text.drop(n)
	return true
}

// closingTicks returns where n backticks close the code that n of them open, or -1.
func closingTicks(s string, n int, final bool) (at int, known bool) {
	for i := n; i < len(s) && i < longestSpan+n; {
		// Both a run of backticks and a line end are judged by what follows them.
		m := max(1, countByte(s[i:], '`'))
		if (s[i] == '`' || s[i] == '\n') && i+m == len(s) && !final {
			return 0, false
		}
		switch {
		case s[i] == '`' && m == n:
			return i, true
		case s[i] == '\n' && (i+1 == len(s) || s[i+1] == '\n' || n >= 3): // the paragraph ends
			return -1, true
		}
		i += m
	}
	return -1, final || len(s) >= longestSpan+n
}

// angle reads <address>, a line break of HTML, or a comment. Anything else that looks like a
// tag is copied as it is, for the steps that know tags.
func (in *inline) angle(s string) bool {
	if len(s) < 2 && !in.text.final {
		return false
	}
	if len(s) < 2 || !isASCIILetter(rune(s[1])) && s[1] != '/' && s[1] != '!' {
		in.text.keep(1)
		return true
	}
	most := longestTag
	if strings.HasPrefix(s, "<http") {
		most = longestLink
	}
	end := strings.IndexAny(s[:min(len(s), most)], ">\n")
	if end < 0 && len(s) < most && !in.text.final {
		return false
	}
	if end < 0 || s[end] == '\n' {
		in.text.keep(1)
		return true
	}
	switch inner := strings.ToLower(strings.Trim(s[1:end], " /")); {
	case inner == "br":
		in.text.replace(end+1, "\n")
	case strings.HasPrefix(s, "<!--") && strings.HasSuffix(s[:end], "--"):
		in.text.drop(end + 1)
	case strings.HasPrefix(inner, "http://") || strings.HasPrefix(inner, "https://"):
		in.text.drop(1)
		in.links.address(s[1:end], strings.IndexByte(s, ':')-1)
		in.text.drop(1)
	case strings.HasPrefix(inner, "mailto:"):
		in.text.drop(1 + len("mailto:"))
		in.text.keep(end - 1 - len("mailto:"))
		in.text.drop(1)
	default:
		in.text.keep(end + 1)
	}
	return true
}

// entity reads an entity of HTML. A no-break space becomes a space.
func (in *inline) entity(s string) bool {
	const longest = 32
	end := 1
	for end < len(s) && end < longest && (isASCIIWord(rune(s[end])) || end == 1 && s[end] == '#') {
		end++
	}
	if end == len(s) && end < longest && !in.text.final {
		return false
	}
	if end == len(s) || s[end] != ';' {
		in.text.keep(1)
		return true
	}
	c, ok := Entity(s[:end+1])
	switch {
	case !ok:
		in.text.keep(1)
	case c == "\u00a0":
		in.text.replace(end+1, " ")
	case c == "<":
		in.text.replace(end+1, "<"+noTag)
	default:
		in.text.replace(end+1, c)
	}
	return true
}

// Entity returns the characters that s stands for if it is an entity of HTML, as "&amp;" and
// "&#39;" are. s begins with the ampersand and ends with the semicolon.
func Entity(s string) (chars string, ok bool) {
	chars = html.UnescapeString(s)
	// UnescapeString also reads old entities without their semicolon, as "&notx;" to "¬x;".
	// The semicolon that is left tells them apart; only "&semi;" itself stands for one.
	return chars, chars != s && (chars == ";" || !strings.HasSuffix(chars, ";"))
}

// noTag is written behind a "<" that is no markup, so that package frontend does not read a tag
// there. It is the word joiner, which frontend removes.
const noTag = "\u2060"

// bar reads the bars between the cells of a row, which are heard as commas, and the spaces
// before them. The whole row is at hand, unless it is absurdly long.
func (in *inline) bar(s string) bool {
	n := countSpaces(s)
	if n == len(s) && !in.text.final && n < longestLine {
		return false
	}
	if n == len(s) || s[n] != '|' {
		in.text.keep(max(n, 1))
		return true
	}
	n++
	n += countSpaces(s[n:])
	if n == len(s) && !in.text.final && n < longestLine {
		return false
	}
	in.text.drop(n)
	in.text.endCell()
	return true
}

// headingEnd reads a space in a heading, which may stand before signs that close it.
func (in *inline) headingEnd(s string) bool {
	n := countSpaces(s)
	m := countByte(s[n:], '#')
	end := n + m + countSpaces(s[n+m:])
	if end == len(s) && !in.text.final && end < longestLine {
		return false
	}
	if m > 0 && (end == len(s) || s[end] == '\n' || s[end] == '\r') {
		in.text.drop(n + m)
		return true
	}
	in.text.keep(n)
	return true
}
