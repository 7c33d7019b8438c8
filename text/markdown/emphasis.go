package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// emphasis reads the asterisks, underscores and tildes that stress or strike words, and
// remembers which of them are open. Its methods that read return false if more text is needed.
type emphasis struct {
	text   *rewriter
	stars  int   // asterisks that opened emphasis in this paragraph
	tildes bool  // struck-through text is open
	unders []int // offsets of underscores that close emphasis, the innermost last
}

// endParagraph closes the asterisks and tildes that a paragraph has left open.
func (e *emphasis) endParagraph() { e.stars, e.tildes = 0, false }

// around returns the character before a run of n bytes and the one after it. known is false
// if none has come after it yet.
func (e *emphasis) around(s string, n int) (before, after rune, known bool) {
	if n == len(s) {
		return e.text.prev, '\n', e.text.final
	}
	after, _ = utf8.DecodeRuneInString(s[n:])
	return e.text.prev, after, true
}

// asterisks reads a run of asterisks. They are emphasis, and silent, when they touch a word
// on one side only. When both sides touch, as in 5*6 and in scripts without spaces, the
// characters on the two sides decide.
func (e *emphasis) asterisks(s string) bool {
	n := countByte(s, '*')
	before, after, known := e.around(s, n)
	if !known {
		return false
	}
	opened := e.stars > 0
	if !opened && n > 1 && isGroupEnd(before) && isGroupEnd(after) {
		e.text.keep(n) // they hide a group of digits: 123-***-456789
		return true
	}
	if !opened && unicode.IsSpace(before) && unicode.IsDigit(after) {
		hides, known := hidesDigits(s[n:], e.text.final)
		if !known {
			return false
		}
		if hides {
			e.text.keep(n)
			return true
		}
	}
	switch left, right := !unicode.IsSpace(after), !unicode.IsSpace(before); {
	case !left && !right, !right && strings.ContainsRune(".,;:/)]}%=", after), before == '.' && !opened:
		e.text.keep(n)
	case !left && right, opened && right && !isWord(after), opened && right && !isWord(before) && !isOpening(before):
		if opened {
			e.closeStars(n)
		} else { // "5* hotel" and "price*"
			e.text.keep(n)
		}
	case !right && e.afterDigit() && isASCIIDigit(after): // "2 *3"
		e.text.keep(n)
	case !right || isOpening(before):
		e.openStars(n)
	default:
		e.inWord(n, before, after, opened)
	}
	return true
}

// nearEnd is how many bytes behind asterisks the end of emphasis is looked for.
const nearEnd = 80

// hidesDigits reports whether the asterisks before a text hide the first digits of a number,
// of which the last four are left: card *4567. Emphasis would end near by in the line. known
// is false if more text is needed.
func hidesDigits(s string, final bool) (hides, known bool) {
	rest := strings.TrimLeftFunc(s, unicode.IsDigit)
	digits := utf8.RuneCountInString(s[:len(s)-len(rest)])
	if rest == "" && !final {
		return false, digits > 4
	}
	if digits != 4 {
		return false, true
	}
	line, _, ended := strings.Cut(s, "\n")
	if len(line) > nearEnd {
		line, ended = line[:nearEnd], true
	}
	if strings.Contains(line, "*") {
		return false, true
	}
	return ended || final, ended || final
}

// isGroupEnd reports whether a group of digits may end or begin with a character.
func isGroupEnd(r rune) bool { return r == '-' || unicode.IsDigit(r) }

// inWord reads n asterisks that touch something on both sides.
func (e *emphasis) inWord(n int, before, after rune, opened bool) {
	digit := isASCIIDigit(before) || isASCIIDigit(after)
	digits := isASCIIDigit(before) && isASCIIDigit(after)
	bracket := before == ')' || after == '('
	sum := isASCIIWord(before) && isASCIIWord(after) || bracket
	switch {
	// "**Na**maste" closes, "5*6" does not.
	case opened && (n > 1 || !sum) && !digits:
		e.closeStars(n)
	case n > 1 && !digit && !bracket, n == 1 && before >= utf8.RuneSelf:
		e.openStars(n)
	default:
		e.text.keep(n)
	}
}

// openStars leaves out n asterisks that open emphasis.
func (e *emphasis) openStars(n int) {
	e.stars += n
	e.text.drop(n)
}

// closeStars leaves out n asterisks that close emphasis.
func (e *emphasis) closeStars(n int) {
	e.stars = max(0, e.stars-n)
	e.text.drop(n)
}

// afterDigit reports whether the output ends with a digit and a space.
func (e *emphasis) afterDigit() bool {
	s := e.text.lastWritten(2)
	return len(s) == 2 && s[1] == ' ' && isASCIIDigit(rune(s[0]))
}

// underscores reads a run of underscores: emphasis around whole words only, whose end is in
// sight. In snake_case and __init__.py they are part of a name.
func (e *emphasis) underscores(s string) bool {
	n := countByte(s, '_')
	if e.closesUnderscores() {
		e.text.drop(n)
		return true
	}
	before, after, known := e.around(s, n)
	if !known {
		return false
	}
	starts := unicode.IsSpace(before) || isOpening(before) || before == ']'
	if n > 3 || !starts || unicode.IsSpace(after) {
		e.text.keep(n)
		return true
	}
	end, known := findUnderscores(s, n, e.text.final)
	if !known {
		return false
	}
	if end < 0 {
		e.text.keep(n)
		return true
	}
	e.unders = append(e.unders, e.text.offset()+end)
	e.text.drop(n)
	return true
}

// closesUnderscores reports whether the underscores that come next close emphasis. It forgets
// those that have been passed, which stood in code or in a formula.
func (e *emphasis) closesUnderscores() bool {
	at := e.text.offset()
	for n := len(e.unders) - 1; n >= 0 && at >= e.unders[n]; n-- {
		end := e.unders[n]
		e.unders = e.unders[:n]
		if at == end {
			return true
		}
	}
	return false
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

// strike reads tildes: two of them strike text through, which is read all the same.
func (e *emphasis) strike(s string) bool {
	n := countByte(s, '~')
	before, after, known := e.around(s, n)
	if !known {
		return false
	}
	opens := !unicode.IsSpace(after) && !isWord(before)
	if n != 2 || !opens && !e.tildes {
		e.text.keep(n)
		return true
	}
	e.tildes = !e.tildes
	e.text.drop(n)
	return true
}
