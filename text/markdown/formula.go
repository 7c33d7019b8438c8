package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// formula translates LaTeX to the signs and names that are read as words in each language.
type formula struct {
	pieces []formulaPiece
	apart  bool // a space must stand before the next piece
	tight  bool // but not before this one
}

// formulaPiece is a piece of output, and where what it was made from ends.
type formulaPiece struct {
	text string
	end  int
}

// add adds a piece that was made from the formula up to a byte.
func (f *formula) add(s string, end int) {
	if f.apart && !f.tight && len(f.pieces) > 0 {
		s = " " + s
	}
	f.apart, f.tight = false, false
	f.pieces = append(f.pieces, formulaPiece{s, end})
}

// sign adds a piece with spaces around it.
func (f *formula) sign(s string, end int) {
	f.apart = true
	f.add(s, end)
	f.apart = true
}

// deepest is how deep groups may be nested.
const deepest = 16

// read translates a part of a formula, which begins at a byte of it.
func (f *formula) read(s string, base, depth int) {
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		end := base + i + n
		switch {
		case c == '\\':
			i += f.command(s[i:], base+i, depth)
			continue
		case c == '^':
			body, from, size := argument(s[i+1:])
			f.power(body, base+i+1+from, depth)
			i += 1 + size
			continue
		case c == '_':
			body, from, size := argument(s[i+1:])
			f.apart = true
			f.group(body, base+i+1+from, depth)
			f.apart = true
			i += 1 + size
			continue
		case unicode.IsSpace(c), c == '{', c == '}', c == '&', c == '~', c == '$':
			f.apart = true
		case c == '-' && f.tight:
			f.add("-", end)
			f.tight = true
		case c == '-':
			f.sign("−", end)
		case c == '*':
			f.sign("×", end)
		case c == '/' && i > 0 && i+1 < len(s) && isASCIIDigit(rune(s[i-1])) && isASCIIDigit(rune(s[i+1])):
			f.add("/", end) // of a fraction
		case c == '/':
			f.sign("÷", end)
		case c == '=' || c == '+' || c == '<' || c == '>':
			f.sign(string(c), end)
		case isASCIILetter(c), isASCIIDigit(c) && i > 0 && isASCIILetter(rune(s[i-1])):
			// Letters side by side are several quantities.
			f.apart = true
			f.add(s[i:i+n], end)
		default:
			f.add(s[i:i+n], end)
		}
		i += n
	}
}

// power writes an exponent.
func (f *formula) power(body string, base, depth int) {
	end := base + len(body)
	f.apart = false
	switch strings.TrimSpace(body) {
	case "2":
		f.add("²", end)
	case "3":
		f.add("³", end)
	case `\circ`:
		f.add("°", end)
	case "'", `\prime`:
	default:
		f.add("^", base)
		f.tight = true
		f.group(body, base, depth)
	}
	f.tight, f.apart = false, true
}

// group translates what stands in braces.
func (f *formula) group(s string, base, depth int) {
	if depth < deepest {
		f.read(s, base, depth+1)
	}
}

// command translates the command at the start of a part of a formula and returns its length.
func (f *formula) command(s string, base, depth int) int {
	n := 1
	for n < len(s) && isASCIILetter(rune(s[n])) {
		n++
	}
	if n == 1 { // a sign: \, \; \{ \\ \%
		if len(s) == 1 {
			return 1
		}
		c, size := utf8.DecodeRuneInString(s[1:])
		switch c {
		case '\\':
			f.add(",", base+2)
			f.apart = true
		case '%', '#', '&', '_', '$':
			f.add(string(c), base+2)
		default:
			f.apart = true
		}
		return 1 + size
	}
	switch name := s[1:n]; name {
	case "frac", "dfrac", "tfrac":
		return n + f.fraction(s[n:], base+n, depth)
	case "sqrt":
		return n + f.root(s[n:], base+n, depth)
	case "text", "textbf", "textit", "mathrm", "mathbf", "mathit", "operatorname", "mbox":
		body, from, size := argument(s[n:])
		at := 0
		for word := range strings.FieldsSeq(body) {
			at += strings.Index(body[at:], word) + len(word)
			f.sign(word, base+n+from+at)
		}
		return n + size
	case "begin", "end":
		_, _, size := argument(s[n:])
		return n + size
	default:
		if sign, ok := signs[name]; ok {
			if f.apart = true; sign != "" {
				f.sign(sign, base+n)
			}
			return n
		}
		// Greek letters and functions have the name of what they are: \pi, \sin.
		f.sign(name, base+n)
		return n
	}
}

// fraction translates the two arguments of a fraction and returns their length.
func (f *formula) fraction(s string, base, depth int) int {
	top, from, half := argument(s)
	bottom, below, size := argument(s[half:])
	f.apart = true
	f.group(top, base+from, depth)
	if isNumber(top) && isNumber(bottom) {
		f.add("/", base+half)
	} else {
		f.sign("÷", base+half)
	}
	f.group(bottom, base+half+below, depth)
	f.apart = true
	return half + size
}

// root translates the argument of a root and returns its length. Its index, as in \sqrt[3]{x},
// is left out.
func (f *formula) root(s string, base, depth int) int {
	index := 0
	if strings.HasPrefix(s, "[") {
		index = strings.IndexByte(s, ']') + 1
	}
	body, from, size := argument(s[index:])
	f.apart = true
	f.add("√", base)
	f.tight = true
	f.group(body, base+index+from, depth)
	f.tight, f.apart = false, true
	return index + size
}

// signs are the commands that stand for a sign with a name in each language, or for nothing
// that is heard.
var signs = map[string]string{
	"times": "×", "cdot": "×", "ast": "×", "div": "÷", "pm": "±", "mp": "±",
	"leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "sim": "~", "equiv": "=",
	"lt": "<", "gt": ">", "infty": "∞", "rightarrow": "→", "to": "→", "Rightarrow": "→", "implies": "→",
	"degree": "°", "sum": "∑", "int": "∫", "prod": "∏", "partial": "∂", "percent": "%",
	"left": "", "right": "", "big": "", "Big": "", "bigl": "", "bigr": "", "quad": "", "qquad": "", "displaystyle": "",
	"ldots": "...", "cdots": "...", "dots": "...", "limits": "", "mathbb": "", "vec": "", "hat": "", "bar": "", "overline": "", "boxed": "",
}

// argument returns what a command or sign applies to: the inside of a group in braces, a command,
// or one character. from is where that begins, and size the length of it all.
func argument(s string) (body string, from, size int) {
	spaces := countSpaces(s)
	t := s[spaces:]
	if t == "" {
		return "", spaces, spaces
	}
	switch t[0] {
	case '{':
		depth := 0
		for i := range len(t) {
			switch t[i] {
			case '{':
				depth++
			case '}':
				if depth--; depth == 0 {
					return t[1:i], spaces + 1, spaces + i + 1
				}
			}
		}
		return t[1:], spaces + 1, len(s)
	case '\\':
		n := 1
		for n < len(t) && isASCIILetter(rune(t[n])) {
			n++
		}
		return t[:n], spaces, spaces + n
	}
	_, n := utf8.DecodeRuneInString(t)
	return t[:n], spaces, spaces + n
}
