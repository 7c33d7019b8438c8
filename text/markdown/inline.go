package markdown

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// special are the bytes that may be markup inside a line.
var special = [256]bool{
	'\n': true, '\\': true, '`': true, '*': true, '_': true, '~': true, '[': true, ']': true, '!': true,
	'<': true, '&': true, '$': true, '|': true, '#': true, ':': true, ' ': true,
}

// inline reads on in a line. It returns false if more text is needed.
func (r *Reader) inline() bool {
	s := r.rest()
	n := 0
	for n < len(s) && (!special[s[n]] || s[n] == ' ' && !r.row && !r.heading) {
		n++
	}
	if n > 0 {
		r.keep(n)
		return true
	}
	switch s[0] {
	case '\n':
		r.comma = false
		r.keep(1)
		r.endLine()
		return true
	case '\\':
		return r.escape(s)
	case '`':
		return r.code(s)
	case '*':
		return r.asterisks(s)
	case '_':
		return r.underscores(s)
	case '~':
		return r.tildesRun(s)
	case '!':
		// A mark behind a word is heard at once; before an image stands a space.
		if isOpening(r.prev) || unicode.IsSpace(r.prev) {
			if len(s) < 2 && !r.final {
				return false
			}
			if len(s) > 1 && s[1] == '[' {
				return r.label(s, 1)
			}
		}
	case '[':
		return r.label(s, 0)
	case ']':
		for at := r.base + r.at; len(r.brackets) > 0; {
			b := r.brackets[len(r.brackets)-1]
			if at < b.from {
				break
			}
			// An end that was passed stood in code or in a formula.
			r.brackets = r.brackets[:len(r.brackets)-1]
			if at == b.from {
				r.drop(b.to - at)
				return true
			}
		}
	case '<':
		return r.angle(s)
	case '&':
		return r.entity(s)
	case '$':
		return r.dollar(s)
	case ':':
		return r.scheme(s)
	case '|', ' ':
		if r.row {
			return r.bar(s)
		}
		if s[0] == ' ' {
			return r.headingEnd(s)
		}
	}
	r.keep(1)
	return true
}

// escape reads a backslash: before a sign of the markup it makes that an ordinary sign, and
// at the end of a line it is a break.
func (r *Reader) escape(s string) bool {
	if len(s) < 2 {
		if r.final {
			r.keep(1)
		}
		return r.final
	}
	switch b := s[1]; {
	case b == '(' || b == '[':
		known, ok := r.latex(s)
		if !known || ok {
			return known
		}
		r.drop(1)
		r.keep(1)
	case b == '\n':
		r.drop(1)
	// A path of Windows has letters before its backslashes.
	case r.prev == ':' || r.inPath() || isASCIILetter(r.prev) && strings.IndexByte("*_`|])", b) < 0:
		r.keep(1)
	case b == '<':
		r.replace(2, "<"+noTag)
	case strings.IndexByte("\\*_`#[]{}()~>|!$&.-+\"'", b) >= 0:
		r.drop(1)
		r.keep(1)
	default:
		r.keep(1)
	}
	return true
}

