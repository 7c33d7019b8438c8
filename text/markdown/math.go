package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// dollar reads mathematics between dollar signs. Money is none: an amount stands before a
// space, before another amount, or has nothing in it that only formulas have.
func (r *Reader) dollar(s string) bool {
	n := countByte(s, '$')
	if n == len(s) && n < longestSpan && !r.final {
		return false
	}
	if n > 2 {
		r.keep(n)
		return true
	}
	most := longestSpan
	if n == 2 {
		most = longestMath
	}
	end, known := closingDollar(s, n, most, r.final)
	if !known {
		return false
	}
	if end < 0 || isWord(r.prev) || !isFormula(s[n:end], n) {
		r.keep(n)
		return true
	}
	r.formula(s[n:end], n, end+n)
	return true
}

// closingDollar returns where n dollar signs close the formula that n of them open, or -1.
func closingDollar(s string, n, most int, final bool) (end int, known bool) {
	if len(s) > n && n == 1 && unicode.IsSpace(rune(s[n])) {
		return -1, true
	}
	if n == 1 {
		if money, known := isMoney(s[1:], final); money || !known {
			return -1, known
		}
	}
	letters, depth := 0, 0
	for i := n; i < len(s) && i < most; i++ {
		// A word outside braces is of no formula.
		if isASCIILetter(rune(s[i])) {
			if letters++; letters > 2 && depth == 0 && n == 1 {
				return -1, true
			}
		} else {
			letters = 0
		}
		switch {
		case s[i] == '{':
			depth++
		case s[i] == '}':
			depth--
		case s[i] == '\\':
			for i++; i+1 < len(s) && isASCIILetter(rune(s[i])) && isASCIILetter(rune(s[i+1])); i++ {
			}
		case s[i] == '\n' && (n == 1 || strings.HasPrefix(s[i+1:], "\n")):
			return -1, true
		case s[i] != '$':
		case countByte(s[i:], '$') < n:
			if i+1 == len(s) && !final {
				return 0, false
			}
			return -1, true
		case n == 2:
			return i, true
		case i+1 == len(s) && !final:
			return 0, false
		case unicode.IsSpace(rune(s[i-1])), i+1 < len(s) && isASCIIWord(rune(s[i+1])):
			return -1, true
		default:
			return i, true
		}
	}
	return -1, final || len(s) >= most
}

// isMoney reports whether a text behind a dollar sign is an amount: digits that no operation
// follows.
func isMoney(s string, final bool) (money, known bool) {
	n := 0
	for n < len(s) && n < 20 && (isASCIIDigit(rune(s[n])) || s[n] == '.' || s[n] == ',') {
		n++
	}
	if n == 0 && s != "" {
		return false, true
	}
	n += countSpaces(s[n:])
	if n == len(s) {
		return true, final
	}
	if strings.IndexByte("+-=*/^<>\\_$()", s[n]) >= 0 {
		return false, true
	}
	// A factor stands alone: 5x.
	if !isASCIILetter(rune(s[n])) {
		return true, true
	}
	if n+1 == len(s) {
		return true, final
	}
	return isASCIILetter(rune(s[n+1])) || s[n-1] == ' ', true
}

// isFormula reports whether a text between n dollar signs is mathematics.
func isFormula(s string, n int) bool {
	switch {
	case strings.TrimSpace(s) == "":
		return false
	case n == 2 || strings.ContainsAny(s, "\\^_={}<>"):
		return true
	}
	// A letter or two, or a few with signs between them; not an amount with words after it.
	letters := 0
	for _, c := range s {
		switch {
		case isASCIILetter(c):
			if letters++; letters > 2 {
				return false
			}
		case unicode.IsLetter(c):
			return false
		default:
			letters = 0
		}
	}
	return isASCIILetter(rune(s[0])) || s[0] == '(' || strings.ContainsAny(s, "+-*/")
}

// latex reads \( ... \) and \[ ... \].
func (r *Reader) latex(s string) (known, ok bool) {
	shut := `\)`
	if s[1] == '[' {
		shut = `\]`
	}
	end := strings.Index(s[:min(len(s), longestMath)], shut)
	stop := strings.Index(s[:min(len(s), longestMath)], "\n\n")
	if end < 0 && stop < 0 && len(s) < longestMath && !r.final {
		return false, false
	}
	if end < 0 || stop >= 0 && stop < end || !isFormula(strings.TrimSpace(s[2:end]), 1) {
		return true, false
	}
	r.formula(s[2:end], 2, end+2)
	return true, true
}

// formula writes a formula for the next n bytes, of which the first open are before it, in
// characters that are read as words in each language. Each piece leads to its part of the
// formula.
func (r *Reader) formula(s string, open, n int) {
	var f formula
	f.read(s, 0, 0)
	r.drop(open)
	done := 0
	for _, p := range f.pieces {
		end := max(p.end, done)
		said := strings.TrimPrefix(p.text, " ")
		if said != p.text {
			r.replace(0, " ") // by itself, so that a change of language may fall behind it
		}
		if written := s[done:end]; strings.HasSuffix(written, said) {
			r.drop(len(written) - len(said))
			r.keep(len(said))
		} else {
			r.replace(len(written), said)
		}
		done = end
	}
	r.drop(n - open - done)
	r.prev = ')' // so that what follows is not taken for the start of a word
}

// formula translates LaTeX.
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
			tight := f.tight
			f.add("-", end)
			f.tight = tight
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
		top, from, a := argument(s[n:])
		bottom, below, b := argument(s[n+a:])
		f.apart = true
		f.group(top, base+n+from, depth)
		if isNumber(top) && isNumber(bottom) {
			f.add("/", base+n+a)
		} else {
			f.sign("÷", base+n+a)
		}
		f.group(bottom, base+n+a+below, depth)
		f.apart = true
		return n + a + b
	case "sqrt":
		index := 0
		if strings.HasPrefix(s[n:], "[") {
			index = strings.IndexByte(s[n:], ']') + 1
		}
		body, from, size := argument(s[n+index:])
		f.apart = true
		f.add("√", base+n)
		f.tight = true
		f.group(body, base+n+index+from, depth)
		f.tight, f.apart = false, true
		return n + index + size
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

// argument returns what a command or sign applies to, without its braces, where that begins, and
// the length of all: a group, a command, or one character.
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