// inPath reports whether the word before is the start of a path of Windows.
func (r *Reader) inPath() bool {
	s := r.lastWritten(longestTail)
	return strings.Contains(s[strings.LastIndexAny(s, " \n")+1:], `:\`)
}

// code reads code in a line: what stands between two runs of as many backticks.
func (r *Reader) code(s string) bool {
	n := countByte(s, '`')
	if n == len(s) && !r.final && n < longestSpan {
		return false
	}
	for i := n; i < len(s) && i < longestSpan+n; {
		switch s[i] {
		case '`':
			m := countByte(s[i:], '`')
			if i+m == len(s) && !r.final {
				return false
			}
			if m == n {
				r.drop(n)
				r.keep(i - n)
				r.drop(n)
				return true
			}
			i += m
		case '\n':
			// A paragraph ends here: there was a backtick, and no code.
			if i+1 == len(s) && !r.final {
				return false
			}
			if i+1 == len(s) || s[i+1] == '\n' || n >= 3 {
				r.keep(n)
				return true
			}
			i++
		default:
			i++
		}
	}
	if len(s) < longestSpan+n && !r.final {
		return false
	}
	r.keep(n)
	return true
}

// around returns the character before a run of n bytes and the one after it. known is false
// if none has come after it yet.
func (r *Reader) around(s string, n int) (before, after rune, known bool) {
	if n == len(s) {
		return r.prev, '\n', r.final
	}
	after, _ = utf8.DecodeRuneInString(s[n:])
	return r.prev, after, true
}

// asterisks reads a run of asterisks. They are emphasis, and silent, when they touch a word
// on one side only; when both sides touch, as in 5*6 and in scripts without spaces, what
// stands there decides.
func (r *Reader) asterisks(s string) bool {
	n := countByte(s, '*')
	before, after, known := r.around(s, n)
	if !known {
		return false
	}
	opened := r.stars > 0
	switch left, right := !unicode.IsSpace(after), !unicode.IsSpace(before); {
	case !left && !right, !right && strings.ContainsRune(".,;:/)]}%=", after), before == '.' && !opened:
		r.keep(n)
	case !left && right, opened && right && !isWord(after), opened && right && !isWord(before) && !isOpening(before):
		// "5* hotel" and "price*" close nothing.
		if !opened {
			r.keep(n)
			break
		}
		r.stars = max(0, r.stars-n)
		r.drop(n)
	case !right && r.afterDigit() && '0' <= after && after <= '9': // "2 *3"
		r.keep(n)
	case !right || isOpening(before):
		r.stars += n
		r.drop(n)
	default:
		r.inWord(n, before, after, opened)
	}
	return true
}

// afterDigit reports whether the output ends with a digit and a space.
func (r *Reader) afterDigit() bool {
	s := r.lastWritten(2)
	return len(s) == 2 && s[1] == ' ' && '0' <= s[0] && s[0] <= '9'
}

// inWord reads n asterisks that touch something on both sides.
func (r *Reader) inWord(n int, before, after rune, opened bool) {
	sum := isASCIIWord(before) && isASCIIWord(after) || before == ')' || after == '('
	switch {
	// "**Na**maste" closes, "5*6" does not.
	case opened && (n > 1 || !sum) && !(isASCIIDigit(before) && isASCIIDigit(after)):
		r.stars = max(0, r.stars-n)
		r.drop(n)
	case n > 1 && !(isASCIIDigit(before) || isASCIIDigit(after)) && !(sum && (before == ')' || after == '(')), n == 1 && before >= utf8.RuneSelf:
		r.stars += n
		r.drop(n)
	default:
		r.keep(n)
	}
}

// underscores reads a run of underscores: emphasis around whole words only, whose end is in
// sight. In snake_case and __init__.py they are part of a name.
func (r *Reader) underscores(s string) bool {
	for n := len(r.unders) - 1; n >= 0 && r.base+r.at >= r.unders[n]; n-- {
		at := r.unders[n]
		r.unders = r.unders[:n]
		if r.base+r.at == at {
			r.drop(countByte(s, '_'))
			return true
		}
	}
	n := countByte(s, '_')
	before, after, known := r.around(s, n)
	if !known {
		return false
	}
	if n > 3 || unicode.IsSpace(after) || isWord(before) || !unicode.IsSpace(before) && !isOpening(before) && before != '*' && before != '~' && before != ']' {
		r.keep(n)
		return true
	}
	end, known := findUnderscores(s, n, r.final)
	if !known {
		return false
	}
	if end < 0 {
		r.keep(n)
		return true
	}
	r.unders = append(r.unders, r.base+r.at+end)
	r.drop(n)
	return true
}

// findUnderscores returns where the run of n underscores stands that closes the one at the
// start of s, or -1.
func findUnderscores(s string, n int, final bool) (at int, known bool) {
	before := '_'
	for i := n; i < len(s) && i < longestSpan; {
		c, size := utf8.DecodeRuneInString(s[i:])
		if c == '\n' && strings.HasPrefix(s[i+1:], "\n") {
			return -1, true
		}
		if c != '_' {
			before = c
			i += size
			continue
		}
		m := countByte(s[i:], '_')
		if i+m == len(s) && !final {
			return 0, false
		}
		after, _ := utf8.DecodeRuneInString(s[i+m:])
		if m == n && !unicode.IsSpace(before) && (i+m == len(s) || !isWord(after)) {
			if after != '.' {
				return i, true
			}
			// "__init__.py" is a name.
			if i+m+1 == len(s) && !final {
				return 0, false
			}
			if c, _ := utf8.DecodeRuneInString(s[i+m+1:]); !isWord(c) {
				return i, true
			}
		}
		before = '_'
		i += m
	}
	return -1, final || len(s) >= longestSpan
}

// tildesRun reads tildes: two of them strike text through, which is read all the same.
func (r *Reader) tildesRun(s string) bool {
	n := countByte(s, '~')
	before, after, known := r.around(s, n)
	if !known {
		return false
	}
	opens := !r.tildes && !unicode.IsSpace(after) && !isWord(before)
	if n != 2 || !opens && !r.tildes {
		r.keep(n)
		return true
	}
	r.tildes = !r.tildes
	r.drop(n)
	return true
}

// angle reads <address>, a line break of HTML, or a comment. Anything else that looks like a
// tag is copied as it is, for the steps that know tags.
func (r *Reader) angle(s string) bool {
	if len(s) < 2 && !r.final {
		return false
	}
	if len(s) < 2 || !isASCIILetter(rune(s[1])) && s[1] != '/' && s[1] != '!' {
		r.keep(1)
		return true
	}
	most := longestTag
	if strings.HasPrefix(s, "<http") {
		most = longestLink
	}
	end := strings.IndexAny(s[:min(len(s), most)], ">\n")
	if end < 0 && len(s) < most && !r.final {
		return false
	}
	if end < 0 || s[end] == '\n' {
		r.keep(1)
		return true
	}
	switch inner := strings.ToLower(strings.Trim(s[1:end], " /")); {
	case inner == "br":
		r.replace(end+1, "\n")
	case strings.HasPrefix(s, "<!--") && strings.HasSuffix(s[:end], "--"):
		r.drop(end + 1)
	case strings.HasPrefix(inner, "http://") || strings.HasPrefix(inner, "https://"):
		r.drop(1)
		r.address(s[1:end], strings.IndexByte(s, ':')-1)
		r.drop(1)
	case strings.HasPrefix(inner, "mailto:"):
		r.drop(1 + len("mailto:"))
		r.keep(end - 1 - len("mailto:"))
		r.drop(1)
	default:
		r.keep(end + 1)
	}
	return true
}

// entity reads a named or numbered character of HTML.
func (r *Reader) entity(s string) bool {
	const longest = 32
	end := 1
	for end < len(s) && end < longest && (isASCIIWord(rune(s[end])) || end == 1 && s[end] == '#') {
		end++
	}
	if end == len(s) && end < longest && !r.final {
		return false
	}
	if end < len(s) && s[end] == ';' {
		// An old entity without its semicolon leaves more than the two characters that the
		// longest ones stand for.
		if c := html.UnescapeString(s[:end+1]); c != s[:end+1] && (c == ";" || !strings.HasSuffix(c, ";")) {
			switch c {
			case "\u00a0":
				c = " "
			case "<":
				c += noTag
			}
			r.replace(end+1, c)
			return true
		}
	}
	r.keep(1)
	return true
}

// noTag is written behind a "<" that is no markup, so that what follows does not make it a tag.
// The cleaning of the text removes it.
const noTag = "\u2060"

// bar reads the bars between the cells of a row, which are heard as commas, and the spaces
// before them. The whole row is at hand, unless it is absurdly long.
func (r *Reader) bar(s string) bool {
	n := countSpaces(s)
	if n == len(s) && !r.final && n < longestLine {
		return false
	}
	if n == len(s) || s[n] != '|' {
		r.keep(max(n, 1))
		return true
	}
	n++
	n += countSpaces(s[n:])
	if n == len(s) && !r.final && n < longestLine {
		return false
	}
	r.drop(n)
	r.comma = r.comma || r.cell
	r.cell = false
	return true
}

// pauses reports whether the output ends with a mark at which a listener hears a pause.
func (r *Reader) pauses() bool {
	c, _ := utf8.DecodeLastRuneInString(r.lastWritten(utf8.UTFMax))
	return strings.ContainsRune(",;:.!?…،؛؟۔।。、，；：！？", c)
}

// headingEnd reads a space in a heading, which may stand before signs that close it.
func (r *Reader) headingEnd(s string) bool {
	n := countSpaces(s)
	m := countByte(s[n:], '#')
	end := n + m + countSpaces(s[n+m:])
	if end == len(s) && !r.final && end < longestLine {
		return false
	}
	if m > 0 && (end == len(s) || s[end] == '\n' || s[end] == '\r') {
		r.drop(n + m)
		return true
	}
	r.keep(n)
	return true
}

// isWord reports whether a character is of a word.
func isWord(c rune) bool {
	return isASCIIWord(c) || c >= utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.IsMark(c))
}

func isASCIIWord(c rune) bool { return isASCIILetter(c) || isASCIIDigit(c) }

func isASCIILetter(c rune) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isASCIIDigit(c rune) bool { return '0' <= c && c <= '9' }

// isOpening reports whether a character may stand before a word that begins there.
func isOpening(c rune) bool {
	return strings.ContainsRune(`([{"'“‘«„¿¡—–-/>「『（《【*_~`, c)
}
